// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayJournal

/// The ordered records of a stream, for building an index.
public protocol RecordStream: Sendable {
    /// Returns the records that begin at a position.
    ///
    /// Returns at least one record, and no more records than fit into memory along with other data.
    ///
    /// - Parameters:
    ///   - start: The position after the last known record.
    ///   - limit: A position after `start` that the stream is known to reach. The returned records may extend beyond
    ///     it.
    /// - Throws: An error that describes itself in a sentence, if the next record currently cannot be read or is
    ///   missing. No record is ever skipped.
    func records(from start: LogPosition, upTo limit: LogPosition) async throws -> [StreamedRecord]
}

/// A record of a stream.
public struct StreamedRecord: Sendable, Hashable {
    /// The record's kind; nil for a message that no collector wrote.
    public var kind: FrameKind?
    /// The position of the record's beginning.
    public var start: LogPosition
    /// The position just after the record.
    public var end: LogPosition
    /// The record's content.
    public var payload: [UInt8]

    /// The erasure that changed the record; nil if the record is as it was committed.
    public var rewrite: RecordRewrite?

    /// Creates a record.
    public init(kind: FrameKind?, start: LogPosition, end: LogPosition, payload: [UInt8]) {
        self.kind = kind
        self.start = start
        self.end = end
        self.payload = payload
    }
}
