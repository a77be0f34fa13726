// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// One intact record of a log, as ``LogReader`` finds it.
public struct LogEntry: Sendable, Hashable {
    /// What the record is.
    public let kind: FrameKind
    /// Its sequence number; what it counts is up to the kind.
    public let sequence: UInt64
    /// The generation of the context it was recorded in; 0 where that means nothing.
    public let context: UInt32
    /// Where the record starts.
    public let start: LogPosition
    /// Where the next record starts.
    public let end: LogPosition
    /// Bytes of the payload.
    public var payloadLength: Int { payload.count }

    /// Bytes of an addressed event's route at the payload's start; nil when the event goes everywhere.
    package let routeLength: Int?
    /// Where the payload lies in the reader's window, until its next call.
    let payload: Range<Int>

    init(_ header: FrameHeader, segment: UInt32, offset: Int, payload: Range<Int>) {
        kind = header.kind
        sequence = header.sequence
        context = header.context
        routeLength = header.flags & FrameHeader.addressed != 0 ? Int(header.routeLength) : nil
        start = LogPosition(segment: segment, offset: UInt32(offset))
        end = LogPosition(segment: segment, offset: UInt32(offset + header.stride))
        self.payload = payload
    }
}
