// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayEvents

/// Sees the events that the app records before they are recorded, and may change or drop them.
///
/// ```swift
/// configuration.interceptors = [
///     Interceptor("no e-mail in searches") { event in
///         event.attributes["email"] = nil
///         return .keep
///     }
/// ]
/// ```
/// It is called on the thread that records, with no lock held, in the order of ``Configuration/interceptors``; each sees
/// what those before it left. Events of several threads may come at the same time. As long as it takes, its caller waits.
///
/// It sees what is recorded by a call: `record`, typed and durable events, ended timers, and the events of compatibility
/// modules, with dynamic attributes. It does not see what the SDK records itself (starts, sessions, screens, snapshots),
/// what is said about people and things, or an erasing; ``DestinationConfiguration/rules`` and `CaptureOptions` are for those. An
/// event that may not be recorded is not shown either.
///
/// It may call the SDK. What it records is shown to the other interceptors, and not to itself (`Documentation/Callbacks.md`).
public struct Interceptor: Sendable {
    /// What becomes of an event.
    public enum Decision: String, Sendable, Hashable, CaseIterable {
        /// It is recorded as the interceptor leaves it, within the limits of events.
        case keep
        /// It is not recorded. It is counted in `Ledger.intercepted`, and its receipt says `DropReason.intercepted`.
        case drop
    }

    /// What dropped events are counted under; at most 128 bytes, the rest is cut.
    public let name: String
    private let body: @Sendable (inout InterceptedEvent) -> Decision

    /// An interceptor.
    ///
    /// - Parameters:
    ///   - name: what dropped events are counted under; several interceptors of one name are counted together.
    ///   - body: sees each event, may change it, and decides about it.
    public init(_ name: String, _ body: @escaping @Sendable (inout InterceptedEvent) -> Decision) {
        self.name = name.isEmpty ? "unnamed" : name.cut(toBytes: Diagnostic.maximumValueBytes)
        self.body = body
    }

    /// Shows it an event.
    public func intercept(_ event: inout InterceptedEvent) -> Decision {
        body(&event)
    }
}

/// An event that is about to be recorded.
public struct InterceptedEvent: Sendable, Hashable {
    /// What happened. An empty name, and one that begins with `_`, are not taken: the event keeps the name it had. So does an
    /// event whose name begins with `_`.
    public var name: String
    /// What is worth knowing about it, dynamic attributes included. Global attributes are not here: they are stored once for
    /// many events.
    public var attributes: Attributes
    /// What it is about.
    public var items: [Item]
    /// The ids of the destinations that shall have it; all of them when empty.
    public let route: Route

    /// An event of these parts.
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
