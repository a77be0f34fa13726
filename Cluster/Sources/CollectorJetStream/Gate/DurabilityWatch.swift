// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents

/// Checks a stream's durability repeatedly: initially, after reconnecting, and every ten seconds.
///
/// Checks more often while a server is gone or the result is not proven. Safe from any thread.
package final class DurabilityWatch: Sendable {
    private let engine: any NATSRequesting
    private let look: DurabilityCheck
    private let sleep: @Sendable (Duration) async -> Void
    private let floor: @Sendable () -> UInt64
    private let told: @Sendable (StreamFacts, UInt64) -> Void
    private let notice: @Sendable (String) -> Void
    private let relief: @Sendable (String) -> Void
    private let looked: @Sendable () -> Void
    private let state = Locked(State())

    private struct State: Sendable {
        var durability = DurabilityState()
        /// The state that was last reported.
        var said: DurabilityState.Standing?
        /// Ends the wait for the next check.
        var wake: AsyncStream<Void>.Continuation?
        /// Whether the connection has changed since the last check began.
        var isDue = false
        var latest: ClusterFacts?
        /// The stream's facts from the last check; nil if it got none.
        var facts: StreamFacts?
        /// The servers' reports from the last check.
        var reports: [MemberReport] = []
    }

    /// Creates a watch that starts with ``run()``.
    ///
    /// - Parameters:
    ///   - engine: The client whose connection the proof is for.
    ///   - look: The check to run.
    ///   - sleep: Waits; returns early when canceled.
    ///   - floor: Returns the known end of the stream; called before each check.
    ///   - told: Called with the stream's facts, and with the known end from before the check.
    ///   - notice: Called with one sentence for each change for the worse. Must return immediately.
    ///   - relief: Called instead for each change for the better; nil to call `notice`.
    ///   - looked: Called after each check. Must return immediately.
    package init(
        _ engine: any NATSRequesting,
        look: DurabilityCheck,
        sleep: @escaping @Sendable (Duration) async -> Void,
        floor: @escaping @Sendable () -> UInt64 = { 0 },
        told: @escaping @Sendable (StreamFacts, UInt64) -> Void = { _, _ in },
        notice: @escaping @Sendable (String) -> Void = { _ in },
        relief: (@Sendable (String) -> Void)? = nil,
        looked: @escaping @Sendable () -> Void = {}
    ) {
        self.engine = engine
        self.look = look
        self.sleep = sleep
        self.floor = floor
        self.told = told
        self.notice = notice
        self.relief = relief ?? notice
        self.looked = looked
    }

    /// Whether records may be published now and their acknowledgements trusted.
    package var standing: DurabilityState.Standing {
        let connection = engine.connection?.number
        return state.withLock { $0.durability.standing(on: connection) }
    }

    /// The latest facts from NATS; nil before the first.
    package var latest: ClusterFacts? { state.withLock { $0.latest } }

    /// The facts from the last check; nil before the first facts.
    ///
    /// If that check got none about the stream, the known members with their current reports.
    package var current: ClusterFacts? {
        state.withLock { state in
            if let facts = state.facts { return ClusterFacts(stream: facts, reports: state.reports) }
            guard var stream = state.latest?.stream else { return nil }
            stream.replicas = stream.members.map { StreamFacts.Replica(name: $0) }
            stream.leader = nil
            return ClusterFacts(stream: stream, reports: state.reports)
        }
    }

    /// Whether the leader last reported the stream as closed, without a successor.
    package var isClosed: Bool { state.withLock { $0.durability.isClosed } }

    /// Checks immediately, because the connection was replaced or lost.
    package func connectionChanged() {
        let wake = state.withLock { state in
            state.isDue = true
            return state.wake
        }
        wake?.yield()
    }

    /// Checks until the task is canceled. Call only once at a time.
    package func run() async {
        while !Task.isCancelled {
            state.withLock { $0.isDue = false }
            await checkOnce()
            let pause = state.withLock { $0.durability.pause }
            let (changes, wake) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
            let isDue = state.withLock { state in
                state.wake = wake
                return state.isDue
            }
            if isDue { continue }
            await withTaskGroup(of: Void.self) { [sleep] group in
                group.addTask { await sleep(pause) }
                group.addTask { for await _ in changes { break } }
                await group.next()
                group.cancelAll()
            }
        }
    }

    /// Runs one check.
    package func checkOnce() async {
        let connection = engine.connection?.number
        let asked = self.look.connections
        let floor = floor()
        let (look, facts, reports) = await look.run(members: state.withLock { $0.latest?.stream.members ?? [] })
        if let facts { told(facts, floor) }
        state.withLock { state in
            state.facts = facts
            state.reports = reports
            if let facts { state.latest = ClusterFacts(stream: facts, reports: reports) }
        }
        let current = engine.connection?.number
        let (isInVain, news) = state.withLock { state -> (Bool, DurabilityState.Standing?) in
            let isInVain = state.durability.looked(look, on: connection)
            let standing = state.durability.standing(on: current)
            // A briefly unknown state is not reported; if it persists, readiness reports it.
            if case .unknown = standing { return (isInVain, nil) }
            defer { state.said = standing }
            return (isInVain, standing == state.said ? nil : standing)
        }
        if isInVain { self.look.leave(asked) }
        switch news {
        case .proven: relief("The NATS cluster is proven durable.")
        case .unproven(let faults): for fault in faults { notice(fault.description) }
        case .unknown, nil: break
        }
        looked()
    }
}

/// NATS's report on a stream and those of the servers with copies.
package struct ClusterFacts: Sendable, Hashable {
    /// The stream.
    package var stream: StreamFacts
    /// The servers' reports on themselves; silent servers are missing.
    package var reports: [MemberReport]

    /// Creates the facts from both reports.
    package init(stream: StreamFacts, reports: [MemberReport]) {
        self.stream = stream
        self.reports = reports
    }
}
