// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import Testing
internal import TrackwayCore
internal import TrackwayDestinationKit
internal import TrackwayJournal
internal import TrackwayTesting

@testable import CollectorJetStream

@Suite("Stream intake", .timeLimit(.minutes(5)))
struct StreamIntakeTests {
    private let engine = SimulatedEngine()
    private let clock = ManualClock()
    private let status = Locked(DurabilityState.Status.proven)

    private func intake(
        _ options: IntakeOptions = IntakeOptions(),
        known: UInt64 = 0,
        seed: UInt64 = 1
    ) -> StreamIntake {
        var random = SeededGenerator(seed: seed)
        return StreamIntake(
            engine,
            status: { [status] in status.withLock { $0 } },
            options: options,
            known: known,
            clock: clock,
            randomUInt64: { random.next() },
            // Sleeping advances the clock.
            sleep: { [clock] in
                clock.advance(by: $0)
                await Task.yield()
            }
        )
    }

    private func rejection(_ intake: StreamIntake, _ route: IntakeRoute = .unrouted) async -> IntakeError? {
        do throws(IntakeError) {
            _ = try await intake.commit(kind: .intake, record: [1], route: route)
            return nil
        } catch {
            return error
        }
    }

    private static let installation = InstallationID(high: 1, low: 2)

    private static func route(id: String = "b1", dropped: ClosedRange<UInt64>? = nil, key: String = "shop")
        -> IntakeRoute
    {
        let droppedRanges = dropped.map { [DroppedRange(sequences: $0, reason: DropReason(rawValue: "expired"))] } ?? []
        return IntakeRoute(
            BatchHeader(id: id, installation: installation, first: 1, last: 9, sent: nil, dropped: droppedRanges),
            key: key
        )
    }

    @Test
    func `a record is stored unchanged under its subject, with its kind and the stream's name, and replicated`()
        async throws
    {
        let intake = intake()
        #expect(await intake.committedEnd() == nil && intake.failure == nil)
        let commit = try await intake.commit(kind: .quarantine, record: Array("a\nb".utf8), route: Self.route())
        #expect(commit == Commit(position: LogPosition(segment: 0, offset: 2), durability: .replicated))
        #expect(await intake.committedEnd() == commit.position && intake.end == commit.position)
        let record = engine.state.withLock { $0.records[0] }
        #expect(record.body == Array("a\nb".utf8))
        #expect(record.headers?["Trackway-Kind"] == "quarantine")
        #expect(record.headers?["Nats-Expected-Stream"] == "INTAKE_0")
        #expect(intake.statistics.records == 1 && intake.statistics.bytes == 3 && intake.statistics.waiting == 0)
        let read = try await intake.record(at: EventPosition(stream: 0, sequence: 1, ordinal: 4))
        #expect(read?.kind == .quarantine && read?.payload == Array("a\nb".utf8))
        #expect(try await intake.record(at: EventPosition(stream: 0, sequence: 2)) == nil)
        #expect(try await intake.record(at: EventPosition(stream: 1, sequence: 1)) == nil)
    }

    @Test
    func `a repeated batch is stored once; one with different drops, a different key, or no id is a different batch`()
        async throws
    {
        let intake = intake()
        var positions: [LogPosition] = []
        for route in [
            Self.route(), Self.route(), Self.route(dropped: 3...4), Self.route(dropped: 3...5),
            Self.route(key: "other"),
            Self.route(id: "b2"), .unrouted, .unrouted, Self.route(),
        ] {
            positions.append(try await intake.commit(kind: .intake, record: [1], route: route).position)
        }
        #expect(positions.map(\.offset) == [2, 2, 3, 4, 5, 6, 7, 8, 2])
        // After its installation was erased, a batch is not a duplicate of the earlier one.
        let erased = try await intake.commit(kind: .erasedEvents, record: [1], route: Self.route())
        #expect(erased.position.offset == 9)
        // Another collector generates other ids for batches without one.
        let other = self.intake(seed: 2)
        #expect(try await other.commit(kind: .intake, record: [1], route: .unrouted).position.offset == 10)
        #expect(try await other.commit(kind: .intake, record: [1], route: Self.route()).position.offset == 2)
    }

    @Test
    func `a batch's identity is a stable 128-bit value`() {
        #expect(Self.route().identity?.hexadecimal == "c28d06c3f8ad98590b05063a99b8bd61")
        #expect(IntakeRoute.unrouted.identity == nil && IntakeRoute(BatchHeader(), key: "k").identity == nil)
        #expect(IntakeRoute(installation: Self.installation).installation == Self.installation)
    }

    @Test(arguments: [SimulatedEngine.RequestOutcome.answerLost, .lost, .disconnected, .error(10_158), .error(10_001)])
    func `a record with an unknown outcome is retried with the same id, on another server, and stored once`(
        outcome: SimulatedEngine.RequestOutcome
    ) async throws {
        engine.change { $0.nextOutcomes = [outcome, outcome] }
        let commit = try await intake().commit(kind: .intake, record: [1], route: .unrouted)
        #expect(commit.position.offset == 2)
        #expect(engine.state.withLock { $0.records.count } == 1)
        #expect(engine.state.withLock { $0.published } == 3)
        let shouldSwitchServer = outcome != .error(10_158)
        #expect((engine.connection?.number ?? 0 > 1) == shouldSwitchServer)
    }

    @Test
    func `without a leader, a batch is held for ten seconds and rejected temporarily, and readiness reports it`() async
    {
        engine.change { $0.defaultOutcome = .noLeader }
        let intake = intake()
        let start = clock.now().monotonic
        let error = await rejection(intake)
        #expect(error?.code == .engineUnavailable && error?.retryAfter == .seconds(5))
        #expect(error?.message.hasSuffix("The batch is not stored.") == true)
        #expect(start.duration(to: clock.now().monotonic) == .seconds(10))
        #expect(intake.failure == error && intake.statistics.refused == 1)
        // Load balancers may send nothing to a collector that is not ready, so it becomes ready automatically.
        clock.advance(by: .seconds(5))
        #expect(intake.failure == nil)
        #expect(engine.state.withLock { $0.records.isEmpty })
        #expect(engine.state.withLock { $0.droppedConnections.count } == 3)
    }

    @Test
    func `a batch whose outcome stays unknown is never acknowledged, and the error says that it may be stored`() async {
        engine.change { $0.defaultOutcome = .answerLost }
        let error = await rejection(intake())
        #expect(error?.code == .engineUnavailable)
        #expect(error?.message.contains("If it is sent again, it is still stored only once") == true)
        #expect(engine.state.withLock { $0.records.count } == 1)
    }

    @Test
    func `while the cluster accepts nothing, one record probes and the others wait for it`() async {
        engine.change { $0.defaultOutcome = .noLeader }
        let intake = intake()
        await withTaskGroup(of: IntakeError?.self) { group in
            for _ in 0..<100 { group.addTask { await rejection(intake) } }
            for await error in group { #expect(error?.code == .engineUnavailable) }
        }
        // At most one attempt per record until the outage is known, then one attempt at a time, 150 ms apart.
        #expect(engine.state.withLock { $0.published } <= 100 + 10_000 / 150 + 2)
        #expect(intake.statistics.waiting == 0)
    }

    @Test
    func `a cluster that is not durable receives nothing, and the sender gets an answer immediately`() async {
        status.withLock { $0 = .unproven([.notSyncing(server: "n1", version: "2.15.1")]) }
        let intake = intake()
        let start = clock.now().monotonic
        let error = await rejection(intake)
        #expect(
            error?.code == .engineNotDurable
                && error?.message.hasPrefix("The server n1 does not sync every write") == true
        )
        #expect(start == clock.now().monotonic && engine.state.withLock { $0.published } == 0)
        #expect(intake.failure == error)
    }

    @Test
    func `while durability is unknown, records wait; they continue once it is proven`() async throws {
        status.withLock { $0 = .unknown("no proof yet") }
        let intake = intake()
        #expect(intake.failure?.code == .engineUnavailable)
        let error = await rejection(intake)
        #expect(error?.code == .engineUnavailable && error?.message.contains("no proof yet") == true)
        #expect(engine.state.withLock { $0.published } == 0)
        async let commit = intake.commit(kind: .intake, record: [1], route: .unrouted)
        status.withLock { $0 = .proven }
        #expect(try await commit.position.offset == 2)
    }

    @Test(arguments: [
        (10_077, IntakeError.Code.engineFull, 60), (10_054, .engineMisconfigured, 60),
        (10_060, .engineMisconfigured, 60),
    ])
    func `a record is rejected immediately if waiting does not help, and the error stays until the next success`(
        number: Int,
        code: IntakeError.Code,
        seconds: Int
    ) async throws {
        engine.change { $0.nextOutcomes = [.error(number)] }
        let intake = intake()
        let error = await rejection(intake)
        #expect(error?.code == code && error?.retryAfter == .seconds(seconds))
        #expect(intake.failure?.code == code)
        _ = try await intake.commit(kind: .intake, record: [1], route: .unrouted)
        #expect(intake.failure == nil)
    }

    @Test
    func `held records are limited in number and bytes`() {
        var options = IntakeOptions()
        options.waitingBatches = 2
        options.waitingBytes = 10
        var gate = StreamIntakeGate(stream: "INTAKE_0", options: options)
        #expect(gate.admit(bytes: 11) == nil)
        #expect(gate.admit(bytes: 1)?.code == .busy)
        gate.release(bytes: 11)
        #expect(gate.admit(bytes: 5) == nil && gate.admit(bytes: 5) == nil)
        #expect(gate.admit(bytes: 0)?.code == .busy)
        gate.release(bytes: 5)
        #expect(gate.admit(bytes: 6)?.code == .busy && gate.admit(bytes: 5) == nil)
        #expect(gate.heldRecords == 2 && gate.heldBytes == 10)
    }

    @Test
    func `one acknowledgment or two reports of a stream end that moved backward stop the intake`()
        async throws
    {
        let intake = intake()
        for _ in 0..<3 { _ = try await intake.commit(kind: .intake, record: [1], route: .unrouted) }
        // The stream was recreated.
        engine.change { $0.records = [] }
        let error = await rejection(intake)
        #expect(error?.code == .stopped && error?.message.contains("INTAKE_0 moved back from 3 to 1") == true)
        #expect(await rejection(intake) == error && intake.failure == error)

        let other = self.intake()
        var facts = SimulatedEngine.facts
        facts.lastSequence = 9
        other.update(with: facts, knownEnd: 0)
        #expect(other.highest == 9 && other.end.offset == 10)
        facts.lastSequence = 8
        other.update(with: facts, knownEnd: 9)
        #expect(other.failure == nil)
        facts.lastSequence = 9
        other.update(with: facts, knownEnd: 9)
        facts.lastSequence = 8
        other.update(with: facts, knownEnd: 9)
        other.update(with: facts, knownEnd: 9)
        #expect(other.failure?.code == .stopped)
    }

    @Test
    func `a stream that ends before an index's position is not trusted, in reports or acknowledgments`() async {
        let intake = intake(known: 5)
        #expect(intake.highest == 5)
        #expect(await rejection(intake)?.message.contains("INTAKE_0 moved back from 5 to 1") == true)
        let other = self.intake(known: 5)
        var facts = SimulatedEngine.facts
        facts.lastSequence = 4
        other.update(with: facts, knownEnd: 5)
        other.update(with: facts, knownEnd: 5)
        #expect(other.failure?.code == .stopped)
    }

    @Test
    func `outdated reports of an isolated leader do not stop the intake`() {
        let intake = intake()
        intake.advance(to: 9)
        var facts = SimulatedEngine.facts
        facts.lastSequence = 5
        for replicas in [(Duration.seconds(2), false), (.zero, true)] {
            facts.replicas = facts.replicas.map {
                .init(name: $0.name, isOffline: replicas.1, sinceContact: replicas.0)
            }
            for _ in 0..<5 { intake.update(with: facts, knownEnd: 9) }
            #expect(intake.failure == nil && intake.highest == 9)
        }
        // One of the two is enough for a majority.
        facts.replicas[0] = .init(name: facts.replicas[0].name)
        for _ in 0..<2 { intake.update(with: facts, knownEnd: 9) }
        #expect(intake.failure?.code == .stopped)
    }

    @Test
    func `records read from the stream count as known, and a recreated stream stops the intake permanently`() async {
        let intake = intake()
        intake.advance(to: 7)
        #expect(intake.highest == 7 && intake.end == LogPosition(stream: 0, sequence: 8))
        var facts = SimulatedEngine.facts
        facts.lastSequence = 7
        facts.created = "2026-01-01"
        intake.update(with: facts, knownEnd: 7)
        intake.update(with: facts, knownEnd: 7)
        #expect(intake.failure == nil)
        facts.created = "2026-02-02"
        facts.lastSequence = 9
        intake.update(with: facts, knownEnd: 7)
        #expect(intake.failure?.code == .stopped)
        #expect(await rejection(intake)?.message.contains("was recreated (2026-02-02, previously 2026-01-01)") == true)
    }

    @Test
    func `a collector that shuts down accepts no more records`() async {
        let intake = intake()
        await intake.close()
        #expect(await rejection(intake)?.code == .closing)
        #expect(engine.state.withLock { $0.published } == 0)
    }

    @Test(arguments: 1...100)
    func `acknowledged records are stored once, at the returned position, for any sequence of failures`(seed: UInt64)
        async
    {
        var random = SeededGenerator(seed: seed)
        let nextOutcomes: [SimulatedEngine.RequestOutcome] = (0..<60).map { _ in
            switch Int.random(in: 0..<10, using: &random) {
            case 0: .answerLost
            case 1: .lost
            case 2: .noLeader
            case 3: .disconnected
            case 4: .error([10_158, 10_008, 10_077, 10_001, 10_054][Int.random(in: 0..<5, using: &random)])
            default: .answered
            }
        }
        engine.change { $0.nextOutcomes = nextOutcomes }
        let intake = intake(seed: seed)
        let answers = await withTaskGroup(of: (UInt8, LogPosition?).self) { group in
            for number in UInt8(0)..<40 {
                // Some are sent twice, by a sender that did not wait.
                for _ in 0..<(number.isMultiple(of: 4) ? 2 : 1) {
                    group.addTask {
                        do throws(IntakeError) {
                            let route = Self.route(id: "b\(number)")
                            return (
                                number, try await intake.commit(kind: .intake, record: [number], route: route).position
                            )
                        } catch {
                            return (number, nil)
                        }
                    }
                }
            }
            return await group.reduce(into: [(UInt8, LogPosition?)]()) { $0.append($1) }
        }
        let records = engine.state.withLock { $0.records.map(\.body) }
        for (number, position) in answers {
            guard let position else { continue }
            #expect(records[Int(position.offset) - 2] == [number])
        }
        #expect(Set(records).count == records.count)
        #expect(answers.contains { $0.1 != nil })
        #expect(intake.statistics.waiting == 0)
    }

    @Test
    func `rejections are counted by reason, including those before the cluster is asked`() async {
        let intake = intake()
        let order = OrderFollower(
            OrderStream(engine, system: engine),
            clock: clock,
            jitter: 1,
            sleep: { _ in await Task.yield() },
            end: { _, _ in nil },
            onChange: { _ in },
            onWarning: { _ in }
        )
        func orderedIntake(_ options: IntakeOptions, servers: EngineStatistics?) -> OrderedIntake {
            OrderedIntake(
                order,
                engine: engine,
                options: options,
                sleep: { _ in await Task.yield() },
                servers: { servers },
                intake: { _ in intake },
                all: { [intake] }
            )
        }
        func commit(_ intake: OrderedIntake) async -> IntakeError.Code? {
            do throws(IntakeError) {
                _ = try await intake.commit(kind: .intake, record: [1], route: .unrouted)
                return nil
            } catch {
                return error.code
            }
        }
        var servers = EngineStatistics()
        servers.servers = [.proven: 3]
        let intakeWithServers = orderedIntake(IntakeOptions(), servers: servers)
        #expect(await commit(intakeWithServers) == nil && intakeWithServers.engineStatistics == servers)
        status.withLock { $0 = .unproven([.missing(stream: "INTAKE_0")]) }
        for _ in 0..<2 { #expect(await commit(intakeWithServers) == .engineNotDurable) }
        status.withLock { $0 = .proven }
        engine.change { $0.nextOutcomes = [.error(10_077)] }
        #expect(await commit(intakeWithServers) == .engineFull)
        servers.refused = [.engineNotDurable: 2, .engineFull: 1]
        #expect(intakeWithServers.engineStatistics == servers)
        var none = IntakeOptions()
        none.waitingBatches = 0
        let full = orderedIntake(none, servers: EngineStatistics())
        #expect(await commit(full) == .busy && full.engineStatistics?.refused == [.busy: 1])
        #expect(orderedIntake(none, servers: nil).engineStatistics == nil)
    }
}
