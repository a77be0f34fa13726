// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

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
    }

    /// The answers of so many servers are looked at.
    private static let maxServers = 64

    private let engine: any StreamEngine
    private let system: any StreamEngine
    private let stream: String
    private let demands: @Sendable () -> DurabilityGate.Demands
    private let times: Times

    /// A look at a stream.
    ///
    /// - Parameters:
    ///   - engine: Knows the stream.
    ///   - system: May ask the servers about themselves; the same as `engine` where that may.
    ///   - stream: The stream's name.
    ///   - demands: What is asked of it; called for each look.
    package init(
        _ engine: any StreamEngine,
        system: any StreamEngine,
        stream: String,
        demands: @escaping @Sendable () -> DurabilityGate.Demands = { DurabilityGate.Demands() }
    ) {
        self.init(engine, system: system, stream: stream, demands: demands, times: Times())
    }

    init(
        _ engine: any StreamEngine,
        system: any StreamEngine,
        stream: String,
        demands: @escaping @Sendable () -> DurabilityGate.Demands,
        times: Times
    ) {
        self.engine = engine
        self.system = system
        self.stream = stream
        self.demands = demands
        self.times = times
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
    /// - Returns: The verdict, what was told of the stream as far as it was, and what its servers said of themselves.
    package func run() async -> (look: DurabilityState.Look, facts: StreamFacts?, reports: [MemberReport]) {
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
            return (Self.look(at: error, stream), nil, [])
        }
        let reports = await reports(of: facts)
        if let closed = demands().closedSubject, facts.subjects == [closed] {
            return (
                .failed(
                    "the stream \(stream) is closed, and others take its records in a moment; if that stays so, `trackway-cluster engine plan` with "
                        + "the --streams that it was begun with goes on"
                ),
                facts, reports
            )
        }
        let verdict = DurabilityGate.verdict(on: facts, reports, server: server, demands: demands())
        return (.verdict(verdict), facts, reports)
    }

    private enum Trouble: Error {
        case unanswered(NATSRequestFailure)
        case told(StreamFacts.Failure)
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
            let answers: [NATSMessage]
            do {
                answers = try await system.collect(
                    "$SYS.REQ.SERVER.PING.JSZ",
                    body: Array("{}".utf8),
                    // Servers that keep another stream may be quicker; then all of them are waited for.
                    upTo: attempt == 0 ? max(expected.count, 1) : Self.maxServers,
                    within: times.servers
                )
            } catch {
                // Nobody has answered: whoever is missing then has not said how it syncs, and the verdict says so.
                continue
            }
            for report in answers.compactMap({ MemberReport($0) }) { reports[report.name] = report }
            if expected.allSatisfy({ reports[$0] != nil }) { break }
        }
        return facts.members.compactMap { reports[$0] }
    }
}
