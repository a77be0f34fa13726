// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// An event in an installation's journal, with its context.
///
/// The app or its tests read such events back.
///
/// The event's own properties can be read directly: `recorded.name`, `recorded.attributes["total"]`.
@dynamicMemberLookup
public struct RecordedEvent: Sendable, Hashable {
    /// The event.
    public let event: Event
    /// The context in which the event was recorded.
    public let context: JSONValue
    /// The event's sequence number in its writer's journal, starting at 1.
    public let sequence: UInt64
    /// The writer that recorded the event.
    public let writer: WriterID
    /// The destinations to send the event to; all if empty.
    public let route: [DestinationID]

    /// The user that the event belongs to.
    ///
    /// Nil if no user was signed in.
    public var user: String? { context["user"]?["id"]?.string }

    /// Returns the value of a global attribute at recording time, if any.
    public func global(_ key: String) -> JSONValue? { context["global"]?[key] }

    /// A property of the event.
    public subscript<Value>(dynamicMember path: KeyPath<Event, Value>) -> Value { event[keyPath: path] }

    /// Creates a recorded event.
    package init(event: Event, context: JSONValue, sequence: UInt64, writer: WriterID, route: [DestinationID] = []) {
        self.event = event
        self.context = context
        self.sequence = sequence
        self.writer = writer
        self.route = route
    }

    /// The session that the event belongs to, if any.
    public var session: RecordedContext.Session? { RecordedContext(context).session }

    /// The screen that was shown, if any.
    public var screen: RecordedContext.Screen? { RecordedContext(context).screen }
}
