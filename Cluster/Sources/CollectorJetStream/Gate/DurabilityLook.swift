// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayEvents

/// One look at a stream and its servers: asks all that the gate wants to know.
package struct DurabilityLook: Sendable {
    /// How long what may take.
    struct Times: Sendable, Hashable {
        /// Until the stream's leader tells about it. Without a leader nobody does.
        var stream: Duration = .seconds(1)
        /// Until all servers have told about themselves.
        var servers: Duration = .milliseconds(500)
        /// So often they are asked: at first, questions do not reach all of them.
        var attempts = 4
        /// Until one has told about itself that the others do not hear.
        var gone: Duration = .milliseconds(100)
        /// Until servers have told whether they store anything, where the stream has no leader.
        var leaderless: Duration = .milliseconds(250)
    }

    /// The answers of so many servers are looked at.
    private static let maxServers = 64

    private let engine: any StreamEngine
    private let system: any StreamEngine
    private let stream: String
    private let demands: @Sendable () -> DurabilityGate.Demands
    private let times: Times
    private let clock: (any EventClock)?

    /// A look at a stream.
    ///
    /// - Parameters:
    ///   - engine: Knows the stream.
    ///   - system: May ask the servers about themselves; the same as `engine` where that may.
    ///   - stream: The stream's name.
    ///   - clock: This machine's clock, which is compared with those of the servers; nil for no comparison.
    ///   - demands: What is asked of it; called for each look.
    package init(
        _ engine: any StreamEngine,
        system: any StreamEngine,
        stream: String,
        clock: (any EventClock)? = nil,
        demands: @escaping @Sendable () -> DurabilityGate.Demands = { DurabilityGate.Demands() }
    ) {
        self.init(engine, system: system, stream: stream, clock: clock, demands: demands, times: Times())
    }

    init(
        _ engine: any StreamEngine,
        system: any StreamEngine,
        stream: String,
        clock: (any EventClock)? = nil,
        demands: @escaping @Sendable () -> DurabilityGate.Demands,
        times: Times
    ) {
        self.engine = engine
        self.system = system
        self.stream = stream
        self.demands = demands
        self.times = times
        self.clock = clock
    }

    /// The numbers of the connections that are asked now: of the one that knows the stream, and of the one that may ask the servers.
    var connections: (engine: UInt64?, system: UInt64?) { (engine.connection?.number, system.connection?.number) }

    /// Leaves connections for the next servers, unless that has happened already.
    func leave(_ connections: (engine: UInt64?, system: UInt64?)) {
        if let number = connections.engine { engine.leave(number) }
        if let number = connections.system { system.leave(number) }
    }

    /// Asks, and comes to a verdict.
    ///
    /// - Parameter members: The servers that kept the stream at an earlier look; empty if none are known.
    /// - Returns: The verdict, what was told of the stream as far as it was, and what its servers said of themselves.
    package func run(
        members: [String] = []
    ) async -> (look: DurabilityState.Look, facts: StreamFacts?, reports: [MemberReport]) {
        guard let server = engine.connection?.server else {
            let reason = engine.trouble.map { ": \($0)" } ?? ""
            return (.failed("there is no connection to the engine\(reason)"), nil, [])
        }
        guard system.connection != nil else {
            let reason = system.trouble.map { ": \($0)" } ?? ""
            return (.failed("there is no connection as a user of the engine's system account\(reason)"), nil, [])
        }
        let facts: StreamFacts
        do {
            facts = try await told()
        } catch {
            let look = Self.look(at: error, stream)
            guard error.mayBeLeaderless, case .failed(let reason) = look else { return (look, nil, []) }
            let reports = await reports(of: members)
            let off = reports.filter { $0.storage == .off }.map(\.name).sorted()
            return (off.isEmpty ? look : .failed("\(reason); \(DurabilityState.storesNothing(off))"), nil, reports)
        }
        let reports = await reports(of: facts)
        if let closed = demands().closedSubject, facts.subjects == [closed] {
            let reason =
                "the stream \(stream) is closed, and others take its records in a moment; if that stays so, `trackway-cluster engine plan` with "
                + "the --streams that it was begun with goes on"
            // A leader that was cut off from the others may tell old news.
            let isKnown = facts.isToldByMajority(after: demands().silence)
            return (isKnown ? .closed(reason) : .failed(reason), facts, reports)
        }
        let verdict = DurabilityGate.verdict(on: facts, reports, server: server, demands: demands())
        return (.verdict(verdict), facts, reports)
    }

    private enum Trouble: Error {
        case unanswered(NATSRequestFailure)
        case told(StreamFacts.Failure)

        /// Whether the stream may have no leader, while there is a connection.
        var mayBeLeaderless: Bool {
            switch self {
            case .unanswered(.unanswered), .told(.refused): true
            case .unanswered, .told: false
            }
        }
    }

    private func told() async throws(Trouble) -> StreamFacts {
        let answer: NATSMessage
        do {
            answer = try await engine.request(
                "$JS.API.STREAM.INFO.\(stream)",
                headers: nil,
                body: [],
                within: times.stream
            )
        } catch {
            throw .unanswered(error)
        }
        do {
            return try StreamFacts(answer)
        } catch {
            throw .told(error)
        }
    }

    private static func look(at trouble: Trouble, _ stream: String) -> DurabilityState.Look {
        switch trouble {
        case .told(.missing): .verdict(.unproven([.missing(stream: stream)]))
        case .told(.refused(let words)): .failed("the engine does not tell about the stream \(stream): \(words)")
        case .told(.unreadable(let words)):
            .failed("what the engine tells about the stream \(stream) is unreadable: \(words)")
        case .unanswered(.notConnected), .unanswered(.connectionLost): .failed("the connection to the engine was lost")
        case .unanswered: .failed("the stream \(stream) has no leader now, so nobody tells about it")
        }
    }

    /// What the servers say of themselves, each once. Those that are gone are not waited for.
    private func reports(of facts: StreamFacts) async -> [MemberReport] {
        var reports: [String: MemberReport] = [:]
        let gone = facts.replicas.filter { $0.isGone(after: demands().silence) }.map(\.name)
        let expected = facts.members.filter { !gone.contains($0) }
        for attempt in 0..<times.attempts {
            // Servers that keep another stream may be quicker; then all of them are waited for.
            let found = await ask(upTo: attempt == 0 ? max(expected.count, 1) : Self.maxServers, within: times.servers)
            for report in found { reports[report.name] = report }
            if expected.allSatisfy({ reports[$0] != nil }) { break }
        }
        // One that the others do not hear may run and store nothing. It is not waited for as long, since it is mostly not there.
        if gone.contains(where: { reports[$0] == nil }) {
            for report in await ask(upTo: facts.members.count, within: times.gone) { reports[report.name] = report }
        }
        return facts.members.compactMap { reports[$0] }
    }

    /// What servers say of themselves while the stream has no leader.
    ///
    /// - Parameter members: The servers that are asked about; empty for all that answer.
    private func reports(of members: [String]) async -> [MemberReport] {
        let found = await ask(upTo: members.isEmpty ? Self.maxServers : members.count, within: times.leaderless)
        return members.isEmpty ? found : found.filter { members.contains($0.name) }
    }

    /// Asks the servers once, and compares their clocks with this machine's. None where nobody answers: whoever is missing has not said how
    /// it syncs, and the verdict says so.
    private func ask(upTo count: Int, within time: Duration) async -> [MemberReport] {
        let before = clock?.now().wall
        let answers: [NATSMessage]
        do {
            answers = try await system.collect(
                "$SYS.REQ.SERVER.PING.JSZ",
                body: Array("{}".utf8),
                upTo: count,
                within: time
            )
        } catch {
            return []
        }
        let after = clock?.now().wall
        return answers.compactMap { answer in
            guard var report = MemberReport(answer) else { return nil }
            if let before, let after { report.clockOffset = report.time.map { Self.offset(of: $0, before, after) } }
            return report
        }
    }

    /// How far this machine's clock is ahead of one that was read between two of its times, at least; negative when it is behind.
    static func offset(of time: Timestamp, _ before: Timestamp, _ after: Timestamp) -> Duration {
        if time < before { return time.duration(to: before) }
        if time > after { return time.duration(to: after) }
        return .zero
    }
}
