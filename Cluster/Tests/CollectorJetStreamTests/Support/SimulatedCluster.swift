// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorTesting
internal import TrackwayEvents

@testable internal import CollectorJetStream

/// Three servers with a stream, in virtual time. Requests and answers arrive after a delay, or never.
@available(macOS 15, *)
final class SimulatedCluster: Sendable {
    private struct State: Sendable {
        var log = ReplicatedLog()
        var chance: SeededChance
        var clients: [SimulatedClient] = []
        /// The callers that wait for a record to be stored.
        var waiting: [(place: Int, answer: @Sendable (Int) -> Void)] = []
        var losesAnswers = false
        var isSlow = false
        var isOver = false
    }

    let time: VirtualTime
    private let state: Locked<State>

    init(_ time: VirtualTime, seed: UInt64) {
        self.time = time
        state = Locked(State(chance: SeededChance(seed: seed)))
        tick()
    }

    func end() { state.withLock { $0.isOver = true } }

    /// The current stream.
    var log: ReplicatedLog { state.withLock { $0.log } }

    private func tick() {
        time.after(.milliseconds(50)) { [weak self] in
            guard let self else { return }
            let now = time.now
            let answers = state.withLock { state -> [(Int, @Sendable (Int) -> Void)] in
                var chance = state.chance
                let (stored, isCut) = state.log.pass(now) { .milliseconds(chance.number(500...6_000)) }
                state.chance = chance
                if isCut { state.waiting.removeAll { $0.place >= state.log.records.count } }
                let ready = state.waiting.filter { stored.contains($0.place) }
                state.waiting.removeAll { stored.contains($0.place) }
                return ready.map { ($0.place, $0.answer) }
            }
            for (place, answer) in answers { answer(place) }
            if !state.withLock({ $0.isOver }) { tick() }
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
    func anyServer(but left: Int?) -> Int? {
        state.withLock { state in
            // A paused server also accepts, and stays silent until the greeting times out.
            var servers = state.log.servers.indices.filter { state.log.works($0) }
            if servers.count > 1, let left { servers.removeAll { $0 == left } }
            return servers.randomElement(using: &state.chance)
        }
    }

    /// The travel time of the next message; nil if it is lost.
    func travel(isAnswer: Bool) -> Duration? {
        state.withLock { state in
            if state.losesAnswers, isAnswer, state.chance.chance(10) { return nil }
            return .microseconds(state.chance.number(100...(state.isSlow ? 900_000 : 4_000)))
        }
    }

    func number(_ range: ClosedRange<Int>) -> Int { state.withLock { $0.chance.number(range) } }

    /// Handles a record's arrival at a server.
    func arrives(
        _ id: String,
        _ body: [UInt8],
        at server: Int,
        stored: @escaping @Sendable (Int) -> Void
    ) -> ReplicatedLog.Arrival {
        let now = time.now
        return state.withLock { state in
            let arrival = state.log.arrives(id, body, at: server, now: now)
            if case .waits(let place) = arrival { state.waiting.append((place, stored)) }
            return arrival
        }
    }

    // MARK: Faults

    func change(_ change: @Sendable (inout ReplicatedLog) -> Void) { state.withLock { change(&$0.log) } }

    func kill(_ server: Int) {
        let now = time.now
        let clients = state.withLock { state in
            var chance = state.chance
            state.log.dies(server, now) { .milliseconds(chance.number(500...6_000)) }
            state.chance = chance
            return state.clients
        }
        for client in clients { client.lost(server) }
    }

    /// Restarts a server, with its disk unless `wiped`.
    func start(_ server: Int, syncsAlways: Bool = true, wiped: Bool = false) {
        let now = time.now
        change { log in
            log.servers[server].isUp = true
            log.servers[server].syncsAlways = syncsAlways
            log.servers[server].lazySince = syncsAlways ? nil : now
            if wiped { log.servers[server].held = 0 }
        }
    }

    func setNetwork(losesAnswers: Bool, isSlow: Bool) {
        state.withLock { state in
            state.losesAnswers = losesAnswers
            state.isSlow = isSlow
        }
    }
}
