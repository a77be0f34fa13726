// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayEvents

/// An event as it lies in an installation's journal, with what it was recorded in.
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
}
