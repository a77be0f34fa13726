// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayJournal

/// The second layout of positions, used for streams.
///
/// The bits, from most to least significant, are stream (10 bits), sequence (43 bits) and ordinal (10 bits).
///
/// Stream and sequence together occupy the same 53 bits as segment and offset, so all code that compares, stores and
/// writes positions works for streams as it does for a log. Positions within a stream are in order of arrival. The
/// first 134 million records of the first stream have positions with segment 0.
extension EventPosition {
    /// The largest stream number.
    public static let maximumStream = (1 << 10) - 1
    /// The largest sequence number: about nine trillion records.
    public static let maximumSequence: UInt64 = (1 << 43) - 1

    /// Creates the position of an event in a record of a stream.
    ///
    /// Out-of-range values are clamped.
    public init(stream: Int, sequence: UInt64, ordinal: Int = 0) {
        let place = LogPosition(stream: stream, sequence: sequence)
        self.init(segment: place.segment, offset: place.offset, ordinal: ordinal)
    }

    /// The number of the stream, if the position has this layout.
    public var stream: Int { Int(rawValue >> 53) }
    /// The record's number in its stream, if the position has this layout.
    public var streamSequence: UInt64 { UInt64(rawValue >> 10) & Self.maximumSequence }
}

extension LogPosition {
    /// Creates the position where a record of a stream begins.
    ///
    /// Out-of-range values are clamped.
    public init(stream: Int, sequence: UInt64) {
        let stream = UInt64(min(max(stream, 0), EventPosition.maximumStream))
        let bits = stream << 43 | min(sequence, EventPosition.maximumSequence)
        self.init(segment: UInt32(bits >> 27), offset: UInt32(bits & UInt64(EventPosition.maximumOffset)))
    }

    /// The number of the record that begins at this position.
    ///
    /// The position must have this layout.
    public var streamSequence: UInt64 { (UInt64(segment) << 27 | UInt64(offset)) & EventPosition.maximumSequence }
}
