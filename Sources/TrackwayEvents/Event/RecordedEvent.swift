// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// An event as it lies in an installation's journal, with what it was recorded in: read back by the app, or by its tests.
///
/// The event's own properties can be read directly: `recorded.name`, `recorded.attributes["total"]`.
@dynamicMemberLookup
public struct RecordedEvent: Sendable, Hashable {
    /// The event.
    public let event: Event
    /// The context it was recorded in.
    public let context: JSONValue
    /// Its place in its writer's journal, counted from 1.
    public let sequence: UInt64
    /// The writer that recorded it.
    public let writer: WriterID
    /// The destinations it is for; all of them when empty.
    public let route: [DestinationID]

    /// The user the event belongs to; nil when nobody was signed in.
    public var user: String? { context["user"]?["id"]?.string }

    /// A global attribute at the time of recording; nil when there was none of this name.
    public func global(_ key: String) -> JSONValue? { context["global"]?[key] }

    /// A property of the event.
    public subscript<Value>(dynamicMember path: KeyPath<Event, Value>) -> Value { event[keyPath: path] }

    /// An event and what was found around it.
    package init(event: Event, context: JSONValue, sequence: UInt64, writer: WriterID, route: [DestinationID] = []) {
        self.event = event
        self.context = context
        self.sequence = sequence
        self.writer = writer
        self.route = route
    }

    /// The session the event belongs to; nil when there was none.
    public var session: RecordedContext.Session? { RecordedContext(context).session }

    /// The screen that was shown; nil when there was none.
    public var screen: RecordedContext.Screen? { RecordedContext(context).screen }
}
