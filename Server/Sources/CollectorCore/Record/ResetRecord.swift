// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayCore
public import TrackwayJournal

extension FrameKind {
    /// The kind of records that discard everything before them.
    ///
    /// The content is a ``ResetRecord``.
    public static let reset = FrameKind(rawValue: 24)
}

/// The intake log's record of a reset, in a collector for tests.
///
/// The position of the record determines its effect: everything committed before it is discarded, and everything
/// committed after it counts. A rebuilt index has the same result.
public struct ResetRecord: Sendable, Hashable {
    /// When the reset was requested, by the collector's clock.
    public var received: Timestamp
    /// The name of the request's key.
    public var key: String

    /// Creates a record.
    public init(received: Timestamp, key: String) {
        self.received = received
        self.key = key
    }

    /// The record's bytes: one JSON object.
    public var bytes: [UInt8] {
        JSONWriter.withThreadBuffer { writer in
            writer.beginObject()
            writer.member("received", received)
            writer.member("key", key)
            writer.endObject()
            return writer.array()
        }
    }
}
