// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents

/// Attributes that a closure of the app adds to each event as it is recorded.
final class DynamicAttributes: Sendable {
    /// What the closure looks like.
    typealias Provider = @Sendable () -> Attributes

    /// Whose closures are running further up the stack, so that one that records does not begin again without end.
    @TaskLocal private static var running: Set<ObjectIdentifier> = []

    /// The closure stands in a struct: a bare one in a generic place is wrapped once more with every access.
    private struct Named: Sendable {
        var provider: Provider?
    }

    private let named = Locked(Named())

    /// The app named another closure, or none.
    func replace(_ provider: Provider?) {
        named.withLock { $0.provider = provider }
    }

    /// Whether there is a closure.
    var isSet: Bool { named.withLock { $0.provider != nil } }

    /// What the closure says now, on the calling thread, which must hold no lock. Nothing for events that the closure
    /// itself records.
    func current() -> Attributes {
        guard let provider = named.withLock({ $0.provider }) else { return [:] }
        let me = ObjectIdentifier(self)
        let running = Self.running
        guard !running.contains(me) else { return [:] }
        return Self.$running.withValue(running.union([me])) { provider() }
    }
}
