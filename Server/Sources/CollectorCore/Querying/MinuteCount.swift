// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayCore

/// The number of events that arrived within one minute.
public struct MinuteCount: Sendable, Hashable {
    /// The start of the minute.
    public var minute: Timestamp
    /// The number of stored events.
    public var events: UInt64
    /// The number of stored events by name, except those in ``others``.
    public var names: [String: UInt64]
    /// The number of events with names that are not counted separately.
    public var others: UInt64

    /// Creates counts for the minute that begins at `minute`.
    public init(minute: Timestamp, events: UInt64, names: [String: UInt64] = [:], others: UInt64 = 0) {
        self.minute = minute
        self.events = events
        self.names = names
        self.others = others
    }
}

extension MinuteCount {
    /// Writes `[minute,events,{"name":events,…},others]`, most frequent name first.
    public func write(to writer: inout JSONWriter) {
        writer.beginArray()
        writer.element()
        writer.integer(minute.milliseconds)
        writer.element()
        writer.integer(events)
        writer.element()
        writer.beginObject()
        for (name, events) in names.sorted(by: { ($1.value, $0.key) < ($0.value, $1.key) }) {
            writer.member(name, events)
        }
        writer.endObject()
        writer.element()
        writer.integer(others)
        writer.endArray()
    }
}
