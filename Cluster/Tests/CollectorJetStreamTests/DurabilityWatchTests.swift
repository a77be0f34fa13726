// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import Testing
internal import TrackwayCore
internal import TrackwayTesting

@testable import CollectorJetStream

@Suite("Durability watch", .timeLimit(.minutes(5)))
struct DurabilityWatchTests {
    private let engine = SimulatedEngine()
    private let clock = ManualClock()
    private let warnings = Locked<[String]>([])

    private func watch(onFacts: @escaping @Sendable (StreamFacts, UInt64) -> Void = { _, _ in }) -> DurabilityWatch {
        DurabilityWatch(
            engine,
            check: DurabilityCheck(engine, system: engine, stream: "INTAKE_0"),
            sleep: { [clock] in await ManualSleeper(clock).sleep(until: clock.now().monotonic.advanced(by: $0)) },
            knownEnd: { 5 },
            onFacts: onFacts,
            onWarning: { [warnings] text in warnings.withLock { $0.append(text) } }
        )
    }

    /// Reports that a server does not always sync.
    private func disableSync(_ name: String) {
        engine.change { state in
            let all = ["n0", "n1", "n2"].map { MemberReport(name: $0, syncsAlways: $0 != name) }
            state.reports = [all]
        }
    }

    @Test
    func `a proof is valid only for the connection on which it was made`() async {
        let watch = watch()
        #expect(watch.status == .unknown("the NATS cluster is not proven durable yet on this connection"))
        await watch.checkOnce()
        #expect(watch.status == .proven)
        engine.change { $0.connection = SimulatedEngine.connection(2) }
        #expect(watch.status == .unknown("the NATS cluster is not proven durable yet on this connection"))
        await watch.checkOnce()
        #expect(watch.status == .proven)
        engine.change { $0.connection = nil }
        #expect(watch.status == .unknown("not connected to the NATS cluster"))
        await watch.checkOnce()
        #expect(watch.status == .unknown("not connected to the NATS cluster"))
    }

    @Test
    func `a fault applies to all connections until a check finds otherwise, and is reported once`() async {
        let watch = watch()
        disableSync("n1")
        await watch.checkOnce()
        await watch.checkOnce()
        let fault = DurabilityFault.notSyncing(server: "n1", version: "2.15.1")
        #expect(watch.status == .unproven([fault]))
        engine.change { $0.connection = SimulatedEngine.connection(2) }
        #expect(watch.status == .unproven([fault]))
        disableSync("nobody")
        await watch.checkOnce()
        #expect(watch.status == .proven)
        #expect(warnings.withLock { $0 } == [fault.description, "The NATS cluster is proven durable."])
    }

    @Test
    func `servers missing from the first answer are asked again; without any answer, the state is unknown`() async {
        let watch = watch()
        engine.change { state in
            state.reports = [
                [MemberReport(name: "n0")], [MemberReport(name: "n2"), MemberReport(name: "n0")],
                [MemberReport(name: "n1")],
            ]
        }
        await watch.checkOnce()
        #expect(watch.status == .proven)
        engine.change { $0.reports = [[]] }
        await watch.checkOnce()
        // This may pass in a moment: records wait and are not rejected immediately.
        guard case .unknown(let reason) = watch.status else {
            Issue.record("A missing answer counts as a result.")
            return
        }
        #expect(reason.hasPrefix("n0, n1, n2 did not report how they sync; set credentials"))
    }

    @Test
    func `without a system account user, servers are not asked; a missing stream is a fault`() async {
        let other = SimulatedEngine()
        other.change { $0.connection = nil }
        let check = DurabilityCheck(engine, system: other, stream: "INTAKE_0")
        let failed = DurabilityState.CheckResult.failed("not connected as a user of the NATS system account")
        #expect(await check.run().result == failed)
        engine.change { $0.isMissing = true }
        let missing = DurabilityCheck(engine, system: engine, stream: "INTAKE_0")
        #expect(await missing.run().result == .verdict(.unproven([.missing(stream: "INTAKE_0")])))
    }

    @Test
    func `one server with a full disk does not stop the others; several of them are named as the cause`() async {
        let watch = watch()
        func report(_ storages: [MemberReport.Storage]) {
            engine.change { state in
                state.reports = [storages.enumerated().map { MemberReport(name: "n\($0)", storage: $1) }]
            }
        }
        report([.syncsAlways, .syncsAlways, .off])
        await watch.checkOnce()
        #expect(watch.status == .proven)
        report([.syncsAlways, .off, .off])
        await watch.checkOnce()
        guard case .unknown(let reason) = watch.status else {
            Issue.record("\(watch.status)")
            return
        }
        #expect(reason.hasPrefix("n1, n2 store nothing: JetStream is off there, usually due to full or failing disks"))
        // In this state, the stream usually has no leader; the cause is still reported.
        engine.change { $0.isReporting = false }
        await watch.checkOnce()
        guard case .unknown(let leaderless) = watch.status else {
            Issue.record("\(watch.status)")
            return
        }
        #expect(leaderless.hasPrefix("the stream INTAKE_0 currently has no leader"))
        #expect(leaderless.contains("n1, n2 store nothing") && leaderless.contains("restart them"))
        // One of them has been restarted, and the stream has a leader again.
        engine.change { $0.isReporting = true }
        report([.syncsAlways, .syncsAlways, .off])
        await watch.checkOnce()
        #expect(
            watch.status == .proven && watch.current?.reports.map(\.storage) == [.syncsAlways, .syncsAlways, .off]
        )
    }

    @Test
    func `a server that the others cannot reach is asked again, to distinguish a full disk from a lost server`() async {
        let watch = watch()
        engine.change { state in
            state.facts.replicas[1].isOffline = true
            let others = [MemberReport(name: "n0"), MemberReport(name: "n1")]
            // The other servers answer first.
            state.reports = [others + [MemberReport(name: "n2", storage: .off)]]
        }
        for _ in 0..<3 {
            await watch.checkOnce()
            #expect(watch.status == .proven)
            #expect(ClusterReport.nodes(watch.current.map { [$0] } ?? []).map(\.state) == [.proven, .proven, .off])
        }
        engine.change { $0.reports[0].removeLast() }
        await watch.checkOnce()
        #expect(watch.status == .proven)
        #expect(ClusterReport.nodes(watch.current.map { [$0] } ?? []).map(\.state) == [.proven, .proven, .unreachable])
    }

    @Test
    func `for a closed stream, the client keeps its server and reports the closure, unless the leader is cut off`()
        async
    {
        let watch = DurabilityWatch(
            engine,
            check: DurabilityCheck(engine, system: engine, stream: "INTAKE_0") {
                var requirements = DurabilityGate.Requirements()
                requirements.closedSubject = "intake.closed.0"
                return requirements
            },
            sleep: { [clock] in await ManualSleeper(clock).sleep(until: clock.now().monotonic.advanced(by: $0)) }
        )
        engine.change { $0.facts.subjects = ["intake.closed.0"] }
        for _ in 0..<10 {
            await watch.checkOnce()
            guard case .unknown(let reason) = watch.status else {
                Issue.record("\(watch.status)")
                return
            }
            #expect(reason.contains("the stream INTAKE_0 is closed") && reason.contains("cluster plan"))
        }
        #expect(watch.isClosed && engine.state.withLock { $0.droppedConnections.isEmpty })
        // A leader that is cut off may report outdated facts.
        engine.change { $0.facts.replicas = ["n1", "n2"].map { .init(name: $0, sinceContact: .seconds(9)) } }
        for _ in 0..<3 { await watch.checkOnce() }
        #expect(watch.isClosed && engine.state.withLock { $0.droppedConnections.count } == 1)
    }

    @Test(arguments: [
        (DurabilityState.CheckResult.failed("the connection to NATS was lost"), true),
        (.failed("the stream INTAKE_0 currently has no leader to report on it"), true),
        (.failed("INTAKE_0 is closed: cluster plan"), true), (.closed("INTAKE_0 is closed: cluster plan"), true),
        (.verdict(.proven(without: ["n2"])), false), (.verdict(.unproven([.missingReport("n2")])), false),
        (.verdict(.unproven([.missing(stream: "INTAKE_0")])), false),
    ])
    func `a closed stream is reported despite a lost connection, until its leader reports otherwise`(
        _ result: DurabilityState.CheckResult,
        _ isClosed: Bool
    ) {
        var state = DurabilityState()
        let words = "INTAKE_0 is closed: cluster plan"
        func count(_ status: DurabilityState.Status) -> Int {
            guard case .unknown(let reason) = status else { return 0 }
            return reason.split(separator: words, omittingEmptySubsequences: false).count - 1
        }
        _ = state.checkFinished(with: .failed("no leader"), on: 1)
        #expect(!state.isClosed && count(state.status(on: nil)) == 0)
        let shouldSwitch = state.checkFinished(with: .closed(words), on: 1)
        #expect(!shouldSwitch && state.isClosed && count(state.status(on: 1)) == 1)
        #expect(count(state.status(on: nil)) == 1)
        if case .unknown(let reason) = state.status(on: nil) {
            #expect(reason.hasPrefix("not connected to the NATS cluster; "))
        }
        for _ in 0..<2 { _ = state.checkFinished(with: result, on: 2) }
        #expect(state.isClosed == isClosed)
        for connection in [nil, 2] as [UInt64?] {
            #expect((count(state.status(on: connection)) == 1) == isClosed)
        }
    }

    @Test
    func `after a stream loses its leader, its servers are still listed, with unknown states`() async {
        let watch = watch()
        #expect(watch.current == nil)
        await watch.checkOnce()
        #expect(ClusterReport.nodes(watch.current.map { [$0] } ?? []).map(\.state) == [.proven, .proven, .proven])
        engine.change { state in
            state.isReporting = false
            state.reports = [[]]
        }
        await watch.checkOnce()
        let nodes = ClusterReport.nodes(watch.current.map { [$0] } ?? [])
        #expect(nodes.map(\.name) == ["n0", "n1", "n2"] && nodes.map(\.state) == [.unknown, .unknown, .unknown])
        #expect(nodes.allSatisfy { $0.leads == 0 } && watch.latest?.stream.leader == "n0")
    }

    @Test
    func `server clocks are compared with this machine's, allowing for the round trip`() async {
        let check = DurabilityCheck(engine, system: engine, stream: "INTAKE_0", clock: clock)
        let now = clock.now().wall
        engine.change { state in
            state.reports = [
                [
                    MemberReport(name: "n0", storage: .syncsAlways, time: now),
                    MemberReport(name: "n1", storage: .syncsAlways, time: now.advanced(by: .seconds(-3_600))),
                    MemberReport(name: "n2", storage: .syncsAlways),
                ]
            ]
        }
        #expect(await check.run().reports.map(\.clockOffset) == [.zero, .seconds(3_600), nil])
        let later = now.advanced(by: .seconds(2))
        #expect(DurabilityCheck.offset(of: now.advanced(by: .seconds(1)), now, later) == .zero)
        #expect(DurabilityCheck.offset(of: now.advanced(by: .seconds(9)), now, later) == .seconds(-7))
        #expect(DurabilityCheck.offset(of: now.advanced(by: .seconds(-9)), now, later) == .seconds(9))
    }

    @Test
    func `a stream without a leader has an unknown state, and the facts of other checks are passed on`() async {
        let facts = Locked<[UInt64]>([])
        let watch = watch { stream, end in facts.withLock { $0 += [stream.lastSequence, end] } }
        engine.change { $0.facts.lastSequence = 77 }
        await watch.checkOnce()
        engine.change { $0.isReporting = false }
        await watch.checkOnce()
        #expect(watch.status == .unknown("the stream INTAKE_0 currently has no leader to report on it"))
        #expect(facts.withLock { $0 } == [77, 5])
    }

    @Test(arguments: [
        (DurabilityState.CheckResult.verdict(.proven(without: [])), 10_000),
        (.verdict(.proven(without: ["n2"])), 1_000),
        (.verdict(.unproven([.missingReport("n2")])), 250),
        (.verdict(.unproven([.missing(stream: "INTAKE_0")])), 2_000),
        (.failed("no leader"), 250), (.closed("closed"), 250), (.verdict(.unproven([.storageDisabled("n2")])), 250),
    ])
    func `the less is known, the sooner the next check runs`(result: DurabilityState.CheckResult, milliseconds: Int) {
        var state = DurabilityState()
        #expect(state.pause == .milliseconds(250))
        _ = state.checkFinished(with: result, on: 1)
        #expect(state.pause == .milliseconds(milliseconds))
    }

    @Test
    func `a server that may be cut off is left after three consecutive checks without a result`() async {
        let system = SimulatedEngine()
        let watch = DurabilityWatch(
            engine,
            check: DurabilityCheck(engine, system: system, stream: "INTAKE_0"),
            sleep: { [clock] in await ManualSleeper(clock).sleep(until: clock.now().monotonic.advanced(by: $0)) }
        )
        // No leader, or one without contact with other servers: the rest is not a majority.
        for (isReporting, reporting) in [(false, ["n0", "n1", "n2"]), (true, ["n0"])] {
            await watch.checkOnce()
            #expect(watch.status == .proven)
            let (dropped, systemDropped) = (
                engine.state.withLock { $0.droppedConnections.count },
                system.state.withLock { $0.droppedConnections.count }
            )
            engine.change { $0.isReporting = isReporting }
            system.change { $0.reports = [reporting.map { MemberReport(name: $0) }] }
            await watch.checkOnce()
            await watch.checkOnce()
            #expect(engine.state.withLock { $0.droppedConnections.count } == dropped)
            await watch.checkOnce()
            #expect(engine.state.withLock { $0.droppedConnections.count } == dropped + 1)
            #expect(system.state.withLock { $0.droppedConnections.count } == systemDropped + 1)
            engine.change { $0.isReporting = true }
            system.change { $0.reports = SimulatedEngine.State().reports }
        }
    }

    @Test
    func `a check runs at the start, after ten seconds, and immediately on a new connection`() async throws {
        let (checks, checked) = AsyncStream.makeStream(of: Void.self)
        let watch = watch { _, _ in checked.yield() }
        let clock = clock
        let engine = engine
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await watch.run() }
            var check = checks.makeAsyncIterator()
            _ = await check.next()
            try await Deadline.wait(while: watch.status != .proven)
            await clock.untilSleeping()
            clock.advance(by: .seconds(10))
            _ = await check.next()
            await clock.untilSleeping()
            engine.change { $0.connection = SimulatedEngine.connection(2) }
            watch.connectionChanged()
            _ = await check.next()
            try await Deadline.wait(while: watch.status != .proven)
            group.cancelAll()
        }
    }
}
