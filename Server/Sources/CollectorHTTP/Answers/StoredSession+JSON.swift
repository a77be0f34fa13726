// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
internal import TrackwayEvents

extension StoredSession {
    /// Writes the session with its screens and launches; what is not known is left out.
    func write(to writer: inout JSONWriter) {
        writer.beginObject()
        if let installation {
            writer.key("installation")
            writer.id(installation)
        }
        writer.key("id")
        writer.string(id)
        if let number {
            writer.key("number")
            writer.integer(number)
        }
        for (key, value) in [
            ("start", start.milliseconds), ("last", last.milliseconds), ("engagement", engagement),
            ("foreground", foreground),
        ] {
            writer.key(key)
            writer.integer(value)
        }
        writer.key("events")
        writer.integer(events)
        writer.key("users")
        writer.beginArray()
        for user in users {
            writer.element()
            writer.string(user)
        }
        writer.endArray()
        writer.key("launches")
        writer.beginArray()
        for launch in launches {
            writer.element()
            launch.write(to: &writer)
        }
        writer.endArray()
        writer.key("screens")
        writer.beginArray()
        for screen in screens {
            writer.element()
            screen.write(to: &writer)
        }
        writer.endArray()
        writer.endObject()
    }
}

extension StoredLaunch {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.key("time")
        writer.integer(time.milliseconds)
        writer.key("kind")
        writer.string(kind)
        for (key, value) in [("first", isFirst), ("recovered", isRecovered)] where value {
            writer.key(key)
            writer.boolean(true)
        }
        if let duration {
            writer.key("foreground")
            writer.integer(duration)
        }
        writer.endObject()
    }
}

extension StoredScreen {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.key("time")
        writer.integer(time.milliseconds)
        writer.key("name")
        writer.string(name)
        for (key, value) in [("id", id), ("unique_id", uniqueID)] {
            guard let value else { continue }
            writer.key(key)
            writer.string(value)
        }
        writer.key("engagement")
        writer.integer(engagement)
        writer.endObject()
    }
}
