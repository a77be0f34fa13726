// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import TrackwayCore
import TrackwayTesting

@testable import TrackwayJournal

/// Recording before the journal's folder can be used.
///
/// For example, the device may not have been unlocked since it started.
@Suite("A journal that starts before its folder is usable")
struct DeferredStorageTests {
    private static let closed: [StorageOperation] = [.makeFolder, .contents, .create, .replace, .lock, .makeSegment]

    private func lock(_ storage: FaultyStorage) throws {
        try storage.base.makeFolder("/journal")
        for operation in Self.closed { storage.fail(operation, with: .denied) }
    }

    private func open(_ storage: any JournalStorage, heldBytes: Int = 1 << 20) throws(JournalError) -> Journal {
        let configuration = JournalConfiguration(
            folder: "/journal",
            destinations: ["collector"],
            segmentBytes: 4096,
            heldBytes: heldBytes
        )
        let clock = SteppedClock()
        return try Journal(configuration, clock: clock, bootID: "boot", storage: storage) { $0.code == .denied }
    }

    private func enter(_ journal: Journal) throws -> UInt64 {
        try journal.loadIdentity()
        try journal.openFolder(.written { $0 })
        return try journal.countAbandonedMarkers()
    }

    @Test
    func `events recorded before the folder is usable are written in order and delivered once`() throws {
        let storage = FaultyStorage()
        try lock(storage)
        let journal = try open(storage)
        #expect(journal.isAwaitingStorage)
        for number in 1...100 { #expect(journal.append("\(number)") == .held(UInt64(number))) }
        #expect(throws: JournalError.self) { try journal.loadIdentity() }
        #expect(throws: JournalError.self) { try journal.openFolder(.written { $0 }) }
        storage.clearFaults()
        // The folder is usable now, but the journal has not been notified, so it still records in memory.
        #expect(journal.append("101") == .held(101))
        #expect(try enter(journal) == 0)
        #expect(!journal.isAwaitingStorage)
        #expect(journal.append("102") == .stored(102))
        let consumer = try #require(try journal.tryElection())
        #expect(try consumer.deliverAll("collector") == (1...102).map { "\($0)" })
        let ledger = try journal.ledger()
        #expect(ledger.isBalanced && ledger.recorded == 102)
        #expect(try storage.names(in: "/journal").filter { $0.hasPrefix("held.") } == [])
    }

    @Test
    func `an existing identity is adopted, and a missing one is created once`() throws {
        let storage = FaultyStorage()
        let before = try open(storage).installation
        let disk = FaultyStorage(try #require(storage.base as? MemoryStorage).afterKill())
        try lock(disk)
        let journal = try open(disk)
        #expect(journal.installation != before)
        disk.clearFaults()
        _ = try enter(journal)
        #expect(journal.installation == before)
        journal.append("one")
        #expect(try open(FaultyStorage(try #require(disk.base as? MemoryStorage).afterKill())).installation == before)
    }

    @Test
    func `the contexts of held events and the current context are converted`() throws {
        let storage = FaultyStorage()
        try lock(storage)
        let journal = try open(storage)
        journal.setContext(Array(#"{"user":"nobody"}"#.utf8))
        journal.append("one")
        journal.setContext(Array(#"{"user":"nobody","screen":"home"}"#.utf8))
        journal.append("two")
        storage.clearFaults()
        try journal.loadIdentity()
        try journal.openFolder(
            .written { Array(String(decoding: $0, as: UTF8.self).replacing("nobody", with: "ann").utf8) }
        )
        journal.append("three")
        let consumer = try #require(try journal.tryElection())
        var contexts: [String] = []
        while let batch = try consumer.read(for: "collector", limits: (events: 10, bytes: 1 << 20)) {
            contexts += batch.events.contexts.map { String(decoding: batch.events.bytes[$0.content], as: UTF8.self) }
            try consumer.settle(batch, records: 0..<batch.events.records.count, delivered: batch.events.records.count)
        }
        #expect(contexts == [#"{"user":"ann"}"#, #"{"user":"ann","screen":"home"}"#])
    }

    @Test
    func `held events that are dropped are counted and never reach the disk`() throws {
        let storage = FaultyStorage()
        try lock(storage)
        let journal = try open(storage)
        journal.setContext(Array("{}".utf8))
        for _ in 0..<10 { journal.append("secret") }
        storage.clearFaults()
        try journal.loadIdentity()
        try journal.openFolder(.dropped(.consentDenied))
        #expect(journal.append("later") == .stored(11))
        let consumer = try #require(try journal.tryElection())
        #expect(try consumer.deliverAll("collector") == ["later"])
        #expect(try journal.ledger().destinations["collector"]?.dropped == [.consentDenied: 10])
        let memory = try #require(storage.base as? MemoryStorage)
        for path in memory.paths where path.hasSuffix(".segment") {
            let text = String(decoding: memory.contents(of: path) ?? [], as: UTF8.self)
            #expect(!text.contains("secret"))
        }
    }

    @Test
    func `held events have a memory limit, and events beyond it are dropped and counted`() throws {
        let storage = FaultyStorage()
        try lock(storage)
        let journal = try open(storage, heldBytes: 10_000)
        let text = String(repeating: "x", count: 100)
        let outcomes = (0..<500).map { _ in journal.append(text) }
        let kept = outcomes.count { if case .held = $0 { true } else { false } }
        #expect(kept > 30 && kept < 100)
        #expect(outcomes.last == .dropped(500, .storageAwaited))
        storage.clearFaults()
        _ = try enter(journal)
        let consumer = try #require(try journal.tryElection())
        #expect(try consumer.deliverAll("collector").count == kept)
        let account = try #require(try journal.ledger().destinations["collector"])
        #expect(account.isBalanced && account.dropped == [.storageAwaited: UInt64(500 - kept)])
    }

    @Test
    func `after a kill before the folder was usable, the next process counts the lost events once`() throws {
        let storage = FaultyStorage()
        try lock(storage)
        let journal = try open(storage)
        for _ in 0..<7 { journal.append("lost") }
        let disk = FaultyStorage(try #require(storage.base as? MemoryStorage).afterKill())
        try lock(disk)
        let second = try open(disk)
        second.append("held")
        disk.clearFaults()
        #expect(try enter(second) == 7)
        second.append("kept")
        let consumer = try #require(try second.tryElection())
        #expect(try consumer.deliverAll("collector") == ["held", "kept"])
        let ledger = try second.ledger()
        #expect(ledger.isBalanced && ledger.recorded == 9)
        #expect(ledger.destinations["collector"]?.dropped == [.storageAwaited: 7])
        #expect(try disk.names(in: "/journal").filter { $0.hasPrefix("held.") } == [])
    }

    @Test
    func `the lost events are also counted if the folder is usable when the next process starts`() throws {
        let storage = FaultyStorage()
        try lock(storage)
        let journal = try open(storage)
        for _ in 0..<7 { journal.append("lost") }
        let next = try open(FaultyStorage(try #require(storage.base as? MemoryStorage).afterKill()))
        #expect(try next.countAbandonedMarkers() == 7)
        #expect(try next.countAbandonedMarkers() == 0)
        next.append("kept")
        let ledger = try next.ledger()
        #expect(ledger.isBalanced && ledger.recorded == 8)
    }

    @Test(arguments: [[], [1, 2, 3], Array(repeating: UInt8(255), count: 16)])
    func `an invalid marker file counts no events`(_ bytes: [UInt8]) throws {
        let storage = MemoryStorage()
        let journal = try open(storage)
        try storage.replace("/journal/held.0000", with: bytes, durably: false)
        #expect(try journal.countAbandonedMarkers() == 0)
    }

    @Test
    func `any other storage failure makes opening fail`() throws {
        let storage = FaultyStorage()
        storage.fail(.create, with: .inputOutput)
        #expect(throws: JournalError.self) { try open(storage) }
    }

    @Test
    func `an inaccessible folder on a real disk is entered once it becomes accessible`() throws {
        // A file blocks the path, because permissions would not stop a test that runs as root.
        let folder = try TemporaryFolder()
        let obstacle = folder.path + "/store"
        let disk = DiskStorage()
        try disk.replace(obstacle, with: [1], durably: false)
        let configuration = JournalConfiguration(
            folder: obstacle + "/app",
            destinations: ["collector"],
            segmentBytes: 4096
        )
        let journal = try Journal(configuration, clock: SteppedClock(), bootID: "boot", storage: disk) { _ in true }
        #expect(journal.isAwaitingStorage)
        for number in 0..<50 { journal.append("\(number)") }
        #expect(throws: JournalError.self) { try journal.loadIdentity() }
        try disk.remove(obstacle)
        #expect(try enter(journal) == 0)
        let consumer = try #require(try journal.tryElection())
        #expect(try consumer.deliverAll("collector") == (0..<50).map { "\($0)" })
    }
}
