// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import Testing
internal import TrackwayCore
internal import TrackwayJournal
internal import TrackwayTesting

@testable import CollectorSQLite

@Suite("Disk space of an index")
struct IndexSpaceTests {
    @Test
    func `the space that an index needs grows with the unread part of the log and the size of recent bodies`() {
        var space = IndexSpace()
        #expect(space.bytesNeeded(forLogBytes: 0) == 0 && space.bytesNeeded(forLogBytes: -5) == 0)
        #expect(space.bytesNeeded(forLogBytes: 1_000) == 6_000)
        space.recordIndexed(logBytes: 1_000, bodyBytes: 100_000)
        #expect(space.bytesNeeded(forLogBytes: 1_000) == 150_000)
        for _ in 0..<100 { space.recordIndexed(logBytes: 1_000, bodyBytes: 2_000) }
        #expect(space.bytesNeeded(forLogBytes: 1_000) == 3_000)
        #expect(space.bytesNeeded(forLogBytes: .max) == IndexSpace.maximumReserve)
        space.recordIndexed(logBytes: 0, bodyBytes: 5)
    }

    @Test(
        arguments: [
            (free: nil, events: 60_000, bytes: 48 << 20, pages: nil),
            (free: 8 << 30, events: 60_000, bytes: 48 << 20, pages: nil),
            (free: 512 << 20, events: 20_000, bytes: 16 << 20, pages: 32_768),
            (free: 64 << 20, events: 5_000, bytes: 4 << 20, pages: 4_096),
            (free: 0, events: 1_250, bytes: 1 << 20, pages: 1_000),
        ] as [(free: Int?, events: Int, bytes: Int, pages: Int?)]
    )
    func `with little space, steps are small, and so is the write-ahead log`(
        _ expected: (free: Int?, events: Int, bytes: Int, pages: Int?)
    ) {
        let size = IndexSpace.step(events: 20_000, times: 3, isFarBehind: true, free: expected.free)
        #expect(size.events == expected.events && size.bytes == expected.bytes)
        #expect(IndexSpace.logPages(free: expected.free) == expected.pages)
        var plan = CheckpointSchedule(pages: 16_000, limit: 64_000)
        plan.transactionCommitted(expected.pages ?? 63_999)
        let step = plan.step(limit: IndexSpace.logPages(free: expected.free))
        #expect(step == (expected.pages == nil ? .copy : .copyFirst))
    }

    @Test
    func `the distance between two log positions is the length of the log between them`() {
        let start = LogPosition(segment: 2, offset: 100)
        func distance(_ segment: UInt32, _ offset: UInt32) -> Int {
            IndexSpace.distance(from: start, to: LogPosition(segment: segment, offset: offset), segmentBytes: 1_000)
        }
        #expect(distance(2, 150) == 50 && distance(3, 20) == 920 && distance(5, 100) == 3_000)
        #expect(distance(2, 100) == 0 && distance(1, 900) == 0)
    }

    @Test
    func `an index leaves the last disk space free, reports the shortage, and continues once there is more`()
        async throws
    {
        let environment = try IndexEnvironment()
        var batch = Batch(1, 1, 1...1)
        batch.lines = [line(1)]
        try environment.append(batch)
        try environment.store.close()
        // This storage only reports the free space; the index itself is on the real disk.
        let disk = MemoryStorage(capacity: IndexSpace.minimumFreeBytes - 1)
        let store = try SQLiteEventStore(path: environment.path, storage: disk)
        let indexer = Indexer(folder: environment.folder + "/intake", store: store)
        indexer.markDurable(upTo: environment.log.end)
        #expect(store.bytesNeeded(upTo: environment.log.end, segmentBytes: 1 << 20) > 0)
        let error = await #expect(throws: StoreError.self) { try await indexer.step() }
        #expect(error?.message.contains("only 15 MiB free") == true)
        disk.capacity = IndexSpace.minimumFreeBytes
        try await indexer.catchUp()
        #expect(try await store.count(matching: EventQuery()) == 1)
        #expect(store.bytesNeeded(upTo: environment.log.end, segmentBytes: 1 << 20) == 0)
        try store.close()
    }
}
