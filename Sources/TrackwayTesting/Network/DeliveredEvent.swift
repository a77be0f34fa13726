// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayEvents

/// An event that arrived at a ``ScriptedTransport``'s back-end in Trackway's own format.
public struct DeliveredEvent: Sendable, Hashable {
    /// The event.
    public let event: Event
    /// The context it was recorded in.
    public let context: JSONValue
    /// Where the request went.
    public let url: String

    /// The user the event belongs to; nil when nobody was signed in.
    public var user: String? { context["user"]?["id"]?.string }
}
