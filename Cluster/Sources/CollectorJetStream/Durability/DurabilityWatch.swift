// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore

/// Checks a stream's durability repeatedly: initially, after reconnecting, and every ten seconds.
///
/// Checks more often while a server is gone or the result is not proven. Safe from any thread.
package final class DurabilityWatch: Sendable {
    private let engine: any NATSRequesting
    private let check: DurabilityCheck
    private let sleep: @Sendable (Duration) async -> Void
    private let knownEnd: @Sendable () -> UInt64
    private let onFacts: @Sendable (StreamFacts, UInt64) -> Void
    private let onWarning: @Sendable (String) -> Void
    private let onRecovery: @Sendable (String) -> Void
    private let onCheck: @Sendable () -> Void
    private let state = Locked(State())

    private struct State: Sendable {
        var durability = DurabilityState()
        /// The last reported status.
        var lastReported: DurabilityState.Status?
        /// The continuation that starts the next check early.
        var wake: AsyncStream<Void>.Continuation?
        /// Whether the connection has changed since the last check began.
        var isDue = false
        var latest: ClusterFacts?
        /// The stream's facts from the last check; nil if that check got none.
        var facts: StreamFacts?
        /// The servers' reports from the last check.
        var reports: [MemberReport] = []
    }

    /// Creates a watch that starts once ``run()`` is called.
    ///
    /// - Parameters:
    ///   - engine: The client whose connection must be proven.
    ///   - check: The check to run.
    ///   - sleep: Waits; returns early when canceled.
    ///   - knownEnd: Returns the known end of the stream; called before each check.
    ///   - onFacts: Called with the stream's facts, and with the end that was known before the check.
    ///   - onWarning: Called with one sentence for each fault when the status worsens. Must return immediately.
    ///   - onRecovery: Called with one sentence each time the status improves; nil to call `onWarning` instead.
    ///   - onCheck: Called after each check. Must return immediately.
    package init(
        _ engine: any NATSRequesting,
        check: DurabilityCheck,
        sleep: @escaping @Sendable (Duration) async -> Void,
        knownEnd: @escaping @Sendable () -> UInt64 = { 0 },
        onFacts: @escaping @Sendable (StreamFacts, UInt64) -> Void = { _, _ in },
        onWarning: @escaping @Sendable (String) -> Void = { _ in },
        onRecovery: (@Sendable (String) -> Void)? = nil,
        onCheck: @escaping @Sendable () -> Void = {}
    ) {
        self.engine = engine
        self.check = check
        self.sleep = sleep
        self.knownEnd = knownEnd
        self.onFacts = onFacts
        self.onWarning = onWarning
        self.onRecovery = onRecovery ?? onWarning
        self.onCheck = onCheck
    }

    /// Whether records may currently be published and their acknowledgements trusted.
    package var status: DurabilityState.Status {
        let connection = engine.connection?.number
        return state.withLock { $0.durability.status(on: connection) }
    }

    /// The latest facts from NATS; nil before the first facts.
    package var latest: ClusterFacts? { state.withLock { $0.latest } }

    /// The facts from the last check; nil before the first facts.
    ///
    /// If the last check got no facts about the stream, contains the known members with their current reports.
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

    /// Runs checks until the task is canceled. Only one call may run at a time.
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
        let connections = check.connections
        let knownEnd = knownEnd()
        let (result, facts, reports) = await check.run(members: state.withLock { $0.latest?.stream.members ?? [] })
        if let facts { onFacts(facts, knownEnd) }
        state.withLock { state in
            state.facts = facts
            state.reports = reports
            if let facts { state.latest = ClusterFacts(stream: facts, reports: reports) }
        }
        let current = engine.connection?.number
        let (shouldSwitchServer, change) = state.withLock { state -> (Bool, DurabilityState.Status?) in
            let shouldSwitchServer = state.durability.checkFinished(with: result, on: connection)
            let status = state.durability.status(on: current)
            // An unknown status is not reported here, because it is often brief; readiness reports it.
            if case .unknown = status { return (shouldSwitchServer, nil) }
            defer { state.lastReported = status }
            return (shouldSwitchServer, status == state.lastReported ? nil : status)
        }
        if shouldSwitchServer { check.dropConnections(connections) }
        switch change {
        case .proven: onRecovery("The NATS cluster is proven durable.")
        case .unproven(let faults): for fault in faults { onWarning(fault.description) }
        case .unknown, nil: break
        }
        onCheck()
    }
}

/// NATS's report on a stream, and the reports of its servers.
package struct ClusterFacts: Sendable, Hashable {
    /// The report on the stream.
    package var stream: StreamFacts
    /// The servers' reports on themselves; servers that did not answer are missing.
    package var reports: [MemberReport]

    /// Creates the facts from NATS's report and the servers' reports.
    package init(stream: StreamFacts, reports: [MemberReport]) {
        self.stream = stream
        self.reports = reports
    }
}
