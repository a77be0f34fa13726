// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayEvents
package import TrackwayWire

/// The elected deliverer's view on the events of all writers: what delivery needs of the journal, and no more.
///
/// Calls may block for a file operation; delivery makes them from its own tasks only, one at a time per destination.
package protocol DeliverySource: Sendable {
    /// Lends the next unsettled events of one writer, in order. They cannot be trimmed until they are settled or released.
    ///
    /// - Returns: nil when nothing waits for the destination, or nothing that can be read at present.
    func read(for destination: DestinationID, limits: BatchLimits) throws(DeliverySourceError) -> LeasedBatch?

    /// Moves the destination's cursor past records of a batch on loan, front to back, and counts them: delivered, except
    /// those set aside. Durable when it returns.
    func settle(
        _ batch: LeasedBatch,
        records: Range<Int>,
        setAside: [Refusal]
    ) throws(DeliverySourceError)

    /// Gives back what is not settled of a batch.
    func release(_ batch: LeasedBatch)

    /// Events that wait for a destination, those on loan included.
    func pending(for destination: DestinationID) -> UInt64

    /// Trims, adopts what dead writers left, removes what everybody has settled.
    ///
    /// - Returns: True while other writers are alive, whose events nobody announces here.
    func tend(at moment: Moment) -> Bool

    /// Lets another process deliver.
    func close()
}
