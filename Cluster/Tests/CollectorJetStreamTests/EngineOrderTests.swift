// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ClusterTesting
internal import CollectorCore
internal import Testing
internal import TrackwayCore
internal import TrackwayDestinationKit
internal import TrackwayJournal
internal import TrackwayTesting

@testable internal import CollectorJetStream

/// Several streams on real servers.
///
/// Records are published to them and read in order while other streams are opened.
@Suite(
    .enabled(if: NATSServerBinary.isAvailable, "TRACKWAY_ENGINE_TESTS=1 starts real servers"),
    .serialized,
    .timeLimit(.minutes(5))
)
struct EngineOrderTests {
    /// An acknowledged record.
    private struct Acknowledged: Sendable {
        let installation: Int
        let number: Int
        let position: LogPosition
        var payload: [UInt8] { EngineOrderTests.payload(installation, number) }
    }

    private static let installations = 24

    private static func payload(_ installation: Int, _ number: Int) -> [UInt8] {
        [UInt8(installation), UInt8(number >> 8), UInt8(number & 255)]
    }

    private static func pause() async throws { try await ContinuousClock().sleep(for: .milliseconds(10)) }

    private static func until(_ condition: () -> Bool) async throws {
        while !condition() { try await pause() }
    }

    private static func engine(_ cluster: NATSTestCluster, seed: UInt64) -> Engine {
        let random = Locked(SeededGenerator(seed: seed))
        return Engine(
            cluster.addresses,
            credentials: NATSTestCluster.credentials,
            clock: SystemClock(),
            randomUInt64: { random.withLock { $0.next() } },
            // Real servers need real time.
            sleep: { try? await ContinuousClock().sleep(for: $0) }
        )
    }

    /// Runs several cluster clients while `body` runs.
    private static func run(
        _ count: Int,
        on cluster: NATSTestCluster,
        seed: UInt64 = 1,
        _ body: @escaping @Sendable ([Engine]) async throws -> Void
    ) async throws {
        let engines = (0..<count).map { engine(cluster, seed: seed * 100 + UInt64($0)) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for engine in engines { group.addTask { await engine.run() } }
            group.addTask { try await body(engines) }
            try await group.next()
            group.cancelAll()
        }
    }

    /// Sends records of every installation, one after the other, while `isRunning` returns true.
    private static func send(
        _ engines: [Engine],
        _ acknowledged: Locked<[Acknowledged]>,
        while isRunning: @escaping @Sendable () -> Bool
    ) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for installation in 0..<installations {
                group.addTask {
                    let id = InstallationID(high: 7, low: UInt64(installation))
                    var number = acknowledged.withLock {
                        $0.filter { $0.installation == installation }.map(\.number).max() ?? 0
                    }
                    while isRunning() {
                        number += 1
                        var header = BatchHeader(id: "\(installation).\(number)")
                        header.installation = id
                        while true {
                            do throws(IntakeError) {
                                let commit = try await engines[(installation + number) % engines.count].intake.commit(
                                    kind: .intake,
                                    record: payload(installation, number),
                                    route: IntakeRoute(header, key: "k")
                                )
                                let entry = Acknowledged(
                                    installation: installation,
                                    number: number,
                                    position: commit.position
                                )
                                acknowledged.withLock { $0.append(entry) }
                                break
                            } catch {
                                #expect(error.code == .engineUnavailable || error.code == .engineNotDurable, "\(error)")
                                try await pause()
                            }
                        }
                        try await pause()
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    /// Returns all records in the order, as read by one engine.
    private static func read(_ engine: Engine, from first: UInt64 = 1) async throws -> [StreamedRecord] {
        var all: [StreamedRecord] = []
        var next = LogPosition(stream: 0, sequence: first)
        let end = engine.intake.end
        while next < end {
            let records = try await engine.records.records(from: next, upTo: end)
            #expect(records.first?.start == next)
            for (record, following) in zip(records, records.dropFirst()) { #expect(record.end == following.start) }
            all += records
            next = records.last?.end ?? end
        }
        return all
    }

    @Test
    func `records move from one to three to two streams under load, and all readers see all of them in one order`()
        async throws
    {
        try await NATSTestCluster.run { cluster in
            try await Self.run(3, on: cluster) { engines in
                try await Self.until { engines[0].status == .unproven([.missing(stream: "INTAKE_0")]) }
                _ = try await engines[0].makeStream(bytes: 64 << 20, within: .seconds(30))
                for engine in engines { try await Self.until { engine.status == .proven } }
                let acknowledged = Locked<[Acknowledged]>([])
                let isFinished = Locked(false)
                try await withThrowingTaskGroup(of: Void.self) { group in
                    group.addTask {
                        try await Self.send(Array(engines.prefix(2)), acknowledged) { !isFinished.withLock { $0 } }
                    }
                    for count in [3, 2] {
                        let before = acknowledged.withLock { $0.count }
                        try await Self.until { acknowledged.withLock { $0.count } > before + 400 }
                        // No sender uses the third engine.
                        let runner = StreamChangeRunner(engines[2])
                        let reason = await runner.run(to: count) { _ in }
                        #expect(reason == nil)
                        #expect(await runner.run(to: count) { _ in } == nil)
                        let after = acknowledged.withLock { $0.count }
                        try await Self.until { acknowledged.withLock { $0.count } > after + 400 }
                    }
                    isFinished.withLock { $0 = true }
                    try await group.waitForAll()
                }
                let all = acknowledged.withLock { $0 }
                // Waiters for a position resume once every acknowledged record has its position in the order.
                for entry in all.suffix(50) {
                    let position = EventPosition(segment: entry.position.segment, offset: entry.position.offset)
                    #expect(await engines[2].intake.indexedPosition(of: position, within: .seconds(30)) != nil)
                }
                try await Self.until { engines.allSatisfy { $0.intake.readable == engines[0].intake.highest } }
                try await Self.check(all, engines)
                try await Self.run(1, on: cluster, seed: 2) { newEngines in
                    try await Self.until { newEngines[0].status == .proven }
                    #expect(try await Self.read(newEngines[0]) == Self.read(engines[0]))
                    try await Self.purge(newEngines[0], engines[0], cluster)
                }
            }
        }
    }

    private static func check(_ all: [Acknowledged], _ engines: [Engine]) async throws {
        let records = try await read(engines[0])
        for engine in engines.dropFirst() { #expect(try await read(engine) == records) }
        let stored = records.filter { $0.kind == .intake }.map(\.payload)
        #expect(Set(all.map(\.payload)).isSubset(of: Set(stored)))
        #expect(Set(all.map(\.position)).count == all.count)
        #expect(
            Set(all.map(\.position).map { EventPosition(segment: $0.segment, offset: $0.offset).stream }).count == 6
        )
        // An installation's later records follow its earlier ones.
        for installation in 0..<installations {
            var last = 0
            var seen: Set<Int> = []
            for payload in stored where payload[0] == UInt8(installation) {
                let number = Int(payload[1]) << 8 | Int(payload[2])
                guard seen.insert(number).inserted else { continue }
                #expect(number > last, "installation \(installation): \(number) after \(last)")
                last = number
            }
        }
        for record in [records[0], records[records.count / 2], records[records.count - 1]] {
            let found = try await engines[1].intake.record(
                at: EventPosition(segment: record.start.segment, offset: record.start.offset)
            )
            #expect(found?.payload == record.payload)
        }
    }

    /// Removes records in several steps: within the first stream, within the next three, and up to the last record.
    private static func purge(_ engine: Engine, _ other: Engine, _ cluster: NATSTestCluster) async throws {
        let records = try await read(engine)
        let end = UInt64(records.count)
        #expect(try await engine.maintenance.extent() == StreamExtent(first: 1, last: end))
        var removed: UInt64 = 0
        for before in [end / 8, end / 3, end / 2, end] {
            removed += try await engine.maintenance.purge(before: before)
            #expect(removed == before - 1)
            #expect(try await engine.maintenance.extent() == StreamExtent(first: before, last: end))
            #expect(try await other.maintenance.purge(before: before) == 0)
            try await run(1, on: cluster, seed: before) { newEngines in
                try await until { newEngines[0].status == .proven }
                #expect(try await read(newEngines[0], from: before) == Array(records.dropFirst(Int(before) - 1)))
                await #expect(throws: StreamFault.self) { try await read(newEngines[0], from: before - 1) }
                #expect(try await newEngines[0].maintenance.time(of: before) != nil)
            }
        }
    }
}
