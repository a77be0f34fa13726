// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Foundation
import Testing
import TrackwayCore
import TrackwayTesting

@testable import TrackwayJournal

/// The unused space in a killed writer's last segment.
///
/// The segment keeps its reserved size: a few records, then zeros up to the file's end.
@Suite("A killed writer's reserved space")
struct SparseSegmentTests {
    private static let boot = "this boot"

    /// A one-mebibyte segment as a kill leaves it.
    ///
    /// Its events are about a kilobyte each.
    private final class KilledWriter {
        let folder: TemporaryFolder
        let writer: String
        let path: String
        let bytes: [UInt8]

        init(events: Int) throws {
            folder = try TemporaryFolder()
            let configuration = JournalConfiguration(
                folder: folder.path,
                destinations: ["collector"],
                segmentBytes: 1 << 20
            )
            let journal = try Journal(configuration, clock: SteppedClock(), bootID: SparseSegmentTests.boot)
            writer = "\(folder.path)/writers/\(journal.writer)"
            path = writer + "/00000001.segment"
            let pad = String(repeating: "x", count: 1_000)
            for _ in 0..<events { journal.append("{\"pad\":\"\(pad)\"}") }
            bytes = Array(try Data(contentsOf: URL(filePath: path)))
            journal.close()
        }

        /// Reads the log in a boot, with a damaged range.
        ///
        /// - Returns: the numbers of the events found and the number of reads.
        func read(in boot: String, blanking blank: Range<Int> = 0..<0) throws -> (found: [UInt64], reads: Int) {
            var damaged = bytes
            for index in blank { damaged[index] = 0 }
            try Data(damaged).write(to: URL(filePath: path))
            let storage = FaultyStorage(DiskStorage())
            var reader = LogReader(folder: writer, storage: storage, isComplete: true)
            reader.boot = boot
            var found: [UInt64] = []
            while let entry = try reader.next() {
                if entry.kind == .event { found.append(entry.sequence) }
            }
            // Another call of `next()` reads nothing from the disk.
            let reads = storage.count(of: .read)
            #expect(try reader.next() == nil)
            #expect(storage.count(of: .read) == reads)
            return (found, reads)
        }
    }

    @Test
    func `in the same boot, a killed writer's blank space is not read to its end, and all records are found`() throws {
        let killed = try KilledWriter(events: 12)
        #expect(killed.bytes.count == 1 << 20)
        let here = try killed.read(in: Self.boot)
        let elsewhere = try killed.read(in: "another boot")
        #expect(here.found == Array(1...12))
        #expect(elsewhere.found == here.found)
        // Reads 16 KB, then 32 KB, then the marker's slot, and the preamble with each of these.
        #expect(here.reads <= 8)
        #expect(elsewhere.reads > here.reads)
    }

    @Test
    func `records after pages lost in a power failure are found, regardless of the number of pages`() throws {
        let killed = try KilledWriter(events: 500)
        let all = try killed.read(in: "another boot").found
        #expect(all == Array(1...500))
        for pages in [1, 4, 30] {
            let blank = 65_536..<(65_536 + pages * 4_096)
            let found = try killed.read(in: "another boot", blanking: blank).found
            #expect(found.count >= 500 - pages * 4 - 2)
            #expect(found.last == 500)
        }
    }

    @Test
    func `a few blank pages between records do not end reading in the same boot either`() throws {
        let killed = try KilledWriter(events: 500)
        for pages in [1, 4, 7] {
            let found = try killed.read(in: Self.boot, blanking: 65_536..<(65_536 + pages * 4_096)).found
            #expect(found.count >= 500 - pages * 4 - 2)
            #expect(found.last == 500)
        }
    }

    @Test
    func `the marker for events held only in memory is found at the end of the segment`() throws {
        let storage = FaultyStorage()
        let configuration = JournalConfiguration(folder: "/j", destinations: ["collector"], segmentBytes: 1 << 20)
        let journal = try Journal(configuration, clock: SteppedClock(), bootID: Self.boot, storage: storage)
        for _ in 0..<3 { journal.append("{\"n\":1}") }
        storage.fail(.makeSegment, with: .noSpace)
        // Larger than any existing segment.
        journal.append("{\"pad\":\"\(String(repeating: "x", count: 3 << 19))\"}")
        for boot in [Self.boot, "another boot"] {
            var tail = LogTail(folder: "/j/writers/\(journal.writer)", storage: storage, boot: boot)
            #expect(try tail.extent(isComplete: true).last == 4)
        }
    }

    @Test
    func `the settled counts of destinations are known without reading any log`() throws {
        let (storage, clock) = (FaultyStorage(), SteppedClock())
        let configuration = JournalConfiguration(folder: "/j", destinations: ["collector"], segmentBytes: 4096)
        for _ in 0..<20 {
            clock.advance(.milliseconds(1))
            let dead = try Journal(configuration, clock: clock, bootID: Self.boot, storage: storage)
            for _ in 0..<30 { dead.append("{\"n\":1}") }
            dead.close()
        }
        clock.advance(.milliseconds(1))
        let journal = try Journal(configuration, clock: clock, bootID: Self.boot, storage: storage)
        let files = storage.count(of: .read)
        #expect(try journal.settledAccounts()["collector"]?.delivered == 0)
        #expect(storage.count(of: .read) == files)
        let consumer = try #require(try journal.tryElection())
        let batch = try #require(try consumer.read(for: "collector", limits: (100, 1 << 20)))
        try consumer.settle(batch, records: 0..<30, delivered: 30)
        let before = storage.count(of: .read)
        #expect(try journal.settledAccounts()["collector"]?.delivered == 30)
        #expect(storage.count(of: .read) == before)
        consumer.close()
        #expect(try journal.settledAccounts()["collector"]?.delivered == 30)
        #expect(storage.count(of: .read) == before)
        #expect(try journal.ledger().destinations["collector"]?.pending == 570)
    }
}
