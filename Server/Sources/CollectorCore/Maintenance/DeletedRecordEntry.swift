// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayCore
public import TrackwayJournal

/// A record that was deleted from a stream because of an erasure.
///
/// All events of the record belong to an installation that was erased. This entry remains in a list next to the stream,
/// so that readers do not mistake the gap for a loss.
public struct DeletedRecordEntry: Sendable, Hashable {
    /// The record's sequence number, which is at least 1.
    public var sequence: UInt64
    /// The erased installation.
    public var installation: InstallationID
    /// The number of the record's events that count as erased.
    public var events: Int

    /// Creates an entry.
    public init(sequence: UInt64, installation: InstallationID, events: Int) {
        self.sequence = sequence
        self.installation = installation
        self.events = events
    }

    /// Reads `{"sequence":17,"stream":"…","installation":"…","events":3}`; nil if invalid.
    ///
    /// - Parameter stream: The creation time of the stream, as the engine reports it: entries about another stream of
    ///   the same name do not count.
    public init?(json bytes: [UInt8], of stream: String) {
        // Only a valid entry explains a gap.
        guard let json = try? JSONValue.parse(bytes), json["stream"]?.string == stream,
            let sequence = json["sequence"]?.integer, sequence > 0,
            let installation = json["installation"]?.string.flatMap({ InstallationID($0) }),
            let events = json["events"]?.integer, events >= 0
        else { return nil }
        self.init(sequence: UInt64(sequence), installation: installation, events: Int(clamping: events))
    }

    /// Returns the entry in its stored form.
    public func json(of stream: String) -> [UInt8] {
        JSONWriter.withThreadBuffer { writer in
            writer.beginObject()
            writer.member("sequence", sequence)
            writer.member("stream", stream)
            writer.member("installation", installation)
            writer.member("events", Int64(events))
            writer.endObject()
            return writer.array()
        }
    }

    /// Returns the record that readers see in place of the deleted one.
    ///
    /// The replacement states that events of an erased installation arrived and were not stored. A collector that knew
    /// of the erasure would have written the same record. Positions, cursors and sums therefore remain consistent.
    ///
    /// - Parameters:
    ///   - start: The beginning of the deleted record.
    ///   - end: The position just after the deleted record.
    public func replacementRecord(from start: LogPosition, to end: LogPosition) -> StreamedRecord {
        let record = ErasureRecord(
            received: Timestamp(milliseconds: 0),
            key: "",
            installation: installation,
            events: events
        )
        return StreamedRecord(kind: .erasedEvents, start: start, end: end, payload: record.bytes)
    }
}

/// The progress of searching a stream for records of erased installations.
///
/// The progress is counted in blocks.
public struct ErasureProgress: Sendable, Hashable {
    /// The last block up to which all requested deletions are done.
    ///
    /// The blocks up to this one contain the records to delete and the tombstones that erase their installations. 0 if
    /// there is no such block.
    public var done: UInt64 = 0
    /// The last block whose deletions are in progress.
    ///
    /// Equal to ``done`` if no search is in progress.
    public var goal: UInt64 = 0
    /// The first block not yet searched for ``goal``; 0 at the start.
    public var next: UInt64 = 0

    /// Creates the progress of a search that has not started.
    public init() {}

    /// Creates progress that has reached the given blocks.
    public init(done: UInt64, goal: UInt64, next: UInt64 = 0) {
        self.done = done
        self.goal = max(goal, done)
        self.next = next
    }

    /// Reads `{"stream":"…","done":3,"goal":9,"next":5}`; nil if invalid or for another stream.
    public init?(json bytes: [UInt8], of stream: String) {
        // Regardless of the cause, the search starts again from the first block.
        guard let json = try? JSONValue.parse(bytes), json["stream"]?.string == stream,
            let done = json["done"]?.integer, let goal = json["goal"]?.integer, let next = json["next"]?.integer,
            done >= 0, goal >= done, next >= 0
        else { return nil }
        self.init(done: UInt64(done), goal: UInt64(goal), next: UInt64(next))
    }

    /// Returns the progress in its stored form.
    public func json(of stream: String) -> [UInt8] {
        JSONWriter.withThreadBuffer { writer in
            writer.beginObject()
            writer.member("stream", stream)
            writer.member("done", done)
            writer.member("goal", goal)
            writer.member("next", next)
            writer.endObject()
            return writer.array()
        }
    }
}

/// The list of a stream's deleted records, for the deleting process.
public protocol DeletedRecordList: Sendable {
    /// Creates the list if missing, and verifies its durability.
    ///
    /// Listed entries must be as durable as the stream's records.
    ///
    /// - Throws: ``StreamMaintenanceError`` if the entries are not that durable, or are not known to be.
    func prepare() async throws(StreamMaintenanceError)

    /// Returns the progress of the search; empty if the list is missing.
    ///
    /// - Throws: ``StreamMaintenanceError``.
    func progress() async throws(StreamMaintenanceError) -> ErasureProgress

    /// Stores the progress of the search.
    ///
    /// - Throws: ``StreamMaintenanceError``; even so, the progress may have been stored.
    func save(_ progress: ErasureProgress) async throws(StreamMaintenanceError)

    /// Adds a record to the list.
    ///
    /// The record may be deleted only afterward.
    ///
    /// - Throws: ``StreamMaintenanceError``; even so, the record may have been listed.
    func append(_ record: DeletedRecordEntry) async throws(StreamMaintenanceError)

    /// Deletes a record from the stream, and overwrites its bytes.
    ///
    /// It is not an error if the record is missing.
    ///
    /// - Throws: ``StreamMaintenanceError``; even so, the record may have been deleted.
    func delete(_ sequence: UInt64) async throws(StreamMaintenanceError)
}
