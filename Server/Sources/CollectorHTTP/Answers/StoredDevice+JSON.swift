// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
internal import TrackwayEvents

extension StoredDevice {
    /// Writes the device; what is not known is null.
    func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.key("installation")
        writer.id(installation)
        writer.member("app", app)
        writer.member("user", user)
        writer.key("first_seen")
        writer.integer(first.milliseconds)
        writer.key("last_seen")
        writer.integer(last.milliseconds)
        writer.member("model", model)
        writer.member("system", system)
        writer.member("battery_level", batteryLevel)
        writer.member("battery_state", batteryState)
        writer.member("application_state", applicationState)
        writer.key("states")
        writer.integer(states)
        writer.key("property_changes")
        writer.integer(propertyChanges)
        writer.endObject()
    }
}

extension DeviceHistory {
    /// Writes what the device told, the latest first; what is not known is null.
    func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.key("installation")
        writer.id(device.installation)
        writer.member("app", device.app)
        writer.member("user", device.user)
        writer.key("properties")
        JSONValue.object(properties).write(into: &writer)
        writer.key("history")
        writer.beginArray()
        for step in steps {
            writer.element()
            writer.beginObject()
            writer.key("at")
            writer.integer(step.time.milliseconds)
            writer.key("changes")
            writer.beginArray()
            for change in step.changes {
                writer.element()
                change.write(to: &writer)
            }
            writer.endArray()
            writer.endObject()
        }
        writer.endArray()
        writer.key("states")
        writer.beginArray()
        for state in states {
            writer.element()
            state.write(to: &writer)
        }
        writer.endArray()
        writer.endObject()
    }
}

extension PropertyChange {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.key("name")
        writer.string(name)
        writer.key("before")
        (before ?? .null).write(into: &writer)
        writer.key("after")
        (after ?? .null).write(into: &writer)
        writer.endObject()
    }
}
