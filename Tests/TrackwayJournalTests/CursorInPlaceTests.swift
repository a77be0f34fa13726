// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import TrackwayEvents
import TrackwayTesting

@testable import TrackwayJournal

@Suite("Cursors that are written over the former one")
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

    /// Has one event delivered after the other.
    ///
    /// - Returns: whether each of them was written over the former cursor.
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

    @Test("the first one of a process gets its name in one step, and later ones of the same length lie in its place")
    func inPlace() throws {
        let journal = try journal()
        let consumer = try #require(try journal.tryElection())
        let overwrites = try deliver(50, from: journal, to: consumer)
        #expect(overwrites.first == false)
        #expect(overwrites.filter { $0 }.count > 25)
        #expect(try cursor(of: journal)?.delivered == 50)
        consumer.close()
        let next = try #require(try journal.tryElection())
        let again = try deliver(3, from: journal, to: next)
        #expect(again.first == false, "another process may have written the file meanwhile")
        #expect(try journal.ledger().destinations["collector"] == Ledger.Account(recorded: 53, delivered: 53))
    }

    @Test("one that could not be written over gets its name in one step the next time")
    func fails() throws {
        let journal = try journal()
        let consumer = try #require(try journal.tryElection())
        _ = try deliver(20, from: journal, to: consumer)
        storage.fail(.overwrite, with: .inputOutput, paths: "cursor.")
        storage.fail(.replace, with: .inputOutput, paths: "cursor.")
        journal.append("{}")
        let batch = try #require(try consumer.read(for: "collector", limits: (events: 10, bytes: 1 << 20)))
        #expect(throws: JournalError.self) { try consumer.settle(batch, records: 0..<1, delivered: 1) }
        #expect(try cursor(of: journal)?.delivered == 20)
        storage.heal()
        let overwrites = try deliver(2, from: journal, to: consumer)
        #expect(overwrites.first == false)
        #expect(try cursor(of: journal)?.delivered == 23)
    }

    @Test("a long one is never written over: power loss could leave a mix of two")
    func long() throws {
        let journal = try journal()
        let consumer = try #require(try journal.tryElection())
        for _ in 0..<90 { journal.append(#"{"name":"event"}"#) }
        let batch = try #require(try consumer.read(for: "collector", limits: (events: 90, bytes: 1 << 20)))
        // Losses between deliveries, which the destination has not been told of, make it long.
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

    @Test(
        "who reads while it is written over looks again; what stays damaged counts as none",
        arguments: [0, 1, 2, 3, 9]
    )
    func torn(_ times: Int) throws {
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
        #expect(damaged.looks == 2, "nobody writes it any more")
    }

    @Test("power loss leaves a whole cursor, of then or of before", arguments: 0..<40)
    func powerLoss(_ seed: UInt64) throws {
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

/// A storage in which cursors are seen half written at first.
private final class TornStorage: ForwardingStorage {
    let base: any JournalStorage
    private let times: Int
    private let differs: Bool
    private let seen = Locked(0)

    /// - Parameter differs: whether each look shows something else.
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
