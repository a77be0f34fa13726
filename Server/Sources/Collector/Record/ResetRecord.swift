// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayEvents
package import TrackwayJournal

extension FrameKind {
    /// Everything before this record is forgotten: a ``ResetRecord``.
    package static let reset = FrameKind(rawValue: 24)
}

/// What the intake log of a collector for tests keeps of a reset. Its place says all: what was committed before it is
/// forgotten, what is committed after it counts, and an index that is made anew comes to the same.
package struct ResetRecord: Sendable, Hashable {
    /// When it was asked for, by the collector's clock.
    package var received: Timestamp
    /// The name of the key that asked.
    package var key: String

    /// A record of these facts.
    package init(received: Timestamp, key: String) {
        self.received = received
        self.key = key
    }

    /// The record's bytes: one JSON object.
    package var bytes: [UInt8] {
        JSONWriter.withThreadBuffer { writer in
            writer.beginObject()
            writer.member("received", received)
            writer.member("key", key)
            writer.endObject()
            return writer.array()
        }
    }
}
