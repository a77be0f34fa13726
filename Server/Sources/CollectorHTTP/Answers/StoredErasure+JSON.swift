// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
internal import TrackwayEvents

extension StoredErasure {
    /// Writes the erasure.
    func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.key("installation")
        writer.id(installation)
        writer.key("erased")
        writer.integer(time.milliseconds)
        writer.key("by")
        writer.string(isByOperator ? "operator" : "installation")
        writer.key("key")
        writer.string(key)
        writer.key("events")
        writer.integer(events)
        writer.endObject()
    }
}
