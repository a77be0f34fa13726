// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayCore
public import TrackwayJournal

/// Receives the contents of records from a ``RecordVisitor``, in order.
///
/// Each store implements this protocol, so that all stores have the same events.
public protocol RecordConsumer: AnyObject {
    /// Whether an error comes from the consumer itself.
    ///
    /// Such an error is not caused by the record, and ends the visit.
    func isOwnFailure(_ error: any Error) -> Bool

    /// Begins a batch, or its part for an installation and a writer.
    ///
    /// Information about the writer comes before its events.
    ///
    /// - Parameter recorded: The highest plausible number that the writer has assigned.
    func begin(
        installation: InstallationID?,
        writer: WriterID?,
        recorded: UInt64?,
        received: Timestamp,
        key: String
    ) throws

    /// Receives numbers that were dropped or addressed elsewhere.
    ///
    /// The device dropped these numbers, or did not address them to a collector.
    func account(_ range: ClosedRange<UInt64>, _ kind: RangeKind, reason: String) throws

    /// Sets the context of the events that follow.
    ///
    /// - Parameter clock: The correction of the device's clock; nil if it was correct.
    func context(_ content: UnsafeRawBufferPointer, clock: ClockCorrection?) throws

    /// Receives an accepted event, whose bytes stay in place until ``store()``.
    func event(_ event: VisitedEvent) throws

    /// Stores the waiting events.
    ///
    /// - Returns: The number of events that had not arrived before, as far as the consumer knows.
    @discardableResult func store() throws -> Int

    /// Receives a rejected event or batch, with its reason.
    func failed(_ failure: FailedEvent, sequence: UInt64?) throws

    /// Records that a replay admitted the event or batch rejected at `place`.
    func admittedOnReplay(at place: EventPosition) throws

    /// Records that a replay rejected an event or batch again.
    ///
    /// The event or batch at `place` has been rejected for another reason.
    func rejectedOnReplay(_ fault: RejectedEvent, at place: EventPosition) throws

    /// Records that the last stored event was previously rejected at `place`.
    func mark(_ position: EventPosition, from place: EventPosition, _ origin: ReplayOrigin) throws

    /// Receives the beginning of an unreadable record, with the reason.
    func unreadable(_ payload: [UInt8], length: Int, at start: LogPosition, _ message: String) throws

    /// Erases all data of an installation, and accepts nothing more from it.
    ///
    /// - Parameter sequence: The number of the event that requests the erasure, which counts as received.
    func erase(_ order: DeletionRequest, sequence: UInt64?) throws

    /// Counts events of an erased installation that arrived and were not stored.
    func countErased(_ record: ErasureRecord) throws

    /// Counts an event of the current part that was erased from the record.
    func erased(_ placeholder: ErasedPlaceholder, sequence: UInt64?) throws

    /// Erases a user, and accepts nothing more from this user.
    func erase(_ record: UserErasureRecord) throws

    /// Receives an operator's statement about merged users.
    func merge(_ record: UserMergeRecord, at position: EventPosition) throws

    /// Ends the batch.
    ///
    /// The batch's waiting events have already been stored.
    func end() throws
}

extension RecordConsumer {
    /// Accounts for the event's number, so that the erased event does not count as missing.
    public func erased(_ placeholder: ErasedPlaceholder, sequence: UInt64?) throws {
        guard let sequence, sequence > 0 else { return }
        try account(sequence...sequence, .dropped, reason: ErasedPlaceholder.reason)
    }

    /// Does nothing: only the store of one machine erases users.
    public func erase(_ record: UserErasureRecord) throws {}

    /// Does nothing, for consumers that do not merge users.
    public func merge(_ record: UserMergeRecord, at position: EventPosition) throws {}
}

/// An accepted event in a record.
///
/// Valid only while its bytes stay in place.
public struct VisitedEvent {
    /// The event as received, one JSON object.
    public let line: UnsafeRawBufferPointer
    /// The offsets of the event's parts.
    public let scan: EventScan
    /// The event's own id, or one derived from its position.
    public let id: EventID
    /// The event's position.
    public let position: EventPosition
    /// The event's number among the writer's events.
    ///
    /// Nil if the sender does not number its events, or if the number is implausible.
    public let sequence: UInt64?
    /// The event's index in the batch, counting rejected events, from 0.
    public let index: Int
    /// When the event happened, by the device's clock with errors corrected.
    ///
    /// The time of arrival if the sender provides no time.
    public let time: Timestamp
}
