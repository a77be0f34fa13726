// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import Testing
internal import TrackwayCore
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
            names: StreamNames(),
            limits: limits,
            sleep: { _ in await Task.yield() },
            highest: { [highest] in highest.withLock { $0 } },
            onReach: { [highest] sequence in highest.withLock { $0 = max($0, sequence) } }
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

    private static func position(_ sequence: UInt64) -> LogPosition { LogPosition(stream: 0, sequence: sequence) }

    private func fault(_ follower: StreamFollower, from start: LogPosition = .start) async -> StreamFault? {
        do {
            _ = try await follower.records(from: start, upTo: Self.position(9))
            return nil
        } catch {
            return error as? StreamFault
        }
    }

    @Test
    func `records arrive in order with positions and kinds, as many at once as the limit allows`() async throws {
        fill(5)
        let follower = follower(records: 3)
        let first = try await follower.records(from: .start, upTo: Self.position(6))
        #expect(first.map(\.payload) == [[1], [2], [3]])
        #expect(first.map(\.kind) == [.intake, .erasure, .intake])
        #expect(first.map(\.start) == (1...3).map { Self.position($0) })
        #expect(first.map(\.end) == (2...4).map { Self.position($0) })
        // The first answer already shows that the stream continues.
        #expect(highest.withLock { $0 } == 5)
        #expect(
            try await follower.records(from: Self.position(4), upTo: Self.position(6)).map(\.payload) == [[4], [5]]
        )
        // An index that reads again gets records from memory or from the stream.
        #expect(try await follower.records(from: Self.position(5), upTo: Self.position(6)).map(\.payload) == [[5]])
        #expect(try await follower.records(from: Self.position(2), upTo: Self.position(6)).count == 3)
    }

    @Test
    func `a record from another client has no kind, but has a position`() async throws {
        engine.change {
            $0.records = [("a", nil, [1]), ("b", ["Trackway-Kind": "200"], [2]), ("c", ["Trackway-Kind": "x"], [])]
        }
        let records = try await follower().records(from: .start, upTo: Self.position(4))
        #expect(records.map(\.kind) == [nil, FrameKind(rawValue: 200), nil])
    }

    @Test(arguments: [1, 2, 4])
    func `a deleted record stops the reader with the same error at every attempt`(deleted: Int) async throws {
        fill(5)
        engine.change { $0.deleted = [deleted] }
        let follower = follower()
        var start = LogPosition.start
        if deleted > 1 {
            let before = try await follower.records(from: start, upTo: Self.position(6))
            #expect(before.count == deleted - 1)
            start = before.last?.end ?? .start
        }
        let expected = StreamFault.gap(stream: "INTAKE_0", sequence: UInt64(deleted), next: UInt64(deleted) + 1)
        #expect(await fault(follower, from: start) == expected)
        #expect(await fault(follower, from: start) == expected)
        #expect(expected.description.contains("no longer has record \(deleted), and continues with \(deleted + 1)"))
    }

    @Test
    func `a lagging server is not a loss: the record is requested again, then reported as missing`() async throws {
        fill(3)
        engine.change { $0.copiedRecords = 1 }
        let follower = follower()
        #expect(try await follower.records(from: .start, upTo: Self.position(4)).count == 1)
        #expect(await fault(follower, from: Self.position(2)) == .missing(stream: "INTAKE_0", sequence: 2))
        engine.change { $0.copiedRecords = nil }
        #expect(try await follower.records(from: Self.position(2), upTo: Self.position(4)).count == 2)
    }

    @Test
    func `a gap unknown to the stream's leader means that the copy is incomplete`() async {
        fill(3)
        engine.change { $0.hidden = [2] }
        let expected = StreamFault.unavailable(stream: "INTAKE_0", sequence: 2, "a server's copy is still incomplete")
        #expect(await fault(follower(), from: Self.position(2)) == expected)
    }

    @Test
    func `lost answers shorten a read, and do not count as gaps`() async throws {
        let names = StreamNames()
        func read(_ messages: [NATSMessage]) -> StreamReadResult { StreamReadResult(messages, from: 1, of: names) }
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
            Issue.record("The follower accepted an incomplete answer.")
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

    @Test
    func `a missing connection is reported, and records of other collectors are noticed`() async throws {
        engine.change { $0.connection = nil }
        guard case .unavailable(_, 1, let reason)? = await fault(follower()) else {
            Issue.record("The follower read without a connection.")
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
struct DurabilityWaitTests {
    private static func steps(_ statuses: [(seconds: Int, DurabilityState.Status)]) -> [DurabilityWait.Step] {
        let clock = ManualClock()
        let start = clock.now().monotonic
        var wait = DurabilityWait(at: start)
        return statuses.map { wait.step(for: $0.1, connectionError: nil, at: start.advanced(by: .seconds($0.seconds))) }
    }

    @Test
    func `a proven cluster starts immediately, and an unproven one may remain unproven for three seconds`() {
        let faults = DurabilityState.Status.unproven([.missing(stream: "INTAKE_0")])
        let sentence = "The stream INTAKE_0 does not exist; create it with `trackway-cluster cluster init`."
        #expect(Self.steps([(0, .unknown("x")), (5, .proven)]) == [.wait, .proceed])
        #expect(Self.steps([(0, faults), (2, faults), (3, faults)]) == [.wait, .wait, .giveUp([sentence])])
        // A different state in between restarts the three seconds.
        #expect(
            Self.steps([(0, faults), (1, .unknown("x")), (3, faults), (5, .proven)]) == [.wait, .wait, .wait, .proceed]
        )
    }

    @Test
    func `an unknown state may last for twenty seconds, and is reported once, after two`() {
        let disconnected = DurabilityState.Status.unknown("not connected to the NATS cluster")
        let steps = Self.steps([
            (0, disconnected), (1, disconnected), (2, disconnected), (19, disconnected), (20, disconnected),
        ])
        let sentence =
            "Waiting for proof of the NATS cluster's durability: not connected to the NATS cluster."
        #expect(steps.dropLast() == [.wait, .wait, .report(sentence), .wait])
        #expect(
            steps.last
                == .giveUp(["The NATS cluster's durability could not be proven: not connected to the NATS cluster."])
        )
    }

    @Test
    func `the configured wait for a closed stream starts when it is found closed`() {
        let start = ManualClock().now().monotonic
        var times = DurabilityWait.Times()
        times.closed = .seconds(5)
        var wait = DurabilityWait(times: times, at: start)
        func step(_ seconds: Int, _ isClosed: Bool) -> DurabilityWait.Step {
            let status = DurabilityState.Status.unknown("the stream INTAKE_0 is closed")
            return wait.step(
                for: status,
                connectionError: nil,
                isClosed: isClosed,
                at: start.advanced(by: .seconds(seconds))
            )
        }
        let reason = "the stream INTAKE_0 is closed."
        #expect(step(1, true) == .wait)
        #expect(step(4, true) == .report("Waiting for proof of the NATS cluster's durability: \(reason)"))
        // A different state in between restarts the wait.
        #expect(step(5, false) == .wait && step(6, true) == .wait && step(10, true) == .wait)
        #expect(step(11, true) == .giveUp(["The NATS cluster's durability could not be proven: \(reason)"]))
    }

    @Test(arguments: [
        (true, "INTAKE_0 is closed; n1 cannot be reached."), (false, "n1 cannot be reached."),
    ])
    func `a lost connection does not hide a closed stream, and otherwise explains the unknown state`(
        _ isClosed: Bool,
        _ expected: String
    ) {
        let start = ManualClock().now().monotonic
        var wait = DurabilityWait(at: start)
        func step(_ seconds: Int) -> DurabilityWait.Step {
            wait.step(
                for:
                    .unknown("INTAKE_0 is closed"),
                connectionError: "n1 cannot be reached",
                isClosed: isClosed,
                at: start.advanced(by: .seconds(seconds))
            )
        }
        #expect(step(2) == .report("Waiting for proof of the NATS cluster's durability: \(expected)"))
        #expect(step(22) == .giveUp(["The NATS cluster's durability could not be proven: \(expected)"]))
    }
}
