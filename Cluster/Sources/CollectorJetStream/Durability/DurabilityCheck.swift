// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayCore

/// One durability check of a stream and its servers.
///
/// Requests all reports that ``DurabilityGate`` needs.
package struct DurabilityCheck: Sendable {
    /// Timeouts of the check.
    struct Times: Sendable, Hashable {
        /// The timeout for the stream leader's report. Without a leader, no server answers.
        var stream: Duration = .seconds(1)
        /// The timeout for the reports of all servers.
        var servers: Duration = .milliseconds(500)
        /// The maximum number of requests for the servers' reports.
        ///
        /// The first requests may not reach all servers.
        var attempts = 4
        /// The timeout for the report of a server that the other servers cannot reach.
        var unreachable: Duration = .milliseconds(100)
        /// The timeout for reports on whether servers store anything, while the stream has no leader.
        var leaderless: Duration = .milliseconds(250)
    }

    /// The maximum number of servers whose reports are read.
    private static let maxServers = 64

    private let engine: any NATSRequesting
    private let system: any NATSRequesting
    private let stream: String
    private let requirements: @Sendable () -> DurabilityGate.Requirements
    private let times: Times
    private let clock: (any EventClock)?

    /// Creates a check of a stream.
    ///
    /// - Parameters:
    ///   - engine: The NATS cluster with the stream.
    ///   - system: A connection that may request the servers' reports; the same as `engine` if its user may do so.
    ///   - stream: The stream's name.
    ///   - clock: This machine's clock, which is compared with the servers'; nil for no comparison.
    ///   - requirements: Returns the durability requirements; called for each check.
    package init(
        _ engine: any NATSRequesting,
        system: any NATSRequesting,
        stream: String,
        clock: (any EventClock)? = nil,
        requirements: @escaping @Sendable () -> DurabilityGate.Requirements = { DurabilityGate.Requirements() }
    ) {
        self.init(engine, system: system, stream: stream, clock: clock, requirements: requirements, times: Times())
    }

    init(
        _ engine: any NATSRequesting,
        system: any NATSRequesting,
        stream: String,
        clock: (any EventClock)? = nil,
        requirements: @escaping @Sendable () -> DurabilityGate.Requirements,
        times: Times
    ) {
        self.engine = engine
        self.system = system
        self.stream = stream
        self.requirements = requirements
        self.times = times
        self.clock = clock
    }

    /// The numbers of the current connections of the user and of the system user.
    var connections: (engine: UInt64?, system: UInt64?) { (engine.connection?.number, system.connection?.number) }

    /// Closes the given connections, unless they have already ended, and moves to the next servers.
    func dropConnections(_ connections: (engine: UInt64?, system: UInt64?)) {
        if let number = connections.engine { engine.dropConnection(number) }
        if let number = connections.system { system.dropConnection(number) }
    }

    /// Runs the check.
    ///
    /// - Parameter members: The servers that had copies of the stream in an earlier check; empty if unknown.
    /// - Returns: The result, the stream's facts if they were reported, and the servers' reports.
    package func run(
        members: [String] = []
    ) async -> (result: DurabilityState.CheckResult, facts: StreamFacts?, reports: [MemberReport]) {
        guard let server = engine.connection?.server else {
            let reason = engine.connectionError.map { ": \($0)" } ?? ""
            return (.failed("not connected to the NATS cluster\(reason)"), nil, [])
        }
        guard system.connection != nil else {
            let reason = system.connectionError.map { ": \($0)" } ?? ""
            return (.failed("not connected as a user of the NATS system account\(reason)"), nil, [])
        }
        let facts: StreamFacts
        do {
            facts = try await fetchFacts()
        } catch {
            let result = Self.result(of: error, stream)
            guard error.mayBeLeaderless, case .failed(let reason) = result else { return (result, nil, []) }
            let reports = await reports(of: members)
            let off = reports.filter { $0.storage == .off }.map(\.name).sorted()
            return (off.isEmpty ? result : .failed("\(reason); \(DurabilityState.storageDisabled(off))"), nil, reports)
        }
        let reports = await reports(of: facts)
        if let closed = requirements().closedSubject, facts.subjects == [closed] {
            let reason =
                "the stream \(stream) is closed, and other streams will accept its records shortly; if this persists, "
                + "run `trackway-cluster cluster plan` again with the same --streams to finish"
            // A leader that was cut off from the others may report outdated facts.
            let isKnown = facts.isReportedByMajority(after: requirements().contactTimeout)
            return (isKnown ? .closed(reason) : .failed(reason), facts, reports)
        }
        let verdict = DurabilityGate.verdict(on: facts, reports, server: server, requirements: requirements())
        return (.verdict(verdict), facts, reports)
    }

    private enum ReportFailure: Error {
        case request(NATSRequestFailure)
        case report(StreamFacts.Failure)

        /// Whether the stream may have no leader even though the client is connected.
        var mayBeLeaderless: Bool {
            switch self {
            case .request(.unanswered), .report(.rejected): true
            case .request, .report: false
            }
        }
    }

    private func fetchFacts() async throws(ReportFailure) -> StreamFacts {
        let answer: NATSMessage
        do {
            answer = try await engine.request(
                "$JS.API.STREAM.INFO.\(stream)",
                headers: nil,
                body: [],
                within: times.stream
            )
        } catch {
            throw .request(error)
        }
        do {
            return try StreamFacts(answer)
        } catch {
            throw .report(error)
        }
    }

    private static func result(of failure: ReportFailure, _ stream: String) -> DurabilityState.CheckResult {
        switch failure {
        case .report(.missing): .verdict(.unproven([.missing(stream: stream)]))
        case .report(.rejected(let reason)): .failed("NATS does not report on the stream \(stream): \(reason)")
        case .report(.invalid(let reason)):
            .failed("the report from NATS on the stream \(stream) is invalid: \(reason)")
        case .request(.notConnected), .request(.connectionLost): .failed("the connection to NATS was lost")
        case .request: .failed("the stream \(stream) currently has no leader to report on it")
        }
    }

    /// Returns one report per server, without waiting for servers that are gone.
    private func reports(of facts: StreamFacts) async -> [MemberReport] {
        var reports: [String: MemberReport] = [:]
        let unreachable = facts.replicas.filter { $0.isUnreachable(after: requirements().contactTimeout) }.map(\.name)
        let expected = facts.members.filter { !unreachable.contains($0) }
        for attempt in 0..<times.attempts {
            // Servers without copies of this stream may answer first, so later attempts wait for all servers.
            let found = await requestReports(
                upTo: attempt == 0 ? max(expected.count, 1) : Self.maxServers,
                within: times.servers
            )
            for report in found { reports[report.name] = report }
            if expected.allSatisfy({ reports[$0] != nil }) { break }
        }
        // A server that the other servers cannot reach may be running without storing anything. The timeout is shorter,
        // because such a server is usually down.
        if unreachable.contains(where: { reports[$0] == nil }) {
            for report in await requestReports(upTo: facts.members.count, within: times.unreachable) {
                reports[report.name] = report
            }
        }
        return facts.members.compactMap { reports[$0] }
    }

    /// Returns the servers' reports while the stream has no leader.
    ///
    /// - Parameter members: The servers to include; empty for all that answer.
    private func reports(of members: [String]) async -> [MemberReport] {
        let found = await requestReports(
            upTo: members.isEmpty ? Self.maxServers : members.count,
            within: times.leaderless
        )
        return members.isEmpty ? found : found.filter { members.contains($0.name) }
    }

    /// Requests the servers' reports once, and compares their clocks with this machine's.
    ///
    /// Returns an empty array if no server answers: a missing report counts as "did not report how it syncs" in the
    /// verdict.
    private func requestReports(upTo count: Int, within time: Duration) async -> [MemberReport] {
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

    /// Returns the minimum lead of this machine's clock over another machine's.
    ///
    /// The result is negative if this machine's clock is behind. The other machine read `time` between `before` and
    /// `after`.
    static func offset(of time: Timestamp, _ before: Timestamp, _ after: Timestamp) -> Duration {
        if time < before { return time.duration(to: before) }
        if time > after { return time.duration(to: after) }
        return .zero
    }
}
