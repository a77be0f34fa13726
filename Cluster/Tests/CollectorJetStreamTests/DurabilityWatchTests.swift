// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
internal import Testing
internal import TrackwayEvents
internal import TrackwayTesting

@testable import CollectorJetStream

@Suite("Watching an engine's durability", .timeLimit(.minutes(5)))
struct DurabilityWatchTests {
    private let engine = SimulatedEngine()
    private let clock = ManualClock()
    private let notices = Locked<[String]>([])

    private func watch(told: @escaping @Sendable (StreamFacts, UInt64) -> Void = { _, _ in }) -> DurabilityWatch {
        DurabilityWatch(
            engine,
            look: DurabilityLook(engine, system: engine, stream: "INTAKE_0"),
            sleep: { [clock] in await ManualSleeper(clock).sleep(until: clock.now().monotonic.advanced(by: $0)) },
            floor: { 5 },
            told: told,
            notice: { [notices] text in notices.withLock { $0.append(text) } }
        )
    }

    /// Says that a server does not sync always.
    private func makeLazy(_ name: String) {
        engine.change { state in
            let all = ["n0", "n1", "n2"].map { MemberReport(name: $0, syncsAlways: $0 != name) }
            state.reports = [all]
        }
    }

    @Test("a proof holds on the connection it was made on, and on no other")
    func connections() async {
        let watch = watch()
        #expect(watch.standing == .unknown("the engine's durability is not proven yet on this connection"))
        await watch.lookOnce()
        #expect(watch.standing == .proven)
        engine.change { $0.connection = SimulatedEngine.connection(2) }
        #expect(watch.standing == .unknown("the engine's durability is not proven yet on this connection"))
        await watch.lookOnce()
        #expect(watch.standing == .proven)
        engine.change { $0.connection = nil }
        #expect(watch.standing == .unknown("there is no connection to the engine"))
        await watch.lookOnce()
        #expect(watch.standing == .unknown("there is no connection to the engine"))
    }

    @Test("what is wrong with the engine is wrong on every connection until a look says otherwise, and is said once")
    func faults() async {
        let watch = watch()
        makeLazy("n1")
        await watch.lookOnce()
        await watch.lookOnce()
        let fault = DurabilityFault.lazyDisk(server: "n1", version: "2.15.1")
        #expect(watch.standing == .unproven([fault]))
        engine.change { $0.connection = SimulatedEngine.connection(2) }
        #expect(watch.standing == .unproven([fault]))
        makeLazy("nobody")
        await watch.lookOnce()
        #expect(watch.standing == .proven)
        #expect(notices.withLock { $0 } == [fault.description, "The engine's durability is proven."])
    }

    @Test("a first question that reaches two servers is asked again, and when nobody answers nothing is known")
    func asksAgain() async {
        let watch = watch()
        engine.change { state in
            state.reports = [
                [MemberReport(name: "n0")], [MemberReport(name: "n2"), MemberReport(name: "n0")],
                [MemberReport(name: "n1")],
            ]
        }
        await watch.lookOnce()
        #expect(watch.standing == .proven)
        engine.change { $0.reports = [[]] }
        await watch.lookOnce()
        // That may pass in a moment: records wait, and nothing is refused at once.
        guard case .unknown(let reason) = watch.standing else {
            Issue.record("Silence is taken for knowledge.")
            return
        }
        #expect(reason.hasPrefix("n0, n1, n2 did not say how they sync; give the collector credentials"))
    }

    @Test("without a user of the system account nothing is asked of the servers, and a missing stream is a fault")
    func noSystem() async {
        let other = SimulatedEngine()
        other.change { $0.connection = nil }
        let look = DurabilityLook(engine, system: other, stream: "INTAKE_0")
        let failed = DurabilityState.Look.failed("there is no connection as a user of the engine's system account")
        #expect(await look.run().look == failed)
        engine.change { $0.isMissing = true }
        let missing = DurabilityLook(engine, system: engine, stream: "INTAKE_0")
        #expect(await missing.run().look == .verdict(.unproven([.missing(stream: "INTAKE_0")])))
    }

    @Test("a server whose disk is full does not stop the others, and is the cause when too many are like it")
    func fullDisk() async {
        let watch = watch()
        func report(_ storages: [MemberReport.Storage]) {
            engine.change { state in
                state.reports = [storages.enumerated().map { MemberReport(name: "n\($0)", storage: $1) }]
            }
        }
        report([.syncsAlways, .syncsAlways, .off])
        await watch.lookOnce()
        #expect(watch.standing == .proven)
        report([.syncsAlways, .off, .off])
        await watch.lookOnce()
        guard case .unknown(let reason) = watch.standing else {
            Issue.record("\(watch.standing)")
            return
        }
        #expect(reason.hasPrefix("n1, n2 store nothing: JetStream is off there, usually because their disks are full"))
        // Mostly there is no leader any more then; who is to blame is known all the same.
        engine.change { $0.tells = false }
        await watch.lookOnce()
        guard case .unknown(let leaderless) = watch.standing else {
            Issue.record("\(watch.standing)")
            return
        }
        #expect(leaderless.hasPrefix("the stream INTAKE_0 has no leader now"))
        #expect(leaderless.contains("n1, n2 store nothing") && leaderless.contains("restart them"))
        // One of them was restarted, and the stream has a leader again.
        engine.change { $0.tells = true }
        report([.syncsAlways, .syncsAlways, .off])
        await watch.lookOnce()
        #expect(
            watch.standing == .proven && watch.current?.reports.map(\.storage) == [.syncsAlways, .syncsAlways, .off]
        )
    }

    @Test(
        "a server that the others do not hear is asked once more, so that a full disk does not look like a lost server"
    )
    func unheardFullDisk() async {
        let watch = watch()
        engine.change { state in
            state.facts.replicas[1].isOffline = true
            let others = [MemberReport(name: "n0"), MemberReport(name: "n1")]
            // The others are quicker.
            state.reports = [others + [MemberReport(name: "n2", storage: .off)]]
        }
        for _ in 0..<3 {
            await watch.lookOnce()
            #expect(watch.standing == .proven)
            #expect(EngineReport.nodes(watch.current.map { [$0] } ?? []).map(\.state) == [.proven, .proven, .off])
        }
        engine.change { $0.reports[0].removeLast() }
        await watch.lookOnce()
        #expect(watch.standing == .proven)
        #expect(EngineReport.nodes(watch.current.map { [$0] } ?? []).map(\.state) == [.proven, .proven, .gone])
    }

    @Test(
        "a closed stream is no reason to leave its server, and what is wrong stays said, unless its leader is cut off"
    )
    func closed() async {
        let watch = DurabilityWatch(
            engine,
            look: DurabilityLook(engine, system: engine, stream: "INTAKE_0") {
                var demands = DurabilityGate.Demands()
                demands.closedSubject = "intake.closed.0"
                return demands
            },
            sleep: { [clock] in await ManualSleeper(clock).sleep(until: clock.now().monotonic.advanced(by: $0)) }
        )
        engine.change { $0.facts.subjects = ["intake.closed.0"] }
        for _ in 0..<10 {
            await watch.lookOnce()
            guard case .unknown(let reason) = watch.standing else {
                Issue.record("\(watch.standing)")
                return
            }
            #expect(reason.contains("the stream INTAKE_0 is closed") && reason.contains("engine plan"))
        }
        #expect(watch.isClosed && engine.state.withLock { $0.left.isEmpty })
        // Cut off from the others it may tell old news.
        engine.change { $0.facts.replicas = ["n1", "n2"].map { .init(name: $0, silence: .seconds(9)) } }
        for _ in 0..<3 { await watch.lookOnce() }
        #expect(watch.isClosed && engine.state.withLock { $0.left.count } == 1)
    }

    @Test(
        "a lost connection does not hide that a stream is closed, until its leader says otherwise",
        arguments: [
            (DurabilityState.Look.failed("the connection to the engine was lost"), true),
            (.failed("the stream INTAKE_0 has no leader now, so nobody tells about it"), true),
            (.failed("INTAKE_0 is closed: engine plan"), true), (.closed("INTAKE_0 is closed: engine plan"), true),
            (.verdict(.proven(without: ["n2"])), false), (.verdict(.unproven([.silentServer("n2")])), false),
            (.verdict(.unproven([.missing(stream: "INTAKE_0")])), false),
        ]
    )
    func closedAndLost(_ look: DurabilityState.Look, _ isClosed: Bool) {
        var state = DurabilityState()
        let words = "INTAKE_0 is closed: engine plan"
        func count(_ standing: DurabilityState.Standing) -> Int {
            guard case .unknown(let reason) = standing else { return 0 }
            return reason.split(separator: words, omittingEmptySubsequences: false).count - 1
        }
        _ = state.looked(.failed("no leader"), on: 1)
        #expect(!state.isClosed && count(state.standing(on: nil)) == 0)
        let leaves = state.looked(.closed(words), on: 1)
        #expect(!leaves && state.isClosed && count(state.standing(on: 1)) == 1)
        #expect(count(state.standing(on: nil)) == 1)
        if case .unknown(let reason) = state.standing(on: nil) {
            #expect(reason.hasPrefix("there is no connection to the engine; "))
        }
        for _ in 0..<2 { _ = state.looked(look, on: 2) }
        #expect(state.isClosed == isClosed)
        for connection in [nil, 2] as [UInt64?] {
            #expect((count(state.standing(on: connection)) == 1) == isClosed)
        }
    }

    @Test("the servers of a stream that nobody tells about any more are known, and nothing of them is")
    func currentServers() async {
        let watch = watch()
        #expect(watch.current == nil)
        await watch.lookOnce()
        #expect(EngineReport.nodes(watch.current.map { [$0] } ?? []).map(\.state) == [.proven, .proven, .proven])
        engine.change { state in
            state.tells = false
            state.reports = [[]]
        }
        await watch.lookOnce()
        let nodes = EngineReport.nodes(watch.current.map { [$0] } ?? [])
        #expect(nodes.map(\.name) == ["n0", "n1", "n2"] && nodes.map(\.state) == [.unknown, .unknown, .unknown])
        #expect(nodes.allSatisfy { $0.leads == 0 } && watch.latest?.stream.leader == "n0")
    }

    @Test("the clocks of servers are compared with this machine's, with no more than what an answer's way may cost")
    func clocks() async {
        let look = DurabilityLook(engine, system: engine, stream: "INTAKE_0", clock: clock)
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
        #expect(await look.run().reports.map(\.clockOffset) == [.zero, .seconds(3_600), nil])
        let later = now.advanced(by: .seconds(2))
        #expect(DurabilityLook.offset(of: now.advanced(by: .seconds(1)), now, later) == .zero)
        #expect(DurabilityLook.offset(of: now.advanced(by: .seconds(9)), now, later) == .seconds(-7))
        #expect(DurabilityLook.offset(of: now.advanced(by: .seconds(-9)), now, later) == .seconds(9))
    }

    @Test("a stream without a leader is not known, and what is told of it is passed on")
    func leaderless() async {
        let told = Locked<[UInt64]>([])
        let watch = watch { facts, floor in told.withLock { $0 += [facts.lastSequence, floor] } }
        engine.change { $0.facts.lastSequence = 77 }
        await watch.lookOnce()
        engine.change { $0.tells = false }
        await watch.lookOnce()
        #expect(watch.standing == .unknown("the stream INTAKE_0 has no leader now, so nobody tells about it"))
        #expect(told.withLock { $0 } == [77, 5])
    }

    @Test(
        "it looks again sooner, the less is known",
        arguments: [
            (DurabilityState.Look.verdict(.proven(without: [])), 10_000), (.verdict(.proven(without: ["n2"])), 1_000),
            (.verdict(.unproven([.silentServer("n2")])), 250),
            (.verdict(.unproven([.missing(stream: "INTAKE_0")])), 2_000),
            (.failed("no leader"), 250), (.closed("closed"), 250), (.verdict(.unproven([.storesNothing("n2")])), 250),
        ]
    )
    func pauses(look: DurabilityState.Look, milliseconds: Int) {
        var state = DurabilityState()
        #expect(state.pause == .milliseconds(250))
        _ = state.looked(look, on: 1)
        #expect(state.pause == .milliseconds(milliseconds))
    }

    @Test("a server that may be cut off from the others is left after three looks in a row that came to nothing")
    func cutOff() async {
        let system = SimulatedEngine()
        let watch = DurabilityWatch(
            engine,
            look: DurabilityLook(engine, system: system, stream: "INTAKE_0"),
            sleep: { [clock] in await ManualSleeper(clock).sleep(until: clock.now().monotonic.advanced(by: $0)) }
        )
        // Nobody leads, or whoever does hears of no other: what is left over is no majority.
        for (tells, heard) in [(false, ["n0", "n1", "n2"]), (true, ["n0"])] {
            await watch.lookOnce()
            #expect(watch.standing == .proven)
            let (left, leftSystem) = (engine.state.withLock { $0.left.count }, system.state.withLock { $0.left.count })
            engine.change { $0.tells = tells }
            system.change { $0.reports = [heard.map { MemberReport(name: $0) }] }
            await watch.lookOnce()
            await watch.lookOnce()
            #expect(engine.state.withLock { $0.left.count } == left)
            await watch.lookOnce()
            #expect(engine.state.withLock { $0.left.count } == left + 1)
            #expect(system.state.withLock { $0.left.count } == leftSystem + 1)
            engine.change { $0.tells = true }
            system.change { $0.reports = SimulatedEngine.State().reports }
        }
    }

    @Test("it looks at the start, after ten seconds, and at once when the connection is another")
    func runs() async throws {
        let (looks, looked) = AsyncStream.makeStream(of: Void.self)
        let watch = watch { _, _ in looked.yield() }
        let clock = clock
        let engine = engine
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await watch.run() }
            var look = looks.makeAsyncIterator()
            _ = await look.next()
            try await Deadline.wait(while: watch.standing != .proven)
            await clock.untilSleeping()
            clock.advance(by: .seconds(10))
            _ = await look.next()
            await clock.untilSleeping()
            engine.change { $0.connection = SimulatedEngine.connection(2) }
            watch.connectionChanged()
            _ = await look.next()
            try await Deadline.wait(while: watch.standing != .proven)
            group.cancelAll()
        }
    }
}
