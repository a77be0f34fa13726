// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
internal import TrackwayEvents

extension ScreenFlow {
    /// Writes the screens and the steps between them.
    func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.key("screens")
        writer.beginArray()
        for screen in screens {
            writer.element()
            writer.beginObject()
            writer.key("name")
            writer.string(screen.name)
            for (key, value) in [
                ("views", screen.views), ("entrances", screen.entrances), ("exits", screen.exits),
                ("installations", screen.installations),
            ] {
                writer.key(key)
                writer.integer(value)
            }
            writer.key("engagement")
            writer.integer(screen.engagement)
            writer.endObject()
        }
        writer.endArray()
        writer.key("steps")
        writer.beginArray()
        for step in steps {
            writer.element()
            writer.beginObject()
            writer.key("from")
            writer.string(step.from)
            writer.key("to")
            writer.string(step.to)
            writer.key("count")
            writer.integer(step.count)
            writer.endObject()
        }
        writer.endArray()
        writer.endObject()
    }
}
