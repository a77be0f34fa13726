// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayCore

/// A closure that may change or drop an event before recording.
///
/// ```swift
/// configuration.interceptors = [
///     Interceptor("no e-mail in searches") { event in
///         event.attributes["email"] = nil
///         return .keep
///     }
/// ]
/// ```
/// The closure runs on the recording thread, with no lock held, and the caller of `record` waits for it. Interceptors
/// run in the order of ``Configuration/interceptors``, and each interceptor sees the event as the previous ones left
/// it. Several threads may call the closure at the same time.
///
/// An interceptor sees events that are recorded by a call: `record`, typed and durable events, ended timers, and events
/// of compatibility modules, including attributes of ``Analytics/setGlobalAttributesProvider(_:)``. It does not see
/// events that the SDK itself records (starts, sessions, screens, snapshots), user attributes, groups or an erasure;
/// ``DestinationConfiguration/rules`` and `CaptureOptions` apply to those. Nor does it see events that are not allowed
/// to be recorded.
///
/// An interceptor may call the SDK. Events that it records are shown to the other interceptors, but not to the
/// interceptor itself (`Documentation/Callbacks.md`).
public struct Interceptor: Sendable {
    /// The decision about an event.
    public enum Decision: Sendable, Hashable, CaseIterable {
        /// The event is recorded as the interceptor left it.
        ///
        /// The event limits apply.
        case keep
        /// The event is not recorded.
        ///
        /// The event is counted in `Ledger.intercepted`, and its receipt has the reason `DropReason.intercepted`.
        case drop
    }

    /// The name under which dropped events are counted.
    ///
    /// Names longer than 128 bytes are truncated.
    public let name: String
    /// Whether the interceptor sees events about people and items, too, unlike those of the app.
    var seesPeople = false
    private let body: @Sendable (inout InterceptedEvent) -> Decision

    /// Creates an interceptor.
    ///
    /// - Parameters:
    ///   - name: The name under which dropped events are counted. Interceptors with the same name are counted together.
    ///   - body: A closure that receives each event, may change it, and decides whether it is recorded.
    public init(_ name: String, _ body: @escaping @Sendable (inout InterceptedEvent) -> Decision) {
        self.name = name.isEmpty ? "unnamed" : name.truncated(toUTF8Count: Diagnostic.maximumValueBytes)
        self.body = body
    }

    /// Calls the closure with an event.
    public func intercept(_ event: inout InterceptedEvent) -> Decision {
        body(&event)
    }
}

/// An event that is about to be recorded.
public struct InterceptedEvent: Sendable, Hashable {
    /// The event's name.
    ///
    /// An empty name, or one that begins with `_`, is not accepted: the event keeps its name. An event whose name
    /// begins with `_` cannot be renamed.
    public var name: String
    /// The event's attributes.
    ///
    /// Attributes of ``Analytics/setGlobalAttributesProvider(_:)`` are included. Global attributes are not, because
    /// they are stored once for many events.
    public var attributes: Attributes
    /// The items that the event is about.
    public var items: [Item]
    /// The destinations that receive the event.
    public let route: Route

    /// Creates an event for tests of interceptors.
    public init(
        _ name: String,
        _ attributes: Attributes = [:],
        items: [Item] = [],
        to route: Route = .all
    ) {
        self.name = name
        self.attributes = attributes
        self.items = items
        self.route = route
    }
}
