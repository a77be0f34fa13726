// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
internal import Testing
internal import TrackwayEvents
internal import TrackwayJournal
internal import TrackwayTesting

@testable import CollectorJetStream

@Suite("Reading a stream for an index", .timeLimit(.minutes(5)))
struct StreamFollowerTests {
    private let engine = SimulatedEngine()
    private let highest = Locked<UInt64>(0)

    private func follower(records: Int = 256) -> StreamFollower {
        var limits = StreamFollower.Limits()
        limits.records = records
        return StreamFollower(
            engine,
            place: StreamNames(),
            limits: limits,
            sleep: { _ in await Task.yield() },
            highest: { [highest] in highest.withLock { $0 } },
            reached: { [highest] sequence in highest.withLock { $0 = max($0, sequence) } }
        )
    }

    private func fill(_ count: Int) {
        engine.change { state in
            for number in 1...count {
                state.records.append(
                    ("\(number)", ["Trackway-Kind": number == 2 ? "erasure" : "intake"], [UInt8(number)])
                )
            }
        }
    }

    private static func place(_ sequence: UInt64) -> LogPosition { LogPosition(stream: 0, sequence: sequence) }

    private func fault(_ follower: StreamFollower, from start: LogPosition = .start) async -> StreamFault? {
        do {
            _ = try await follower.records(from: start, upTo: Self.place(9))
            return nil
        } catch {
            return error as? StreamFault
        }
    }

    @Test("records arrive in order with positions and kinds, as many at once as the limit allows")
    func order() async throws {
        fill(5)
        let follower = follower(records: 3)
        let first = try await follower.records(from: .start, upTo: Self.place(6))
        #expect(first.map(\.payload) == [[1], [2], [3]])
        #expect(first.map(\.kind) == [.intake, .erasure, .intake])
        #expect(first.map(\.start) == (1...3).map { Self.place($0) })
        #expect(first.map(\.end) == (2...4).map { Self.place($0) })
        // The first answer already shows that the stream continues.
        #expect(highest.withLock { $0 } == 5)
        #expect(try await follower.records(from: Self.place(4), upTo: Self.place(6)).map(\.payload) == [[4], [5]])
        // An index that reads again gets records from memory or from the stream.
        #expect(try await follower.records(from: Self.place(5), upTo: Self.place(6)).map(\.payload) == [[5]])
        #expect(try await follower.records(from: Self.place(2), upTo: Self.place(6)).count == 3)
    }

    @Test("a record from another client has no kind, but has a position")
    func stranger() async throws {
        engine.change {
            $0.records = [("a", nil, [1]), ("b", ["Trackway-Kind": "200"], [2]), ("c", ["Trackway-Kind": "x"], [])]
        }
        let records = try await follower().records(from: .start, upTo: Self.place(4))
        #expect(records.map(\.kind) == [nil, FrameKind(rawValue: 200), nil])
    }

    @Test("a deleted record stops the reader with the same error at every attempt", arguments: [1, 2, 4])
    func gap(deleted: Int) async throws {
        fill(5)
        engine.change { $0.deleted = [deleted] }
        let follower = follower()
        var start = LogPosition.start
        if deleted > 1 {
            let before = try await follower.records(from: start, upTo: Self.place(6))
            #expect(before.count == deleted - 1)
            start = before.last?.end ?? .start
        }
        let expected = StreamFault.gap(stream: "INTAKE_0", sequence: UInt64(deleted), next: UInt64(deleted) + 1)
        #expect(await fault(follower, from: start) == expected)
        #expect(await fault(follower, from: start) == expected)
        #expect(expected.description.contains("no longer has record \(deleted), and continues with \(deleted + 1)"))
    }

    @Test("a lagging server is not a loss: the record is requested again, then reported as missing")
    func lagging() async throws {
        fill(3)
        engine.change { $0.handedOut = 1 }
        let follower = follower()
        #expect(try await follower.records(from: .start, upTo: Self.place(4)).count == 1)
        #expect(await fault(follower, from: Self.place(2)) == .missing(stream: "INTAKE_0", sequence: 2))
        engine.change { $0.handedOut = nil }
        #expect(try await follower.records(from: Self.place(2), upTo: Self.place(4)).count == 2)
    }

    @Test("a gap unknown to the stream's leader means that the copy is incomplete")
    func incompleteCopy() async {
        fill(3)
        engine.change { $0.hidden = [2] }
        let expected = StreamFault.unavailable(stream: "INTAKE_0", sequence: 2, "a server's copy is still incomplete")
        #expect(await fault(follower(), from: Self.place(2)) == expected)
    }

    @Test("lost answers shorten a read, and do not count as gaps")
    func lostAnswers() async throws {
        let place = StreamNames()
        func read(_ messages: [NATSMessage]) -> StreamReadResult { StreamReadResult(messages, from: 1, of: place) }
        let (one, two, three) = (
            Self.message(1, before: 0, pending: 2), Self.message(2, before: 1, pending: 1),
            Self.message(3, before: 2, pending: 0)
        )
        guard case .records(let all, let last) = read([one, two, three]) else {
            Issue.record("no records")
            return
        }
        #expect(all.count == 3 && last == 3)
        guard case .records(let some, 3) = read([one, three]) else {
            Issue.record("no records")
            return
        }
        #expect(some.map(\.payload) == [[1]])
        // The first is missing, and the others state that there is a record before them.
        guard case .unavailable = read([two, three]), case .unavailable = read([]) else {
            Issue.record("It accepted an incomplete answer.")
            return
        }
    }

    private static func message(_ sequence: Int, before: Int, pending: Int) -> NATSMessage {
        NATSMessage(
            subject: "a",
            subscription: 1,
            headers: [
                "Trackway-Kind": "intake", "Nats-Sequence": "\(sequence)", "Nats-Last-Sequence": "\(before)",
                "Nats-Num-Pending": "\(pending)",
            ],
            body: [UInt8(sequence)]
        )
    }

    @Test("a missing connection is reported, and records of other collectors are noticed")
    func looks() async throws {
        engine.change { $0.connection = nil }
        guard case .unavailable(_, 1, let reason)? = await fault(follower()) else {
            Issue.record("It read without a connection.")
            return
        }
        #expect(reason == "not connected to the NATS cluster")
        engine.change { $0.connection = SimulatedEngine.connection(1) }
        let follower = follower()
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await follower.run() }
            for count in [1, 3, 7] {
                let known = engine.state.withLock { $0.records.count }
                if count > known { fill(count - known) }
                try await Deadline.wait(while: highest.withLock({ $0 }) < UInt64(count))
            }
            group.cancelAll()
        }
        #expect(highest.withLock { $0 } == 7)
    }
}

@Suite("Waiting for a cluster at start")
struct EngineStartTests {
    private static func steps(_ standings: [(seconds: Int, DurabilityState.Standing)]) -> [EngineStart.Step] {
        let clock = ManualClock()
        let began = clock.now().monotonic
        var start = EngineStart(at: began)
        return standings.map { start.stands($0.1, trouble: nil, at: began.advanced(by: .seconds($0.seconds))) }
    }

    @Test("a proven cluster starts immediately, and an unproven one may remain unproven for three seconds")
    func unproven() {
        let faults = DurabilityState.Standing.unproven([.missing(stream: "INTAKE_0")])
        let sentence = "The stream INTAKE_0 does not exist; create it with `trackway-cluster engine init`."
        #expect(Self.steps([(0, .unknown("x")), (5, .proven)]) == [.wait, .begin])
        #expect(Self.steps([(0, faults), (2, faults), (3, faults)]) == [.wait, .wait, .giveUp([sentence])])
        // A different state in between restarts the three seconds.
        #expect(
            Self.steps([(0, faults), (1, .unknown("x")), (3, faults), (5, .proven)]) == [.wait, .wait, .wait, .begin]
        )
    }

    @Test("an unknown state may last for twenty seconds, and is reported once, after two")
    func unknown() {
        let nobody = DurabilityState.Standing.unknown("not connected to the NATS cluster")
        let steps = Self.steps([(0, nobody), (1, nobody), (2, nobody), (19, nobody), (20, nobody)])
        let sentence =
            "Waiting for proof of the NATS cluster's durability: not connected to the NATS cluster."
        #expect(steps.dropLast() == [.wait, .wait, .say(sentence), .wait])
        #expect(
            steps.last
                == .giveUp(["The NATS cluster's durability could not be proven: not connected to the NATS cluster."])
        )
    }

    @Test("a closed stream is waited for as configured, counted from when it was found closed")
    func closed() {
        let began = ManualClock().now().monotonic
        var times = EngineStart.Times()
        times.closed = .seconds(5)
        var start = EngineStart(times: times, at: began)
        func step(_ seconds: Int, _ isClosed: Bool) -> EngineStart.Step {
            let standing = DurabilityState.Standing.unknown("the stream INTAKE_0 is closed")
            return start.stands(standing, trouble: nil, isClosed: isClosed, at: began.advanced(by: .seconds(seconds)))
        }
        let reason = "the stream INTAKE_0 is closed."
        #expect(step(1, true) == .wait)
        #expect(step(4, true) == .say("Waiting for proof of the NATS cluster's durability: \(reason)"))
        // A different state in between restarts the wait.
        #expect(step(5, false) == .wait && step(6, true) == .wait && step(10, true) == .wait)
        #expect(step(11, true) == .giveUp(["The NATS cluster's durability could not be proven: \(reason)"]))
    }

    @Test(
        "a lost connection does not hide a closed stream, and otherwise explains the unknown state",
        arguments: [
            (true, "INTAKE_0 is closed; n1 cannot be reached."), (false, "n1 cannot be reached."),
        ]
    )
    func trouble(_ isClosed: Bool, _ words: String) {
        let began = ManualClock().now().monotonic
        var start = EngineStart(at: began)
        func step(_ seconds: Int) -> EngineStart.Step {
            start.stands(
                .unknown("INTAKE_0 is closed"),
                trouble: "n1 cannot be reached",
                isClosed: isClosed,
                at: began.advanced(by: .seconds(seconds))
            )
        }
        #expect(step(2) == .say("Waiting for proof of the NATS cluster's durability: \(words)"))
        #expect(step(22) == .giveUp(["The NATS cluster's durability could not be proven: \(words)"]))
    }
}
