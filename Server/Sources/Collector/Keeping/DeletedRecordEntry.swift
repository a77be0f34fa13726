// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayEvents
public import TrackwayJournal

/// A record that was deleted from a stream because of an erasure.
///
/// All its events belong to an installation that was erased. This entry remains in a list next to the stream, so that
/// readers do not mistake the gap for a loss.
public struct DeletedRecordEntry: Sendable, Hashable {
    /// The record's sequence; 1 or more.
    public var sequence: UInt64
    /// The erased installation.
    public var installation: InstallationID
    /// The number of its events that count as erased.
    public var events: Int

    /// Creates an entry.
    public init(sequence: UInt64, installation: InstallationID, events: Int) {
        self.sequence = sequence
        self.installation = installation
        self.events = events
    }

    /// Reads `{"sequence":17,"stream":"…","installation":"…","events":3}`; nil for anything else.
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

    /// The entry in its stored form.
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

    /// The record that readers see in place of the deleted one.
    ///
    /// It states that events of an erased installation arrived and were not stored, which a collector that knew of the
    /// erasure would have written. Positions, cursors and sums therefore remain consistent.
    ///
    /// - Parameters:
    ///   - start: The beginning of the deleted record.
    ///   - end: The position just after it.
    public func substitute(from start: LogPosition, to end: LogPosition) -> StreamedRecord {
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
/// Counted in blocks.
public struct ErasureProgress: Sendable, Hashable {
    /// All deletions requested by the blocks up to this one are done.
    ///
    /// These are the records of these blocks whose installations are erased by tombstones of these blocks. 0 for none.
    public var done: UInt64 = 0
    /// The last block whose deletions are in progress.
    ///
    /// Equal to ``done`` when idle.
    public var goal: UInt64 = 0
    /// The first block not yet searched for ``goal``; 0 at the start.
    public var next: UInt64 = 0

    /// Creates a progress before the first block.
    public init() {}

    /// Creates a progress.
    public init(done: UInt64, goal: UInt64, next: UInt64 = 0) {
        self.done = done
        self.goal = max(goal, done)
        self.next = next
    }

    /// Reads `{"stream":"…","done":3,"goal":9,"next":5}`; nil for anything else or another stream.
    public init?(json bytes: [UInt8], of stream: String) {
        // Whatever the cause, everything is then searched again.
        guard let json = try? JSONValue.parse(bytes), json["stream"]?.string == stream,
            let done = json["done"]?.integer, let goal = json["goal"]?.integer, let next = json["next"]?.integer,
            done >= 0, goal >= done, next >= 0
        else { return nil }
        self.init(done: UInt64(done), goal: UInt64(goal), next: UInt64(next))
    }

    /// The progress in its stored form.
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
    /// - Throws: ``StreamMaintenanceError`` if they are not, or are not known to be.
    func prepare() async throws(StreamMaintenanceError)

    /// Returns the progress of the search; empty if the list is missing.
    ///
    /// - Throws: ``StreamMaintenanceError``.
    func progress() async throws(StreamMaintenanceError) -> ErasureProgress

    /// Stores the progress of the search.
    ///
    /// - Throws: ``StreamMaintenanceError``; the progress may have been stored nevertheless.
    func note(_ progress: ErasureProgress) async throws(StreamMaintenanceError)

    /// Lists a record, which may be deleted only afterward.
    ///
    /// - Throws: ``StreamMaintenanceError``; the record may have been listed nevertheless.
    func list(_ record: DeletedRecordEntry) async throws(StreamMaintenanceError)

    /// Deletes a record from the stream, and overwrites its bytes.
    ///
    /// A missing record is not an error.
    ///
    /// - Throws: ``StreamMaintenanceError``; the record may have been deleted nevertheless.
    func delete(_ sequence: UInt64) async throws(StreamMaintenanceError)
}
