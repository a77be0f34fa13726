// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayJournal

/// A stream's records in their order, for whoever makes an index of them.
public protocol RecordStream: Sendable {
    /// The records from a place on: at least one, and no more than fit into memory beside others.
    ///
    /// - Parameters:
    ///   - start: The place behind the last record that is known.
    ///   - limit: The stream is known to reach to this place, which lies behind `start`. What is returned may lie behind it.
    /// - Throws: An error in a sentence when the next record cannot be read now, or is not there. Nothing is ever passed over.
    func records(from start: LogPosition, upTo limit: LogPosition) async throws -> [StreamedRecord]
}

/// A record as a stream has it.
public struct StreamedRecord: Sendable, Hashable {
    /// What it is; nil for something in the stream that no collector put there.
    public var kind: FrameKind?
    /// Where it begins.
    public var start: LogPosition
    /// The place just behind it.
    public var end: LogPosition
    /// Its content.
    public var payload: [UInt8]

    /// A record.
    public init(kind: FrameKind?, start: LogPosition, end: LogPosition, payload: [UInt8]) {
        self.kind = kind
        self.start = start
        self.end = end
        self.payload = payload
    }
}
