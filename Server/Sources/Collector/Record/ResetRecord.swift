// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayEvents
public import TrackwayJournal

extension FrameKind {
    /// Everything before this record is forgotten: a ``ResetRecord``.
    public static let reset = FrameKind(rawValue: 24)
}

/// What the intake log of a collector for tests keeps of a reset. Its place says all: what was committed before it is
/// forgotten, what is committed after it counts, and an index that is made anew comes to the same.
public struct ResetRecord: Sendable, Hashable {
    /// When it was asked for, by the collector's clock.
    public var received: Timestamp
    /// The name of the key that asked.
    public var key: String

    /// A record of these facts.
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
