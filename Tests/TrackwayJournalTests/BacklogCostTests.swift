// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import TrackwayCore
import TrackwayTesting

@testable import TrackwayJournal

/// A backlog costs nothing but disk space.
///
/// The tests count storage calls instead of measuring time.
@Suite("The cost of a backlog")
struct BacklogCostTests {
    private static let configuration = JournalConfiguration(
        folder: "/j",
        destinations: ["collector"],
        segmentBytes: 4096
    )

    /// Opens a journal as a process that starts later than the previous ones.
    private static func open(_ storage: FaultyStorage, _ clock: SteppedClock) throws -> Journal {
        clock.advance(.milliseconds(1))
        return try Journal(configuration, clock: clock, bootID: "boot", storage: storage)
    }

    private static func record(_ events: Int, in journal: Journal) {
        let pad = String(repeating: "x", count: 300)
        for _ in 0..<events { journal.append("{\"pad\":\"\(pad)\"}") }
    }

    @Test
    func `a dead writer's first batch takes no more reads with four hundred segments than with ten`() throws {
        func reads(of events: Int) throws -> Int {
            let (storage, clock) = (FaultyStorage(), SteppedClock())
            let dead = try Self.open(storage, clock)
            Self.record(events, in: dead)
            dead.close()
            let journal = try Self.open(storage, clock)
            let before = storage.count(of: .read)
            let consumer = try #require(try journal.tryElection())
            #expect(try consumer.deliverableCount(for: "collector") == UInt64(events))
            let batch = try #require(try consumer.read(for: "collector", limits: (10, 1 << 20)))
            #expect(batch.events.writer == dead.writer)
            #expect(batch.events.recorded == UInt64(events))
            #expect(batch.texts.count == 10)
            return storage.count(of: .read) - before
        }
        let few = try reads(of: 100)
        #expect(try reads(of: 4_000) <= few)
        #expect(few < 30)
    }

    @Test
    func `whether enough events are pending is known after reading the first few of many dead writers`() throws {
        func reads(of writers: Int) throws -> Int {
            let (storage, clock) = (FaultyStorage(), SteppedClock())
            for _ in 0..<writers {
                let dead = try Self.open(storage, clock)
                Self.record(20, in: dead)
                dead.close()
            }
            let journal = try Self.open(storage, clock)
            let consumer = try #require(try journal.tryElection())
            let before = storage.count(of: .read)
            #expect(try consumer.deliverableCount(for: "collector", limit: 30) >= 30)
            #expect(try #require(try consumer.read(for: "collector", limits: (30, 1 << 20))).texts.count == 20)
            let reads = storage.count(of: .read) - before
            #expect(try consumer.deliverableCount(for: "collector") == UInt64(20 * writers))
            return reads
        }
        #expect(try reads(of: 60) <= reads(of: 3))
    }

    @Test
    func `counting a dead writer's numbers from its last segments gives the same result as from all`() throws {
        for events in [0, 1, 30, 400] {
            let (storage, clock) = (FaultyStorage(), SteppedClock())
            let dead = try Self.open(storage, clock)
            Self.record(events, in: dead)
            dead.close()
            var counter = LedgerCounter()
            let folder = "/j/writers/\(dead.writer)"
            let extent = try counter.extent(of: dead.writer, folder: folder, storage: storage, isComplete: true)
            #expect(extent == LedgerCounter.Extent(first: 1, last: UInt64(events)))
        }
    }

    @Test
    func `a reader at the end of a log reads four bytes per poll until records are appended, then reads those`() throws
    {
        let (storage, clock) = (FaultyStorage(), SteppedClock())
        let journal = try Self.open(storage, clock)
        Self.record(5, in: journal)
        var reader = LogReader(folder: "/j/writers/\(journal.writer)", storage: storage)
        var events = 0
        while let entry = try reader.next() { events += entry.kind == .event ? 1 : 0 }
        #expect(events == 5)
        let (reads, sizes) = (storage.count(of: .read), storage.count(of: .size))
        for _ in 0..<100 { #expect(try reader.next() == nil) }
        #expect(storage.count(of: .read) == reads + 100)
        // Refilling the read-ahead window would query the file's size first.
        #expect(storage.count(of: .size) == sizes)
        Self.record(40, in: journal)
        while let entry = try reader.next() { events += entry.kind == .event ? 1 : 0 }
        #expect(events == 45)
    }

    @Test(arguments: [20, 1_000])
    func `maintenance with a backlog of any size and another live writer reads one preamble per round`(_ events: Int)
        throws
    {
        let (storage, clock) = (FaultyStorage(), SteppedClock())
        let dead = try Self.open(storage, clock)
        Self.record(events, in: dead)
        dead.close()
        let neighbor = try Self.open(storage, clock)
        Self.record(events, in: neighbor)
        let journal = try Self.open(storage, clock)
        Self.record(events, in: journal)
        let consumer = try #require(try journal.tryElection())
        try consumer.maintain(at: clock.now())
        let before = storage.count(of: .read)
        for _ in 0..<50 {
            clock.advance(.seconds(1))
            try consumer.maintain(at: clock.now())
        }
        #expect(storage.count(of: .read) - before <= 50)
        #expect(try journal.ledger().recorded == UInt64(3 * events))
    }
}
