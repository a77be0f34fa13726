// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayEvents

/// One durability check of a stream and its servers.
///
/// Requests everything the gate needs.
package struct DurabilityCheck: Sendable {
    /// Timeouts of the check.
    struct Times: Sendable, Hashable {
        /// For the stream leader's report. Without a leader, no server answers.
        var stream: Duration = .seconds(1)
        /// For the reports of all servers.
        var servers: Duration = .milliseconds(500)
        /// The maximum number of requests for these reports.
        ///
        /// The first ones may not reach all servers.
        var attempts = 4
        /// For the report of a server that the others have no contact with.
        var gone: Duration = .milliseconds(100)
        /// For reports on whether servers store anything, while the stream has no leader.
        var leaderless: Duration = .milliseconds(250)
    }

    /// The maximum number of servers whose reports are read.
    private static let maxServers = 64

    private let engine: any NATSRequesting
    private let system: any NATSRequesting
    private let stream: String
    private let demands: @Sendable () -> DurabilityGate.Demands
    private let times: Times
    private let clock: (any EventClock)?

    /// Creates a check of a stream.
    ///
    /// - Parameters:
    ///   - engine: Reports on the stream.
    ///   - system: May request reports from the servers. The same as `engine` if that user may.
    ///   - stream: The stream's name.
    ///   - clock: This machine's clock, which is compared with the servers'; nil for no comparison.
    ///   - demands: Returns the requirements; called for each check.
    package init(
        _ engine: any NATSRequesting,
        system: any NATSRequesting,
        stream: String,
        clock: (any EventClock)? = nil,
        demands: @escaping @Sendable () -> DurabilityGate.Demands = { DurabilityGate.Demands() }
    ) {
        self.init(engine, system: system, stream: stream, clock: clock, demands: demands, times: Times())
    }

    init(
        _ engine: any NATSRequesting,
        system: any NATSRequesting,
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

    /// The numbers of both current connections: as the user, and as the system user.
    var connections: (engine: UInt64?, system: UInt64?) { (engine.connection?.number, system.connection?.number) }

    /// Closes connections and moves to the next servers, unless they have already ended.
    func leave(_ connections: (engine: UInt64?, system: UInt64?)) {
        if let number = connections.engine { engine.leave(number) }
        if let number = connections.system { system.leave(number) }
    }

    /// Runs the check.
    ///
    /// - Parameter members: The servers that had copies of the stream at an earlier check; empty if unknown.
    /// - Returns: The result, the stream's facts if they were reported, and the servers' reports.
    package func run(
        members: [String] = []
    ) async -> (look: DurabilityState.Look, facts: StreamFacts?, reports: [MemberReport]) {
        guard let server = engine.connection?.server else {
            let reason = engine.trouble.map { ": \($0)" } ?? ""
            return (.failed("not connected to the NATS cluster\(reason)"), nil, [])
        }
        guard system.connection != nil else {
            let reason = system.trouble.map { ": \($0)" } ?? ""
            return (.failed("not connected as a user of the NATS system account\(reason)"), nil, [])
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
                "the stream \(stream) is closed, and other streams will accept its records shortly; if this persists, "
                + "run `trackway-cluster engine plan` again with the same --streams to finish"
            // A leader that was cut off from the others may report outdated facts.
            let isKnown = facts.isReportedByMajority(after: demands().silence)
            return (isKnown ? .closed(reason) : .failed(reason), facts, reports)
        }
        let verdict = DurabilityGate.verdict(on: facts, reports, server: server, demands: demands())
        return (.verdict(verdict), facts, reports)
    }

    private enum Trouble: Error {
        case unanswered(NATSRequestFailure)
        case told(StreamFacts.Failure)

        /// Whether the stream may have no leader although there is a connection.
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
        case .told(.refused(let words)): .failed("NATS does not report on the stream \(stream): \(words)")
        case .told(.unreadable(let words)):
            .failed("the report from NATS on the stream \(stream) is invalid: \(words)")
        case .unanswered(.notConnected), .unanswered(.connectionLost): .failed("the connection to NATS was lost")
        case .unanswered: .failed("the stream \(stream) currently has no leader to report on it")
        }
    }

    /// Returns one report per server, without waiting for servers that are gone.
    private func reports(of facts: StreamFacts) async -> [MemberReport] {
        var reports: [String: MemberReport] = [:]
        let gone = facts.replicas.filter { $0.isGone(after: demands().silence) }.map(\.name)
        let expected = facts.members.filter { !gone.contains($0) }
        for attempt in 0..<times.attempts {
            // Servers without copies of this stream may answer first, so later attempts wait for all servers.
            let found = await ask(upTo: attempt == 0 ? max(expected.count, 1) : Self.maxServers, within: times.servers)
            for report in found { reports[report.name] = report }
            if expected.allSatisfy({ reports[$0] != nil }) { break }
        }
        // A server that the others have no contact with may be running without storing anything. The timeout is
        // shorter, because it is usually down.
        if gone.contains(where: { reports[$0] == nil }) {
            for report in await ask(upTo: facts.members.count, within: times.gone) { reports[report.name] = report }
        }
        return facts.members.compactMap { reports[$0] }
    }

    /// Returns the servers' reports while the stream has no leader.
    ///
    /// - Parameter members: The servers to include; empty for all that answer.
    private func reports(of members: [String]) async -> [MemberReport] {
        let found = await ask(upTo: members.isEmpty ? Self.maxServers : members.count, within: times.leaderless)
        return members.isEmpty ? found : found.filter { members.contains($0.name) }
    }

    /// Requests the servers' reports once, and compares their clocks with this machine's.
    ///
    /// Returns none if no server answers: a missing report counts as "did not report how it syncs" in the verdict.
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

    /// Returns the minimum by which this machine's clock is ahead of another's time.
    ///
    /// Negative if it is behind. The time was read between `before` and `after`.
    static func offset(of time: Timestamp, _ before: Timestamp, _ after: Timestamp) -> Duration {
        if time < before { return time.duration(to: before) }
        if time > after { return time.duration(to: after) }
        return .zero
    }
}
