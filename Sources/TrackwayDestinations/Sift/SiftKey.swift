// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// Attributes by which an event says exactly how it is to be written in this format. They are for a compatibility module that speaks the
/// format's own words; events without them are translated.
package enum SiftKey {
    /// The event's path, a text. An empty one says that there is none; without the attribute it is the screen that was shown.
    package static let path = "_path"
    /// The event's fields, an object of texts. An empty one is sent, too. With it, no other attribute becomes a field, and
    /// the event has no path but one it names.
    package static let fields = "_fields"
    /// Properties of the device in the app's own words, an object of texts.
    package static let deviceProperties = "_device_properties"
    /// Measurements of the client itself, an object of texts.
    package static let metrics = "_metrics"
    /// Whose event it is, a text. An empty one says nobody's; without the attribute it is the context's user.
    package static let user = "_user"
    /// Which installed copy of the app it was, a text; without the attribute it is the one that sends.
    package static let installation = "_installation"
    /// The event's type, a text, where the event's name cannot say it: snapshots have names of their own.
    package static let type = "_type"
    /// True for an event without a type; its name then says nothing.
    package static let untyped = "_untyped"

    /// The name of an event without a type.
    package static let untypedName = "_event"

    /// Whether an attribute of this name says how an event is to be written, and is no content of its own.
    package static func isReserved(_ name: String) -> Bool {
        switch name {
        case path, fields, deviceProperties, metrics, user, installation, type, untyped: true
        default: false
        }
    }
}
