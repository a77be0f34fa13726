// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents

/// An event of another format in our own terms.
struct VendorEvent: Sendable, Hashable {
    /// The installation it comes from; nil when the client tells none, as servers do.
    var installation: InstallationID?
    /// The context it holds in.
    var context = RecordedContext()
    /// Its id: the client's own, or one made from what tells the event apart.
    var id: EventID
    /// Its name in the captured vocabulary.
    var name: String
    /// When it happened.
    var time: Timestamp
    /// Its attributes, without those the context holds.
    var attributes = JSONValue.Object()
    /// Its items in the canonical form.
    var items: [JSONValue] = []

    /// The canonical line.
    var line: [UInt8] {
        JSONWriter.withThreadBuffer { writer in
            writer.beginObject()
            writer.key("id")
            writer.id(id)
            writer.key("name")
            writer.string(name)
            writer.key("time")
            writer.integer(time.milliseconds)
            if !attributes.members.isEmpty {
                writer.key("attributes")
                JSONValue.object(attributes).write(into: &writer)
            }
            if !items.isEmpty {
                writer.key("items")
                JSONValue.array(items).write(into: &writer)
            }
            writer.endObject()
            return writer.array()
        }
    }
}
