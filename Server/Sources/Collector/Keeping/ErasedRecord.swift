// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayEvents
public import TrackwayJournal

/// A record that is deleted from a stream, since all that is in it belongs to an installation that was erased. What is kept of it, in a
/// list beside the stream, so that nobody takes the hole for a loss.
public struct ErasedRecord: Sendable, Hashable {
    /// The record's sequence; 1 or more.
    public var sequence: UInt64
    /// The installation whose erasure is the reason.
    public var installation: InstallationID
    /// How many events it had that count as erased.
    public var events: Int

    /// A record.
    public init(sequence: UInt64, installation: InstallationID, events: Int) {
        self.sequence = sequence
        self.installation = installation
        self.events = events
    }

    /// Reads `{"sequence":17,"stream":"…","installation":"…","events":3}`; nil when it is something else.
    ///
    /// - Parameter stream: When the stream was made, in the engine's words: what was deleted from another one of its name says nothing.
    public init?(json bytes: [UInt8], of stream: String) {
        // What is no entry excuses no hole.
        guard let json = try? JSONValue.parse(bytes), json["stream"]?.string == stream,
            let sequence = json["sequence"]?.integer, sequence > 0,
            let installation = json["installation"]?.string.flatMap({ InstallationID($0) }),
            let events = json["events"]?.integer, events >= 0
        else { return nil }
        self.init(sequence: UInt64(sequence), installation: installation, events: Int(clamping: events))
    }

    /// The entry as it is kept.
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

    /// What stands in the record's place for whoever reads the stream: that events of an erased installation came and were not kept, which
    /// is what a collector would have written, had it known of the erasure. So places, cursors and sums stay whole.
    ///
    /// - Parameters:
    ///   - start: Where the record began.
    ///   - end: The place just behind it.
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

/// How far a stream's records were looked through for those of erased installations. Counted in blocks.
public struct ErasureProgress: Sendable, Hashable {
    /// Everything is deleted that the blocks up to this one say is to be: their records, of whom their tombstones erase. 0 for nothing.
    public var done: UInt64 = 0
    /// What is being worked off now is what the blocks up to this one say; as ``done`` when nothing is.
    public var goal: UInt64 = 0
    /// Of that, the blocks before this one are looked through; 0 for none.
    public var next: UInt64 = 0

    /// Nothing yet.
    public init() {}

    /// A progress.
    public init(done: UInt64, goal: UInt64, next: UInt64 = 0) {
        self.done = done
        self.goal = max(goal, done)
        self.next = next
    }

    /// Reads `{"stream":"…","done":3,"goal":9,"next":5}`; nil when it is something else, or of another stream.
    public init?(json bytes: [UInt8], of stream: String) {
        // Whatever else it is, everything is looked through again then.
        guard let json = try? JSONValue.parse(bytes), json["stream"]?.string == stream,
            let done = json["done"]?.integer, let goal = json["goal"]?.integer, let next = json["next"]?.integer,
            done >= 0, goal >= done, next >= 0
        else { return nil }
        self.init(done: UInt64(done), goal: UInt64(goal), next: UInt64(next))
    }

    /// The progress as it is kept.
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

/// The list of the records that are deleted from a stream, for whoever deletes them.
public protocol ErasedRecords: Sendable {
    /// Sees that what is listed is as safe as the stream's records, and makes the list where there is none.
    ///
    /// - Throws: ``UpkeepFailure`` when it is not, or not known to be.
    func prepare() async throws(UpkeepFailure)

    /// How far the records were looked through; nothing where there is no list.
    ///
    /// - Throws: ``UpkeepFailure``.
    func progress() async throws(UpkeepFailure) -> ErasureProgress

    /// Keeps how far the records were looked through.
    ///
    /// - Throws: ``UpkeepFailure``; it may be kept nevertheless.
    func note(_ progress: ErasureProgress) async throws(UpkeepFailure)

    /// Lists a record. Only behind that it may be deleted.
    ///
    /// - Throws: ``UpkeepFailure``; it may be listed nevertheless.
    func list(_ record: ErasedRecord) async throws(UpkeepFailure)

    /// Deletes a record from the stream, and overwrites its bytes. One that is not there is no failure.
    ///
    /// - Throws: ``UpkeepFailure``; it may be deleted nevertheless.
    func delete(_ sequence: UInt64) async throws(UpkeepFailure)
}
