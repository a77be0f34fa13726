// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// Attributes that control how an event is written in this format.
///
/// A compatibility module that uses the format's own vocabulary sets them; events without them are translated.
package enum SiftKey {
    /// The event's path, a string; empty for none.
    ///
    /// The default is the screen that was shown.
    package static let path = "_path"
    /// The event's fields, an object of strings.
    ///
    /// An empty object is sent, too. If this attribute is present, no other attribute becomes a field, and the event
    /// has a path only if it specifies one.
    package static let fields = "_fields"
    /// The app's own device properties, an object of strings.
    package static let deviceProperties = "_device_properties"
    /// The client's metrics, an object of strings.
    package static let metrics = "_metrics"
    /// The event's user, a string; empty for none.
    ///
    /// The default is the context's user.
    package static let user = "_user"
    /// The id of the installed copy of the app, a string.
    ///
    /// The default is the installation that sends the event.
    package static let installation = "_installation"
    /// The event's type, a string, if the event's name cannot express it.
    ///
    /// Snapshots have their own names.
    package static let type = "_type"
    /// True for an event that has no type and whose name has no meaning.
    package static let untyped = "_untyped"

    /// The name of an event that has no type.
    package static let untypedName = "_event"

    /// Whether an attribute only controls encoding, and is not content.
    package static func isReserved(_ name: String) -> Bool {
        switch name {
        case path, fields, deviceProperties, metrics, user, installation, type, untyped: true
        default: false
        }
    }
}
