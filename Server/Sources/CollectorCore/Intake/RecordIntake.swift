// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayDestinationKit
public import TrackwayJournal

/// Stores records durably.
///
/// An intake is either the log of this machine (``Intake``) or a stream that several machines store.
public protocol RecordIntake: Sendable {
    /// The durability of a record whose commit has returned.
    var durability: CollectorDurability { get }

    /// Stores a record and returns once it has the promised durability.
    ///
    /// - Parameter route: Selects the record's place and identifies duplicates.
    /// - Throws: ``IntakeError``, in which case the sender must not treat the record as stored.
    func commit(kind: FrameKind, record: [UInt8], route: IntakeRoute) async throws(IntakeError) -> Commit

    /// Reads a record as it was committed.
    ///
    /// - Parameter position: The position of the record or of one of its events.
    /// - Returns: Nil if no readable record begins at that position.
    /// - Throws: An error if records currently cannot be read.
    func record(at position: EventPosition) async throws -> (kind: FrameKind, payload: [UInt8])?

    /// The position after the last known record.
    var end: LogPosition { get }

    /// Returns the index position after the last record committed here.
    ///
    /// Only commits since the start count; nil before the first one. If several streams store the records, the method
    /// waits until all committed records have their place in the common order.
    func committedEnd() async -> LogPosition?

    /// Returns the position of a commit as an index sees it.
    ///
    /// Nil if the position does not become known within `limit`. If several streams store the records, a commit names a
    /// position in one of them.
    func indexedPosition(of position: EventPosition, within limit: Duration) async -> EventPosition?

    /// Deletes the records before `position` that this intake may delete.
    ///
    /// Intended for records that no index will read again.
    ///
    /// - Throws: `JournalError` `storage`; some records may have been deleted before the error.
    func removeSegments(before position: LogPosition) throws(JournalError)

    /// The known reason why records are currently refused.
    ///
    /// Nil if they are accepted.
    var failure: IntakeError? { get }

    /// The counts since the start.
    var statistics: IntakeStatistics { get }

    /// The state of the servers that store the records.
    ///
    /// Nil for an intake that stores them itself.
    var engineStatistics: EngineStatistics? { get }

    /// Stops accepting records, and returns when no commit is in progress.
    func close() async
}

extension RecordIntake {
    public var engineStatistics: EngineStatistics? { nil }

    public func indexedPosition(of position: EventPosition, within limit: Duration) async -> EventPosition? { position }

    /// Returns the accepted batch of an event.
    ///
    /// Nil if no accepted batch begins at the event's position.
    ///
    /// - Throws: An error if records currently cannot be read, or if this record cannot be parsed.
    /// - Complexity: O(bytes of the record).
    public func batch(at position: EventPosition) async throws -> IntakeRecord? {
        guard let record = try await record(at: position), record.kind == .intake else { return nil }
        return try record.payload.withUnsafeBytes { bytes in Result { try IntakeRecord(payload: bytes) } }.get()
    }
}

/// A committed record.
public struct Commit: Sendable, Hashable {
    /// The position just after the record.
    public var position: LogPosition
    /// The record's durability.
    public var durability: CollectorDurability

    /// Creates a commit.
    public init(position: LogPosition, durability: CollectorDurability) {
        self.position = position
        self.durability = durability
    }
}
