// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorTesting
internal import TrackwayCore

@testable internal import CollectorJetStream

/// Three servers with a stream, in virtual time. Requests and answers arrive after a delay, or never.
@available(macOS 15, *)
final class SimulatedCluster: Sendable {
    private struct State: Sendable {
        var log = ReplicatedLog()
        var random: SeededNumberGenerator
        var clients: [SimulatedClient] = []
        /// The callers that wait for a record to be stored.
        var waiters: [(position: Int, answer: @Sendable (Int) -> Void)] = []
        var losesAnswers = false
        var isSlow = false
        var isFinished = false
    }

    let time: VirtualTime
    private let state: Locked<State>

    init(_ time: VirtualTime, seed: UInt64) {
        self.time = time
        state = Locked(State(random: SeededNumberGenerator(seed: seed)))
        tick()
    }

    func end() { state.withLock { $0.isFinished = true } }

    /// The current stream.
    var log: ReplicatedLog { state.withLock { $0.log } }

    private func tick() {
        time.after(.milliseconds(50)) { [weak self] in
            guard let self else { return }
            let now = time.now
            let answers = state.withLock { state -> [(Int, @Sendable (Int) -> Void)] in
                var random = state.random
                let (stored, isTruncated) = state.log.advance(now) { .milliseconds(random.number(500...6_000)) }
                state.random = random
                if isTruncated { state.waiters.removeAll { $0.position >= state.log.records.count } }
                let ready = state.waiters.filter { stored.contains($0.position) }
                state.waiters.removeAll { stored.contains($0.position) }
                return ready.map { ($0.position, $0.answer) }
            }
            for (position, answer) in answers { answer(position) }
            if !state.withLock({ $0.isFinished }) { tick() }
        }
    }

    // MARK: Clients

    func client() -> SimulatedClient {
        let client = SimulatedClient(self)
        state.withLock { $0.clients.append(client) }
        client.connect()
        return client
    }

    /// A server that accepts a connection; nil if no server does.
    func randomServer(except previous: Int?) -> Int? {
        state.withLock { state in
            // A paused server also accepts, and stays silent until the greeting times out.
            var servers = state.log.servers.indices.filter { state.log.isResponsive($0) }
            if servers.count > 1, let previous { servers.removeAll { $0 == previous } }
            return servers.randomElement(using: &state.random)
        }
    }

    /// The travel time of the next message; nil if it is lost.
    func transitTime(isAnswer: Bool) -> Duration? {
        state.withLock { state in
            if state.losesAnswers, isAnswer, state.random.oneIn(10) { return nil }
            return .microseconds(state.random.number(100...(state.isSlow ? 900_000 : 4_000)))
        }
    }

    func number(_ range: ClosedRange<Int>) -> Int { state.withLock { $0.random.number(range) } }

    /// Handles a record's arrival at a server.
    func receive(
        _ id: String,
        _ body: [UInt8],
        at server: Int,
        stored: @escaping @Sendable (Int) -> Void
    ) -> ReplicatedLog.Arrival {
        let now = time.now
        return state.withLock { state in
            let arrival = state.log.receive(id, body, at: server, now: now)
            if case .pending(let position) = arrival { state.waiters.append((position, stored)) }
            return arrival
        }
    }

    // MARK: Faults

    func change(_ change: @Sendable (inout ReplicatedLog) -> Void) { state.withLock { change(&$0.log) } }

    func kill(_ server: Int) {
        let now = time.now
        let clients = state.withLock { state in
            var random = state.random
            state.log.stop(server, now) { .milliseconds(random.number(500...6_000)) }
            state.random = random
            return state.clients
        }
        for client in clients { client.serverLost(server) }
    }

    /// Restarts a server, with its disk's contents unless `wiped`.
    func start(_ server: Int, syncsAlways: Bool = true, wiped: Bool = false) {
        let now = time.now
        change { log in
            log.servers[server].isUp = true
            log.servers[server].syncsAlways = syncsAlways
            log.servers[server].unsyncedSince = syncsAlways ? nil : now
            if wiped { log.servers[server].recordCount = 0 }
        }
    }

    func setNetwork(losesAnswers: Bool, isSlow: Bool) {
        state.withLock { state in
            state.losesAnswers = losesAnswers
            state.isSlow = isSlow
        }
    }
}
