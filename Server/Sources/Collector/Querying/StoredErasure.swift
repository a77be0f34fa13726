// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayEvents

/// An installation that was erased, and what that cost.
public struct StoredErasure: Sendable, Hashable {
    /// The installation.
    public var installation: InstallationID
    /// When the collector received the order.
    public var time: Timestamp
    /// The name of the key it came with.
    public var key: String
    /// Whether an operator did it; otherwise the installation itself.
    public var isByOperator: Bool
    /// Events that were removed, or came afterwards and were not kept; repeats count.
    public var events: UInt64

    /// An erasure with its counts.
    public init(installation: InstallationID, time: Timestamp, key: String, isByOperator: Bool, events: UInt64) {
        self.installation = installation
        self.time = time
        self.key = key
        self.isByOperator = isByOperator
        self.events = events
    }
}

extension StoredErasure {
    /// Writes the erasure.
    public func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("installation", installation)
        writer.member("erased", time)
        writer.member("by", isByOperator ? "operator" : "installation")
        writer.member("key", key)
        writer.member("events", events)
        writer.endObject()
    }
}
