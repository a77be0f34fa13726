// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
internal import HTTPTypes
internal import ServiceLifecycle
internal import TrackwayEvents

/// Looks at the index again and again: when it has advanced, and when time has passed.
struct IndexFollower: Sendable {
    /// Why to look.
    enum Signal: Sendable {
        /// At the beginning, and whenever the index has advanced.
        case advanced
        /// The interval has passed.
        case tick
    }

    let store: any EventStore
    let interval: Duration
    /// Whether the follower may still see anything, and how often that is asked.
    let pass: ReadPass
    let passInterval: Duration

    /// Calls `visit` until it says stop, the pass is in force no more, the caller is cancelled, or the server shuts down
    /// gracefully.
    ///
    /// Signals that come while `visit` runs are coalesced: it always looks at the present state.
    ///
    /// - Parameter visit: Returns whether to go on.
    @concurrent
    func follow(_ visit: @concurrent (Signal) async throws -> Bool) async throws {
        let (signals, sender) = AsyncStream.makeStream(of: Signal.self, bufferingPolicy: .bufferingNewest(2))
        try await withThrowingTaskGroup(of: Void.self) { group in
            defer { group.cancelAll() }
            group.addTask { [store] in
                for await _ in store.progress() { sender.yield(.advanced) }
                sender.finish()
            }
            group.addTask { [interval] in
                // The one clock of a stream; a test hands in a short interval.
                while true {
                    try await ContinuousClock().sleep(for: interval)
                    sender.yield(.tick)
                }
            }
            if pass.canEnd {
                group.addTask { [pass, passInterval] in
                    while pass.isInForce { try await ContinuousClock().sleep(for: passInterval) }
                    sender.finish()
                }
            }
            try await withGracefulShutdownHandler {
                for await signal in signals {
                    guard pass.isInForce else { return }
                    guard try await visit(signal) else { return }
                }
            } onGracefulShutdown: {
                sender.finish()
            }
        }
    }

    /// Waits until the index has come to a place, for the interval at most.
    func follow(until position: EventPosition) async throws {
        guard store.indexed < position else { return }
        try await follow { [store] signal in
            switch signal {
            case .advanced: store.indexed < position
            case .tick: false
            }
        }
    }
}

/// The places for live streams and waits: so many, and each is taken by one.
final class FollowerSlots: Sendable {
    private let taken = Locked(0)
    private let limit: Int

    /// - Parameter limit: How many there are.
    init(limit: Int) {
        self.limit = limit
    }

    /// Takes a place, in one step with looking whether there is one.
    ///
    /// - Throws: ``RequestFailure`` `too_many_followers` when all are taken.
    func take() throws(RequestFailure) -> FollowerSlot {
        let isFree = taken.withLock { taken in
            guard taken < limit else { return false }
            taken += 1
            return true
        }
        guard isFree else {
            throw RequestFailure(
                status: .serviceUnavailable,
                code: "too_many_followers",
                message: "\(limit) streams are open already; close one.",
                retryAfter: .seconds(10)
            )
        }
        return FollowerSlot(of: self)
    }

    fileprivate func leave() { taken.withLock { $0 -= 1 } }
}

/// A place among the followers, until the last reference to it goes: also that of a body that was never asked for.
final class FollowerSlot: Sendable {
    private let slots: FollowerSlots

    fileprivate init(of slots: FollowerSlots) {
        self.slots = slots
    }

    deinit { slots.leave() }
}
