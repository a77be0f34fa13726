// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// The largest batch a destination wants to be asked for.
public struct BatchLimits: Sendable, Hashable {
    /// At most this many events, 1 or more.
    public var events: Int
    /// At most this many bytes of recorded events before encoding and compression. One event larger than this still
    /// travels, alone.
    public var bytes: Int

    /// Makes limits; values below 1 are raised to 1.
    ///
    /// - Parameters:
    ///   - events: 1,000 by default: enough for compression to work and for one answer to settle much.
    ///   - bytes: 512 KiB by default, the common ground of receivers.
    public init(events: Int = 1_000, bytes: Int = 512 * 1024) {
        self.events = max(1, events)
        self.bytes = max(1, bytes)
    }
}
