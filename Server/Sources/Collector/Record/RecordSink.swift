// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayEvents
public import TrackwayJournal

/// Takes what a ``RecordWalk`` finds in records, in their order. Each store is one, so that all stores have the same events.
public protocol RecordSink: AnyObject {
    /// Whether an error is one of the sink itself: then the record is not to blame, and the walk ends with it.
    func isOwnFailure(_ error: any Error) -> Bool

    /// A batch begins, or a part of one that belongs to an installation and a writer. What it tells about its writer comes before
    /// its events.
    ///
    /// - Parameter recorded: The highest number that the writer has given, as far as that is believed.
    func begin(
        installation: InstallationID?,
        writer: WriterID?,
        recorded: UInt64?,
        received: Timestamp,
        key: String
    ) throws

    /// Numbers the device gave up, or never meant for a collector.
    func account(_ range: ClosedRange<UInt64>, _ kind: RangeKind, reason: String) throws

    /// The events behind this hold in this context.
    ///
    /// - Parameter clock: How far the device's clock was off; nil when it was right.
    func context(_ content: UnsafeRawBufferPointer, clock: ClockCorrection?) throws

    /// An accepted event. Its bytes stay where they are until ``store()``.
    func event(_ event: WalkedEvent) throws

    /// Stores the events that wait.
    ///
    /// - Returns: How many had not arrived before, as far as the sink knows.
    @discardableResult func store() throws -> Int

    /// A refused event, or a refused batch, with its reason.
    func failed(_ failure: FailedEvent, sequence: UInt64?) throws

    /// What was refused at a place was admitted again.
    func admitted(at place: EventPosition) throws

    /// What was refused at a place was looked at again, and is refused for another reason now.
    func refusedAgain(_ fault: RejectedEvent, at place: EventPosition) throws

    /// The event stored last was refused at a place before.
    func mark(_ position: EventPosition, from place: EventPosition, _ origin: ReplayOrigin) throws

    /// The beginning of a record that cannot be read, with the reason.
    func unreadable(_ payload: [UInt8], length: Int, at start: LogPosition, _ message: String) throws

    /// Everything of an installation is to go, and nothing of it is to be taken again.
    ///
    /// - Parameter sequence: The number of the event that says so, which has arrived with it.
    func erase(_ order: ErasureOrder, sequence: UInt64?) throws

    /// Events of an erased installation came and were not kept.
    func countErased(_ record: ErasureRecord) throws

    /// The batch is complete. What waits of it was stored.
    func end() throws
}

/// An accepted event in a record. Valid only while its bytes stay where they are.
public struct WalkedEvent {
    /// The event as received, one JSON object.
    public let line: UnsafeRawBufferPointer
    /// The places of its parts.
    public let scan: EventScan
    /// Its id: its own, or one made from its place.
    public let id: EventID
    /// Its place.
    public let position: EventPosition
    /// Its number among the writer's events; nil when the sender gives none, or one that no writer can have come to.
    public let sequence: UInt64?
    /// Which of the batch's events it is, refused ones included, from 0.
    public let index: Int
    /// When it happened: by the device's clock, corrected where that was off. When it arrived, if the sender tells no time.
    public let time: Timestamp
}
