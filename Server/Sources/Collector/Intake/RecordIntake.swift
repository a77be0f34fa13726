// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayJournal
public import TrackwayWire

/// Takes records, and says so when they are safe: the log of this machine (``Intake``), or a stream that several machines keep.
public protocol RecordIntake: Sendable {
    /// How safe a record is whose commit has returned.
    var durability: CollectorDurability { get }

    /// Keeps a record and returns once it is as safe as the intake promises.
    ///
    /// - Parameter route: Where it belongs, and what tells that it is the same one again.
    /// - Throws: ``IntakeError``; its sender must not take the record for stored then.
    func commit(kind: FrameKind, record: [UInt8], route: IntakeRoute) async throws(IntakeError) -> Commit

    /// Reads a record as it was committed.
    ///
    /// - Parameter position: The record's, or that of one of its events.
    /// - Returns: Nil where no record begins that can be read.
    /// - Throws: An error when records cannot be read now.
    func record(at position: EventPosition) async throws -> (kind: FrameKind, payload: [UInt8])?

    /// The place behind the last record that is known.
    var end: LogPosition { get }

    /// The place behind the last record that was committed here since the start, as an index will know it; nil before the first. Where
    /// several streams keep the records it waits until all that was committed is in their order.
    func committedEnd() async -> LogPosition?

    /// The place that a commit named, as an index will know it; nil when that is not known within a time. Where several streams keep the
    /// records, a commit names a place in one of them.
    func indexedPlace(of position: EventPosition, within limit: Duration) async -> EventPosition?

    /// Deletes what lies before `position`, as far as that is this intake's to delete. For records that no index will read again.
    ///
    /// - Throws: `JournalError` `storage`; some may be deleted then.
    func removeSegments(before position: LogPosition) throws(JournalError)

    /// Why a record would be refused now, as far as it is known; nil when records are welcome.
    var trouble: IntakeError? { get }

    /// Counts since the start.
    var statistics: IntakeStatistics { get }

    /// The state of the servers that keep the records.
    ///
    /// Nil for an intake that keeps them itself.
    var engineStatistics: EngineStatistics? { get }

    /// Accepts nothing more, and returns when nothing is on its way any more.
    func close() async
}

extension RecordIntake {
    public var engineStatistics: EngineStatistics? { nil }

    public func indexedPlace(of position: EventPosition, within limit: Duration) async -> EventPosition? { position }

    /// The accepted batch that an event came in; nil when none begins at its place.
    ///
    /// - Throws: An error when records cannot be read now, or when this one cannot be understood.
    /// - Complexity: O(bytes of the record).
    public func batch(at position: EventPosition) async throws -> IntakeRecord? {
        guard let record = try await record(at: position), record.kind == .intake else { return nil }
        return try record.payload.withUnsafeBytes { bytes in Result { try IntakeRecord(payload: bytes) } }.get()
    }
}

/// A record that is safe.
public struct Commit: Sendable, Hashable {
    /// The place just behind it.
    public var position: LogPosition
    /// How safe it is.
    public var durability: CollectorDurability

    /// A record that is safe.
    public init(position: LogPosition, durability: CollectorDurability) {
        self.position = position
        self.durability = durability
    }
}
