// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import Testing
internal import TrackwayCore
internal import TrackwayTesting

@testable internal import CollectorJetStream

@Suite("Block decisions in a stream")
struct BlockStreamTests {
    private static func decision(_ block: UInt64, last: UInt64) -> BlockDecision {
        BlockDecision(block: block, first: 1, last: last, version: 1)
    }

    private static func stream(_ engine: SimulatedEngine) -> BlockStream {
        BlockStream(engine, system: engine, names: StreamNames())
    }

    @Test
    func `if two processes decide the same block, one succeeds and the other reads that decision`() async throws {
        let engine = SimulatedEngine()
        let (one, other) = (Self.stream(engine), Self.stream(engine))
        #expect(try await one.decision(1) == nil)
        #expect(try await one.decide(Self.decision(1, last: 5)))
        #expect(try await !other.decide(Self.decision(1, last: 7)))
        #expect(try await other.decision(1) == Self.decision(1, last: 5))
        #expect(try await other.decide(Self.decision(2, last: 9)))
        #expect(try await !one.decide(Self.decision(4, last: 9)))
    }

    @Test
    func `an attempt without a known outcome fails temporarily, and the decision is found later`() async throws {
        let engine = SimulatedEngine()
        engine.change { $0.nextOutcomes = [.lost, .noLeader, .answerLost] }
        let stream = Self.stream(engine)
        for expected in ["is not responding", "has no leader", "is not responding"] {
            let failure = await #expect(throws: BlockDecisionFailure.self) {
                try await stream.decide(Self.decision(1, last: 5))
            }
            #expect(failure?.description.contains(expected) == true && failure?.isPermanent == false)
        }
        #expect(try await stream.decision(1) == Self.decision(1, last: 5))
        #expect(try await !stream.decide(Self.decision(1, last: 5)))
    }

    @Test
    func `a lagging copy is not mistaken for the end of the decisions`() async throws {
        let engine = SimulatedEngine()
        let stream = Self.stream(engine)
        _ = try await stream.decide(Self.decision(1, last: 5))
        engine.change { $0.hidden = [1] }
        await #expect(throws: BlockDecisionFailure.self) { try await stream.decision(1) }
        engine.change { $0.hidden = [] }
        #expect(try await stream.decision(1) != nil)
        #expect(try await stream.decision(2) == nil)
    }

    @Test
    func `a leader cut off from the other servers cannot report that a block is undecided`() async throws {
        let engine = SimulatedEngine()
        let stream = Self.stream(engine)
        _ = try await stream.decide(Self.decision(1, last: 5))
        engine.change { state in
            state.facts.replicas = ["n1", "n2"].map { .init(name: $0, sinceContact: .seconds(3)) }
        }
        #expect(try await stream.decision(1) != nil)
        let failure = await #expect(throws: BlockDecisionFailure.self) { try await stream.decision(2) }
        #expect(failure?.isPermanent == false && failure?.description.contains("has no contact with the other") == true)
        engine.change { $0.facts.replicas[1].sinceContact = .zero }
        #expect(try await stream.decision(2) == nil)
    }

    @Test
    func `a foreign record or a full stream is reported as a permanent failure`() async throws {
        let engine = SimulatedEngine()
        engine.change { $0.records = [("x", nil, Array("hello".utf8))] }
        let stream = Self.stream(engine)
        let failure = await #expect(throws: BlockDecisionFailure.self) { try await stream.decision(1) }
        #expect(failure?.isPermanent == true && failure?.description.contains("blocks.0") == true)
        engine.change { $0.nextOutcomes = [.error(10_077)] }
        let full = await #expect(throws: BlockDecisionFailure.self) {
            try await stream.decide(Self.decision(2, last: 5))
        }
        #expect(full?.isPermanent == true && full?.description.contains("is full") == true)
    }

    @Test
    func `the stream of decisions must be as durable as the streams of records`() async {
        let engine = SimulatedEngine()
        engine.change { state in
            state.facts.name = "BLOCKS_0"
            state.facts.subjects = ["blocks.0"]
            state.facts.maxRecordBytes = 64 << 10
            state.facts.created = "today"
        }
        let stream = Self.stream(engine)
        #expect(await stream.proof() == BlockStream.Proof(status: .proven, created: "today"))
        engine.change { state in
            state.facts.copies = 1
            state.facts.subjects = ["other"]
        }
        guard case .unproven(let faults) = await stream.proof().status else {
            Issue.record("The stream counts as proven.")
            return
        }
        #expect(
            faults.contains { "\($0)".contains("num_replicas 1") } && faults.contains { "\($0)".contains("blocks.0") }
        )
        engine.change { $0.isMissing = true }
        #expect(await stream.proof().status == .unproven([.missing(stream: "BLOCKS_0")]))
    }

    @Test
    func `a start waits while the stream of decisions has no leader, reports it once, and begins once it is proven`()
        async
    {
        let engine = SimulatedEngine()
        engine.change { state in
            state.facts.name = "BLOCKS_0"
            state.facts.subjects = ["blocks.0"]
            state.facts.created = "today"
            state.isReporting = false
        }
        let clock = ManualClock()
        let statuses = Locked<[String]>([])
        let stream = Self.stream(engine)
        func prove(_ sleep: @escaping @Sendable (Duration) async -> Void) async -> DecisionStreamCheck? {
            var times = DurabilityWait.Times()
            times.unknown = .seconds(60)
            return await stream.prove(times: times, clock: clock, sleep: sleep) { sentence in
                statuses.withLock { $0.append(sentence) }
            }
        }
        let start = clock.now().monotonic
        let check = await prove { pause in
            clock.advance(by: pause)
            if start.duration(to: clock.now().monotonic) >= .seconds(40) { engine.change { $0.isReporting = true } }
        }
        #expect(check == .proven(created: "today"))
        #expect(
            statuses.withLock { $0.count } == 1
                && statuses.withLock { $0[0] }.contains("BLOCKS_0 currently has no leader")
        )
        engine.change { $0.isReporting = false }
        let late = await prove { clock.advance(by: $0) }
        guard case .unproven(let reasons) = late else {
            Issue.record("The start succeeded without a leader: \(String(describing: late))")
            return
        }
        #expect(reasons.count == 1 && reasons[0].contains("BLOCKS_0"))
        engine.change { state in
            state.isReporting = true
            state.facts.copies = 1
        }
        let secondStart = clock.now().monotonic
        guard case .unproven = await prove({ clock.advance(by: $0) }) else {
            Issue.record("The start succeeded with one copy.")
            return
        }
        #expect(secondStart.duration(to: clock.now().monotonic) < .seconds(5))
    }
}
