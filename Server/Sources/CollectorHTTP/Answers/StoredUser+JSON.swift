// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
internal import TrackwayEvents

extension StoredUser {
    /// Writes the person with what the app said about them; what is not known is left out.
    func write(to writer: inout JSONWriter) {
        writer.beginObject()
        for (key, value) in [("id", id), ("unique_id", uniqueID), ("anonymous_id", anonymousID)] {
            guard let value else { continue }
            writer.key(key)
            writer.string(value)
        }
        if let firstTouch {
            writer.key("first_touch")
            writer.integer(firstTouch.milliseconds)
        }
        writer.key("first")
        writer.integer(first.milliseconds)
        writer.key("last")
        writer.integer(last.milliseconds)
        writer.key("events")
        writer.integer(events)
        writer.key("sessions")
        writer.integer(sessions)
        writer.key("installations")
        writer.beginArray()
        for installation in installations {
            writer.element()
            writer.id(installation)
        }
        writer.endArray()
        writer.key("attributes")
        writer.beginObject()
        for attribute in attributes {
            writer.key(attribute.name)
            writer.beginObject()
            writer.key("value")
            writer.raw(attribute.value)
            writer.key("set")
            writer.integer(attribute.set.milliseconds)
            if attribute.omitted > 0 {
                writer.key("omitted")
                writer.integer(attribute.omitted)
            }
            writer.endObject()
        }
        writer.endObject()
        if hasMoreAttributes {
            writer.key("more_attributes")
            writer.boolean(true)
        }
        writer.endObject()
    }
}
