// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import Testing
internal import TrackwayCore
internal import TrackwayJournal

@testable internal import CollectorSQLite

@Suite("Log chunks read ahead")
struct LogChunkTests {
    /// Returns a log of five batches of four events each.
    private static func log() throws -> IndexEnvironment {
        let environment = try IndexEnvironment()
        for number in UInt64(1)...5 {
            var batch = Batch(number, 1, 1...4)
            batch.lines = (1...4).map { line(number * 10 + $0) }
            try environment.append(batch)
        }
        return environment
    }

    /// Returns the number of batches in each chunk.
    ///
    /// The chunks are read one after the other.
    private static func batches(_ environment: IndexEnvironment, events: Int, bytes: Int) throws -> [Int] {
        var follower = LogFollower(folder: environment.folder + "/intake", storage: DiskStorage())
        var position = LogPosition.start
        var counts: [Int] = []
        while true {
            let chunk = try LogChunk(
                from: position,
                upTo: environment.log.end,
                LogChunk.Size(events: events, bytes: bytes),
                limits: AdmissionLimits(),
                &follower
            )
            if chunk.isEmpty { return counts }
            #expect(chunk.start == position && chunk.end > position && chunk.damaged == 0)
            counts.append(chunk.records.count)
            position = chunk.end
        }
    }

    @Test(
        arguments: [
            (1, .max, [1, 1, 1, 1, 1]), (4, .max, [1, 1, 1, 1, 1]), (5, .max, [2, 2, 1]), (1_000, .max, [5]),
            (1_000, 1, [1, 1, 1, 1, 1]), (1_000, 800, [2, 2, 1]),
        ] as [(Int, Int, [Int])]
    )
    func `a chunk ends with the batch that reaches its event or byte limit, and no batch is split`(
        events: Int,
        bytes: Int,
        counts: [Int]
    ) throws {
        #expect(try Self.batches(Self.log(), events: events, bytes: bytes) == counts)
    }

    @Test
    func `a chunk read ahead that does not continue at the index's position is discarded and read again`() async throws
    {
        let environment = try Self.log()
        let small = Indexer(folder: environment.folder + "/intake", store: environment.store, eventsPerStep: 4)
        small.markDurable(upTo: environment.log.end)
        // The second batch is read ahead; then the index starts over.
        #expect(try await small.step() == .advanced)
        try await small.rebuild()
        try await small.catchUp()
        #expect(try await environment.all().count == 20)
        #expect(environment.store.progressNow.duplicates == 0)
        // Another indexer indexes the chunk that this one has read ahead.
        try await small.rebuild()
        #expect(try await small.step() == .advanced)
        try await environment.index()
        try await small.catchUp()
        #expect(try await environment.all().count == 20)
        #expect(environment.store.progressNow.duplicates == 0)
    }
}
