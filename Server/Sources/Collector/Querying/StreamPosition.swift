// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayJournal

/// The second layout of positions: stream (10 bits), sequence (43 bits), ordinal (10 bits), highest first.
///
/// Stream and sequence together have the 53 bits that segment and offset have, and they are the same bits. So everything that
/// compares, stores and writes positions works for streams as it does for a log: the order is that of arrival within a stream,
/// and the first 134 million records of the first stream have positions whose segment is 0.
extension EventPosition {
    /// The largest number of a stream.
    public static let maximumStream = (1 << 10) - 1
    /// The largest sequence: nine million million records.
    public static let maximumSequence: UInt64 = (1 << 43) - 1

    /// The event with this ordinal in a record of a stream; out-of-range parts are clamped.
    public init(stream: Int, sequence: UInt64, ordinal: Int = 0) {
        let place = LogPosition(stream: stream, sequence: sequence)
        self.init(segment: place.segment, offset: place.offset, ordinal: ordinal)
    }

    /// The stream's number, in a position of this layout.
    public var stream: Int { Int(rawValue >> 53) }
    /// The record's number in its stream, in a position of this layout.
    public var streamSequence: UInt64 { UInt64(rawValue >> 10) & Self.maximumSequence }
}

extension LogPosition {
    /// The place where a record of a stream begins; out-of-range parts are clamped.
    public init(stream: Int, sequence: UInt64) {
        let stream = UInt64(min(max(stream, 0), EventPosition.maximumStream))
        let bits = stream << 43 | min(sequence, EventPosition.maximumSequence)
        self.init(segment: UInt32(bits >> 27), offset: UInt32(bits & UInt64(EventPosition.maximumOffset)))
    }

    /// The number of the record that begins here, in a place of this layout.
    public var streamSequence: UInt64 { (UInt64(segment) << 27 | UInt64(offset)) & EventPosition.maximumSequence }
}
