// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ClusterTesting
internal import CollectorCore
internal import Testing
internal import TrackwayCore
internal import TrackwayDestinationKit
internal import TrackwayJournal
internal import TrackwayTesting

@testable import CollectorJetStream

/// Tests with real servers. Skipped if they are unavailable; all decisions are also tested without them.
@Suite(
    "Three NATS servers",
    .enabled(if: NATSServerBinary.isEnabled, "Set TRACKWAY_ENGINE_TESTS=1 to run these tests separately from others."),
    .enabled(if: NATSServerBinary.isAvailable, "nats-server is not installed and could not be installed."),
    .serialized,
    .timeLimit(.minutes(2))
)
struct EngineTests {
    /// Runs a cluster client while `body` runs.
    private static func run(
        _ cluster: NATSTestCluster,
        _ credentials: EngineCredentials = NATSTestCluster.credentials,
        _ body: @escaping @Sendable (Engine) async throws -> Void
    ) async throws {
        let random = Locked(SeededGenerator(seed: 5))
        let engine = Engine(
            cluster.addresses,
            credentials: credentials,
            clock: SystemClock(),
            randomUInt64: { random.withLock { $0.next() } },
            // Real servers need real time.
            sleep: { try? await ContinuousClock().sleep(for: $0) }
        )
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await engine.run() }
            group.addTask { try await body(engine) }
            try await group.next()
            group.cancelAll()
        }
    }

    /// Creates the stream, as soon as the servers have formed a cluster.
    private static func makeStream(_ engine: Engine) async throws {
        while true {
            do {
                try await engine.makeStream(bytes: 64 << 20)
                return
            } catch {
                try await pause()
            }
        }
    }

    /// Yields the CPU to other tests, because servers take time anyway.
    private static func pause() async throws { try await ContinuousClock().sleep(for: .milliseconds(20)) }

    private static func until(_ condition: () -> Bool) async throws {
        while !condition() { try await pause() }
    }

    private static func route(_ id: String) -> IntakeRoute { IntakeRoute(BatchHeader(id: id), key: "k") }

    private static func rejection(_ engine: Engine) async -> IntakeError? {
        do throws(IntakeError) {
            _ = try await engine.intake.commit(kind: .intake, record: [1], route: .unrouted)
            return nil
        } catch {
            return error
        }
    }

    @Test
    func `a missing stream is reported, then created and proven, and stores a repeated record only once`() async throws
    {
        try await NATSTestCluster.run { cluster in
            try await Self.run(cluster) { engine in
                try await Self.until { engine.status == .unproven([.missing(stream: "INTAKE_0")]) }
                #expect(await Self.rejection(engine)?.code == .engineNotDurable)
                try await Self.makeStream(engine)
                // Creating an existing stream is not an error.
                try await engine.makeStream(bytes: 1 << 20)
                try await Self.until { engine.status == .proven }
                #expect(engine.intake.failure == nil)
                let long = [UInt8](repeating: 0x0d, count: 2 << 20)
                let first = try await engine.intake.commit(kind: .intake, record: long, route: Self.route("a"))
                let again = try await engine.intake.commit(kind: .intake, record: long, route: Self.route("a"))
                let other = try await engine.intake.commit(kind: .erasure, record: [7], route: Self.route("a"))
                #expect(first == Commit(position: LogPosition(stream: 0, sequence: 2), durability: .replicated))
                #expect(again == first && other.position == LogPosition(stream: 0, sequence: 3))
                let read = try await engine.intake.record(at: EventPosition(stream: 0, sequence: 1, ordinal: 9))
                #expect(read?.kind == .intake && read?.payload == long)
                #expect(try await engine.intake.record(at: EventPosition(stream: 0, sequence: 2))?.kind == .erasure)
                #expect(try await engine.intake.record(at: EventPosition(stream: 0, sequence: 99)) == nil)
            }
        }
    }

    @Test
    func `a server that does not sync every write is named, and records are rejected`() async throws {
        try await NATSTestCluster.run(withoutSync: ["n1"]) { cluster in
            try await Self.run(cluster) { engine in
                try await Self.makeStream(engine)
                let fault = DurabilityFault.notSyncing(server: "n1", version: NATSServerBinary.version)
                try await Self.until { engine.status == .unproven([fault]) }
                let error = await Self.rejection(engine)
                #expect(error?.code == .engineNotDurable && error?.message == fault.description)
            }
        }
    }

    @Test
    func `without a system account user, the servers' sync settings are unknown; a wrong password is reported`()
        async throws
    {
        try await NATSTestCluster.run { cluster in
            let user = NATSTestCluster.credentials.user
            try await Self.run(cluster, EngineCredentials(user: user)) { engine in
                try await Self.makeStream(engine)
                try await Self.until {
                    guard case .unknown(let reason) = engine.status else { return false }
                    return reason.contains(
                        "did not report how they sync; set credentials of the system account"
                    )
                }
            }
            let stranger = EngineCredentials(user: NATSCredentials(user: "trackway", password: "wrong"))
            try await Self.run(cluster, stranger) { engine in
                try await Self.until {
                    engine.connectionError?.contains("rejected the connection: Authorization Violation") == true
                }
                #expect(engine.status == .unknown("not connected to the NATS cluster"))
            }
        }
    }

    @Test
    func `after a server is killed under load and restarted, every acknowledged record is at its position, once`()
        async throws
    {
        try await NATSTestCluster.run { cluster in
            try await Self.run(cluster) { engine in
                try await Self.makeStream(engine)
                try await Self.until { engine.status == .proven }
                let answered = Locked<[(UInt16, LogPosition)]>([])
                let next = Locked<UInt16>(0)
                let isOver = Locked(false)
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for _ in 0..<4 {
                        group.addTask {
                            while !isOver.withLock({ $0 }) {
                                try await Self.pause()
                                let number = next.withLock { number in
                                    number += 1
                                    return number
                                }
                                let record = [UInt8(number >> 8), UInt8(number & 255)]
                                do throws(IntakeError) {
                                    let commit = try await engine.intake.commit(
                                        kind: .intake,
                                        record: record,
                                        route: Self.route("\(number)")
                                    )
                                    answered.withLock { $0.append((number, commit.position)) }
                                } catch {
                                    if error.code == .closing { return }
                                    // Rejected records may or may not be stored; the sender still has them.
                                    #expect(error.code == .engineUnavailable, "\(error)")
                                }
                            }
                        }
                    }
                    for name in ["n0", "n1"] {
                        let before = answered.withLock { $0.count }
                        try await Self.until { answered.withLock { $0.count } > before + 50 }
                        await cluster.kill(name)
                        let killed = answered.withLock { $0.count }
                        try await Self.until { answered.withLock { $0.count } > killed + 50 }
                        try await cluster.start(name)
                        try await Self.until { engine.status == .proven }
                    }
                    isOver.withLock { $0 = true }
                    try await group.waitForAll()
                }
                let all = answered.withLock { $0 }
                #expect(all.count > 200 && Set(all.map(\.1)).count == all.count)
                for (number, position) in all {
                    let place = EventPosition(stream: 0, sequence: position.streamSequence - 1)
                    let record = try await engine.intake.record(at: place)
                    #expect(record?.payload == [UInt8(number >> 8), UInt8(number & 255)])
                }
            }
        }
    }

    @Test
    func `without two of three servers, records are rejected temporarily, and accepted once one of them is back`()
        async throws
    {
        try await NATSTestCluster.run { cluster in
            try await Self.run(cluster) { engine in
                try await Self.makeStream(engine)
                try await Self.until { engine.status == .proven }
                await cluster.kill("n0")
                await cluster.kill("n1")
                let began = ContinuousClock.now
                let error = await Self.rejection(engine)
                #expect(error?.code == .engineUnavailable, "\(String(describing: error))")
                #expect(began.duration(to: .now) < .seconds(14))
                #expect(engine.intake.failure != nil)
                try await cluster.start("n0")
                try await Self.until { engine.status == .proven }
                _ = try await engine.intake.commit(kind: .intake, record: [2], route: .unrouted)
            }
        }
    }
}
