// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents

/// Looks at the engine again and again: at the start, after every new connection, and every ten seconds. Safe from any thread.
package final class DurabilityWatch: Sendable {
    private let engine: any StreamEngine
    private let look: DurabilityLook
    private let sleep: @Sendable (Duration) async -> Void
    private let floor: @Sendable () -> UInt64
    private let told: @Sendable (StreamFacts, UInt64) -> Void
    private let notice: @Sendable (String) -> Void
    private let relief: @Sendable (String) -> Void
    private let looked: @Sendable () -> Void
    private let state = Locked(State())

    private struct State: Sendable {
        var durability = DurabilityState()
        /// What was said last.
        var said: DurabilityState.Standing?
        /// Ends the wait for the next look.
        var wake: AsyncStream<Void>.Continuation?
        /// The connection has changed since the last look began.
        var isDue = false
        var latest: EngineFacts?
        /// What the last look told of the stream; nil when it told nothing.
        var facts: StreamFacts?
        /// What servers said of themselves at the last look.
        var reports: [MemberReport] = []
    }

    /// A watch that looks once ``run()`` is called.
    ///
    /// - Parameters:
    ///   - engine: Whose connection counts.
    ///   - look: What it does each time.
    ///   - sleep: Waits; ends early when it is cancelled.
    ///   - floor: How far the stream is known to have come; called before the engine is asked.
    ///   - told: Called with what the engine tells of the stream, and with the floor as it was before.
    ///   - notice: Called with one sentence each when something has changed for the worse. It must return at once.
    ///   - relief: Called in its place when something has changed for the better; nil for `notice`.
    ///   - looked: Called after each look. It must return at once.
    package init(
        _ engine: any StreamEngine,
        look: DurabilityLook,
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

    /// Whether records may be published now, and their acknowledgements believed.
    package var standing: DurabilityState.Standing {
        let connection = engine.connection?.number
        return state.withLock { $0.durability.standing(on: connection) }
    }

    /// What the engine told last; nil before it told anything.
    package var latest: EngineFacts? { state.withLock { $0.latest } }

    /// What the engine told at the last look. When it told nothing of the stream, the servers that keep it, and what these said; nil before
    /// it told anything.
    package var current: EngineFacts? {
        state.withLock { state in
            if let facts = state.facts { return EngineFacts(stream: facts, reports: state.reports) }
            guard var stream = state.latest?.stream else { return nil }
            stream.replicas = stream.members.map { StreamFacts.Replica(name: $0) }
            stream.leader = nil
            return EngineFacts(stream: stream, reports: state.reports)
        }
    }

    /// Whether the leader last reported the stream as closed while no others took its records.
    package var isClosed: Bool { state.withLock { $0.durability.isClosed } }

    /// The engine's connection is another, or gone: looks at once.
    package func connectionChanged() {
        let wake = state.withLock { state in
            state.isDue = true
            return state.wake
        }
        wake?.yield()
    }

    /// Looks until the task is cancelled. Only one call at a time.
    package func run() async {
        while !Task.isCancelled {
            state.withLock { $0.isDue = false }
            await lookOnce()
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

    /// Looks once.
    package func lookOnce() async {
        let connection = engine.connection?.number
        let asked = self.look.connections
        let floor = floor()
        let (look, facts, reports) = await look.run(members: state.withLock { $0.latest?.stream.members ?? [] })
        if let facts { told(facts, floor) }
        state.withLock { state in
            state.facts = facts
            state.reports = reports
            if let facts { state.latest = EngineFacts(stream: facts, reports: reports) }
        }
        let current = engine.connection?.number
        let (isInVain, news) = state.withLock { state -> (Bool, DurabilityState.Standing?) in
            let isInVain = state.durability.looked(look, on: connection)
            let standing = state.durability.standing(on: current)
            // That nothing is known for a moment is no news; that it stays so is told by readiness.
            if case .unknown = standing { return (isInVain, nil) }
            defer { state.said = standing }
            return (isInVain, standing == state.said ? nil : standing)
        }
        if isInVain { self.look.leave(asked) }
        switch news {
        case .proven: relief("The engine's durability is proven.")
        case .unproven(let faults): for fault in faults { notice(fault.description) }
        case .unknown, nil: break
        }
        looked()
    }
}

/// What an engine tells of a stream and the servers that keep it.
package struct EngineFacts: Sendable, Hashable {
    /// The stream.
    package var stream: StreamFacts
    /// What its servers say of themselves; those that are silent are missing.
    package var reports: [MemberReport]

    /// What was told.
    package init(stream: StreamFacts, reports: [MemberReport]) {
        self.stream = stream
        self.reports = reports
    }
}
