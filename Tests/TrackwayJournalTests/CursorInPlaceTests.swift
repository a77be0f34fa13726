// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import TrackwayCore
import TrackwayTesting

@testable import TrackwayJournal

@Suite("Cursors that overwrite the previous one in place")
struct CursorInPlaceTests {
    private let storage = FaultyStorage()

    private func journal(_ storage: (any JournalStorage)? = nil) throws -> Journal {
        try Journal(
            JournalConfiguration(folder: "/j", destinations: ["collector"]),
            clock: SteppedClock(),
            bootID: "boot",
            storage: storage ?? self.storage
        )
    }

    private func cursor(of journal: Journal) throws -> Cursor? {
        try CursorFile.load(journal.writer, "collector", journal.folder, journal.storage)
    }

    /// Records and delivers events one at a time.
    ///
    /// - Returns: whether each delivery overwrote the previous cursor in place.
    private func deliver(_ count: Int, from journal: Journal, to consumer: JournalConsumer) throws -> [Bool] {
        var overwrites: [Bool] = []
        for _ in 0..<count {
            journal.append(#"{"name":"event"}"#)
            let before = (try storage.contents(of: path(of: journal))?.count, storage.count(of: .overwrite))
            let batch = try #require(try consumer.read(for: "collector", limits: (events: 10, bytes: 1 << 20)))
            try consumer.settle(batch, records: 0..<1, delivered: 1)
            let hasSameLength = try storage.contents(of: path(of: journal))?.count == before.0
            let isOverwritten = storage.count(of: .overwrite) == before.1 + 1
            #expect(isOverwritten == (hasSameLength && !overwrites.isEmpty))
            overwrites.append(isOverwritten)
        }
        return overwrites
    }

    private func path(of journal: Journal) -> String { journal.folder.cursor(journal.writer, "collector") }

    @Test
    func `a process replaces its first cursor atomically and overwrites it in place while the length is the same`()
        throws
    {
        let journal = try journal()
        let consumer = try #require(try journal.tryElection())
        let overwrites = try deliver(50, from: journal, to: consumer)
        #expect(overwrites.first == false)
        #expect(overwrites.filter { $0 }.count > 25)
        #expect(try cursor(of: journal)?.delivered == 50)
        consumer.close()
        let next = try #require(try journal.tryElection())
        let again = try deliver(3, from: journal, to: next)
        #expect(again.first == false, "another process may have written the file in between")
        #expect(try journal.ledger().destinations["collector"] == Ledger.Account(recorded: 53, delivered: 53))
    }

    @Test
    func `after a failed overwrite, the next cursor replaces the file atomically`() throws {
        let journal = try journal()
        let consumer = try #require(try journal.tryElection())
        _ = try deliver(20, from: journal, to: consumer)
        storage.fail(.overwrite, with: .inputOutput, paths: "cursor.")
        storage.fail(.replace, with: .inputOutput, paths: "cursor.")
        journal.append("{}")
        let batch = try #require(try consumer.read(for: "collector", limits: (events: 10, bytes: 1 << 20)))
        #expect(throws: JournalError.self) { try consumer.settle(batch, records: 0..<1, delivered: 1) }
        #expect(try cursor(of: journal)?.delivered == 20)
        storage.clearFaults()
        let overwrites = try deliver(2, from: journal, to: consumer)
        #expect(overwrites.first == false)
        #expect(try cursor(of: journal)?.delivered == 23)
    }

    @Test
    func `a long cursor is never overwritten in place, because power loss could leave a mix of two`() throws {
        let journal = try journal()
        let consumer = try #require(try journal.tryElection())
        for _ in 0..<90 { journal.append(#"{"name":"event"}"#) }
        let batch = try #require(try consumer.read(for: "collector", limits: (events: 90, bytes: 1 << 20)))
        // Losses between deliveries that were not reported to the destination make the cursor long.
        for number in stride(from: 0, to: 60, by: 2) {
            let letter = DeadLetter(index: number, reason: .rejected, code: "rejected", message: "poison")
            try consumer.settle(batch, records: number..<number + 1, delivered: 0, deadLetters: [letter])
            try consumer.settle(batch, records: number + 1..<number + 2, delivered: 1)
        }
        #expect(try #require(try storage.contents(of: path(of: journal))).count > 400)
        let before = storage.count(of: .overwrite)
        for number in 60..<90 { try consumer.settle(batch, records: number..<number + 1, delivered: 1) }
        #expect(storage.count(of: .overwrite) == before)
        #expect(try cursor(of: journal)?.delivered == 60)
    }

    @Test(arguments: [0, 1, 2, 3, 9])
    func `a reader retries while a cursor is being overwritten, and a persistently damaged cursor counts as missing`(
        _ times: Int
    ) throws {
        let journal = try journal()
        let consumer = try #require(try journal.tryElection())
        _ = try deliver(12, from: journal, to: consumer)
        consumer.close()
        let whole = try #require(try cursor(of: journal))
        let torn = TornStorage(storage, times: times)
        let read = try CursorFile.load(journal.writer, "collector", journal.folder, torn)
        #expect(read == (times <= 3 ? whole : nil))
        let damaged = TornStorage(storage, times: .max, differs: false)
        #expect(try CursorFile.load(journal.writer, "collector", journal.folder, damaged) == nil)
        #expect(damaged.looks == 2, "no process is still writing the file")
    }

    @Test(arguments: 0..<40)
    func `power loss leaves a complete cursor, either the new or the previous one`(_ seed: UInt64) throws {
        let disk = MemoryStorage()
        let storage = FaultyStorage(disk)
        let journal = try journal(storage)
        let consumer = try #require(try journal.tryElection())
        var delivered: UInt64 = 0
        var overwrites = 0
        repeat {
            try storage.synchronize(path(of: journal))
            for folder in ["/", "/j", "/j/writers", journal.folder.writer(journal.writer)] {
                try storage.synchronizeFolder(folder)
            }
            overwrites = storage.count(of: .overwrite)
            journal.append("{}")
            let batch = try #require(try consumer.read(for: "collector", limits: (events: 10, bytes: 1 << 20)))
            try consumer.settle(batch, records: 0..<1, delivered: 1)
            delivered += 1
        } while storage.count(of: .overwrite) == overwrites
        let left = disk.afterPowerLoss(.someUnflushed(seed: seed))
        let cursor = try #require(try CursorFile.load(journal.writer, "collector", journal.folder, left))
        #expect([delivered - 1, delivered].contains(cursor.delivered))
        #expect(cursor.isBalanced)
    }
}

/// A storage whose first reads return half-written cursors.
private final class TornStorage: ForwardingStorage {
    let base: any JournalStorage
    private let times: Int
    private let differs: Bool
    private let seen = Locked(0)

    /// - Parameter differs: whether each read returns different bytes.
    init(_ base: any JournalStorage, times: Int, differs: Bool = true) {
        self.base = base
        self.times = times
        self.differs = differs
    }

    var looks: Int { seen.withLock { $0 } }

    func contents(of path: String) throws(StorageError) -> [UInt8]? {
        var bytes = try base.contents(of: path)
        let look = seen.withLock { seen -> Int in
            seen += 1
            return seen
        }
        if look <= times, let count = bytes?.count { bytes?[count / 2 + (differs ? look : 0)] ^= 0x55 }
        return bytes
    }
}
