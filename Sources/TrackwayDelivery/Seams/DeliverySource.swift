// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayEvents
package import TrackwayWire

/// The elected deliverer's view on the events of all writers: what delivery needs of the journal, and no more.
///
/// Calls may block for a file operation. Delivery reads and settles from its own tasks only, one call at a time per
/// destination; what counts and what transfers may be called from any thread.
package protocol DeliverySource: Sendable {
    /// Lends the next unsettled events of one writer, in order. They cannot be trimmed until they are settled or released.
    ///
    /// - Parameters:
    ///   - rule: What may leave; nil when everything may.
    ///   - onlyReleased: True for a queue: what its last transfer did not release is not read.
    /// - Returns: nil when nothing waits for the destination, or nothing that may leave or can be read at present.
    func read(
        for destination: DestinationID,
        limits: BatchLimits,
        admitting rule: Admission.Rule?,
        onlyReleased: Bool
    ) throws(DeliverySourceError) -> LeasedBatch?

    /// Moves the destination's cursor past records of a batch on loan, front to back, and counts them: delivered, except
    /// those that are dead letters now.
    ///
    /// - Returns: nil when that is durable. A sentence when it is counted but could not be written yet: a restart before
    ///   it is written delivers these events again.
    /// - Throws: When nothing was settled.
    func settle(
        _ batch: LeasedBatch,
        records: Range<Int>,
        deadLetters: [Refusal]
    ) throws(DeliverySourceError) -> String?

    /// Gives back what is not settled of a batch.
    func release(_ batch: LeasedBatch)

    /// Events that wait for a destination, those on loan included, those behind an event found held left out; nil when
    /// they cannot be counted at present.
    func pending(for destination: DestinationID) -> UInt64?

    /// The same for a queue, of what its transfers released: 0 exactly when nothing released is left, else perhaps too many.
    func released(for destination: DestinationID) -> UInt64?

    /// Somebody waits until a destination knows everything: it is told even of numbers that were for others.
    func reportAll(to destination: DestinationID)

    /// How many events wait for a queue's next transfer, exactly; nil when they cannot be counted at present.
    func waiting(for destination: DestinationID) -> UInt64?

    /// Releases everything that waits for a queue; when it returns, that survives the death of the process.
    ///
    /// - Returns: How many events that were.
    /// - Throws: When nothing was released.
    func transfer(for destination: DestinationID) throws(DeliverySourceError) -> UInt64

    /// The JSON of events that wait for a queue's next transfer, oldest first; none when they cannot be read at present.
    func waitingEvents(for destination: DestinationID, most: Int) -> [[UInt8]]

    /// What was found held for a destination: nothing, events of some writer, or those this process records.
    func held(for destination: DestinationID) -> HeldEvents

    /// What may leave for a destination may have changed: forgets what was found held.
    func admissionChanged(for destination: DestinationID)

    /// Trims, adopts what dead writers left, removes what everybody has settled.
    ///
    /// - Returns: What stands in the way of single writers, whose events wait while the others' are delivered: sentences
    ///   that name the path and the remedy.
    func maintain(at moment: Moment) throws(DeliverySourceError) -> [String]

    /// True while other writers are alive, whose events nobody announces here.
    var hasCompany: Bool { get }

    /// True when another process has asked for delivery since the last call.
    func wasAsked() -> Bool

    /// Lets another process deliver.
    func close()
}
