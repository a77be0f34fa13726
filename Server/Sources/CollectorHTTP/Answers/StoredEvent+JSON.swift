// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
internal import TrackwayEvents

extension StoredEvent {
    /// Writes the event with everything the index knows about it; the event and its context as they were received.
    func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.key("position")
        writer.string(position.description)
        writer.key("id")
        writer.id(id)
        writer.key("received")
        writer.integer(received.milliseconds)
        if let installation {
            writer.key("installation")
            writer.id(installation)
        }
        if let id = self.writer {
            writer.key("writer")
            writer.id(id)
        }
        if let sequence {
            writer.key("sequence")
            writer.integer(sequence)
        }
        if let user {
            writer.key("user")
            writer.string(user)
        }
        if let session {
            writer.key("session")
            writer.string(session)
        }
        writer.key("event")
        writer.raw(json)
        if !context.isEmpty {
            writer.key("context")
            writer.raw(context)
        }
        writer.endObject()
    }
}
