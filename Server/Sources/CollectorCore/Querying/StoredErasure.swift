// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayCore

/// An erased installation, and the number of its removed events.
public struct StoredErasure: Sendable, Hashable {
    /// The installation.
    public var installation: InstallationID
    /// When the collector received the erasure request.
    public var time: Timestamp
    /// The name of the request's API key.
    public var key: String
    /// Whether an operator, rather than the installation, requested the erasure.
    public var isByOperator: Bool
    /// The number of removed or later rejected events, including duplicates.
    public var events: UInt64

    /// Creates an erasure with its counts.
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
