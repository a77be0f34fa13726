// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
internal import TrackwayEvents

extension FailedEvent {
    /// Writes the failed event; bytes that are no UTF-8 appear as replacement characters.
    func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.key("position")
        writer.string(position.description)
        writer.key("received")
        writer.integer(received.milliseconds)
        for (name, text) in [
            ("key", key), ("code", code), ("field", field), ("message", message),
            ("content", String(decoding: content, as: UTF8.self)),
        ] {
            writer.key(name)
            writer.string(text)
        }
        writer.key("bytes")
        writer.integer(Int64(bytes))
        writer.endObject()
    }
}
