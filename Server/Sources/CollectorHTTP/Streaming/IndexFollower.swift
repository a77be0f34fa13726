// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import HTTPTypes
internal import ServiceLifecycle
internal import TrackwayCore

/// Calls a closure whenever the index advances, and at intervals.
struct IndexFollower: Sendable {
    /// The reason for a call.
    enum Signal: Sendable {
        /// The follower has started, or the index has advanced.
        case advanced
        /// The interval has passed.
        case tick
    }

    let store: any EventStore
    let interval: Duration
    /// The permission to read, which is checked every ``authorizationCheckInterval``.
    let authorization: ReadAuthorization
    let authorizationCheckInterval: Duration

    /// Calls `visit` repeatedly until it returns false.
    ///
    /// The method also ends when reading is no longer permitted, the caller is canceled, or the server shuts down
    /// gracefully.
    ///
    /// Signals that arrive while `visit` runs are coalesced, so that `visit` always sees the current state.
    ///
    /// - Parameter visit: Returns whether to continue.
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
                // This loop is the only source of ticks; tests pass a short interval.
                while true {
                    try await ContinuousClock().sleep(for: interval)
                    sender.yield(.tick)
                }
            }
            if authorization.canEnd {
                group.addTask { [authorization, authorizationCheckInterval] in
                    while authorization.isValid { try await ContinuousClock().sleep(for: authorizationCheckInterval) }
                    sender.finish()
                }
            }
            try await withGracefulShutdownHandler {
                for await signal in signals {
                    guard authorization.isValid else { return }
                    guard try await visit(signal) else { return }
                }
            } onGracefulShutdown: {
                sender.finish()
            }
        }
    }

    /// Waits for the index to reach a position, but no longer than the interval.
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

extension CollectorDependencies {
    /// Waits until the index has read all records that this collector accepted.
    ///
    /// In a cluster, other collectors accept records, too; the method then returns at once.
    ///
    /// - Throws: ``RequestFailure`` `index_behind` if the index does not get there in time.
    func waitForIndex() async throws {
        guard erasureQueue != nil, let end = await intake.committedEnd().map({ EventPosition($0) }) else { return }
        let follower = IndexFollower(
            store: store,
            interval: configuration.expectationCatchUp,
            authorization: try ReadAuthorization(authorization, header: nil, needsKey: false),
            authorizationCheckInterval: configuration.authorizationCheckInterval
        )
        try await follower.follow(until: end)
        guard store.indexed >= end else {
            throw RequestFailure(
                status: .serviceUnavailable,
                code: .indexBehind,
                message: "\(store.failureReason ?? "The index has not read all accepted data.") Try again.",
                retryAfter: .seconds(1)
            )
        }
    }
}

/// A limited number of slots for live streams, waits, and queries.
final class ConcurrencySlots: Sendable {
    private let used = Locked(0)
    private let limit: Int

    /// Creates free slots.
    ///
    /// - Parameter limit: The number of slots.
    init(limit: Int) {
        self.limit = limit
    }

    /// Takes a slot, atomically with the check that one is free.
    ///
    /// - Throws: ``RequestFailure`` `too_many_followers` if all slots are taken.
    func take() throws(RequestFailure) -> ConcurrencySlot {
        let isFree = used.withLock { used in
            guard used < limit else { return false }
            used += 1
            return true
        }
        guard isFree else {
            throw RequestFailure(
                status: .serviceUnavailable,
                code: .tooManyFollowers,
                message: "\(limit) streams are already open; close one.",
                retryAfter: .seconds(10)
            )
        }
        return ConcurrencySlot(of: self)
    }

    fileprivate func release() { used.withLock { $0 -= 1 } }
}

/// A slot that is freed when the last reference to it is released.
///
/// This also frees the slot of a response whose body was never requested.
final class ConcurrencySlot: Sendable {
    private let slots: ConcurrencySlots

    fileprivate init(of slots: ConcurrencySlots) {
        self.slots = slots
    }

    deinit { slots.release() }
}
