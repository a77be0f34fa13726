// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
internal import TrackwayEvents

extension MinuteCount {
    /// Writes `[minute,events,{"name":events,…}]`, the most frequent name first.
    func write(to writer: inout JSONWriter) {
        writer.beginArray()
        writer.element()
        writer.integer(minute.milliseconds)
        writer.element()
        writer.integer(events)
        writer.element()
        writer.beginObject()
        for (name, events) in names.sorted(by: { ($1.value, $0.key) < ($0.value, $1.key) }) {
            writer.key(name)
            writer.integer(events)
        }
        writer.endObject()
        writer.element()
        writer.integer(others)
        writer.endArray()
    }
}
