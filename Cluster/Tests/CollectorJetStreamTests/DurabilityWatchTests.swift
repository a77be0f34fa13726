// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

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
            (.failed("no leader"), 250),
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
    func runs() async {
        let (looks, looked) = AsyncStream.makeStream(of: Void.self)
        let watch = watch { _, _ in looked.yield() }
        let clock = clock
        let engine = engine
        await withTaskGroup(of: Void.self) { group in
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
