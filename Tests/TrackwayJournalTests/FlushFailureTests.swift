// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import TrackwayCore
import TrackwayTesting

@testable import TrackwayJournal

/// Durability on storage that loses unflushed data.
///
/// Power loss removes everything that a failed flush covered and all folders that were never flushed.
@Suite("Nothing that power loss could remove is reported as durable")
struct FlushFailureTests {
    private func journal(_ storage: any JournalStorage, folder: String = "/app/data/journal") throws -> Journal {
        let configuration = JournalConfiguration(folder: folder, destinations: ["collector"], segmentBytes: 4096)
        return try Journal(configuration, clock: SteppedClock(), bootID: "boot", storage: storage)
    }

    private func events(_ storage: any JournalStorage) throws -> [String] {
        let journal = try journal(storage)
        let consumer = try #require(try journal.tryElection())
        return try consumer.deliverAll("collector", events: 1000)
    }

    private func text(_ number: Int) -> String {
        "{\"n\":\(number),\"pad\":\"" + String(repeating: "x", count: 50) + "\"}"
    }

    @Test(arguments: 0..<10 as Range<UInt64>)
    func `a journal in a new folder is durable, including all parent folders`(seed: UInt64) throws {
        let storage = MemoryStorage()
        let journal = try journal(storage)
        for number in 0..<3 { journal.append(text(number)) }
        try journal.synchronize()
        let loss: PowerLoss = seed == 0 ? .everythingUnflushed : .someUnflushed(seed: seed)
        let after = storage.afterPowerLoss(loss)
        #expect(try self.journal(after).installation == journal.installation)
        #expect(try events(after) == (0..<3).map(text))
    }

    @Test
    func `a process flushes the folders that a killed process left unflushed before it reports durability`() throws {
        let memory = MemoryStorage()
        let storage = FaultyStorage(memory)
        // The process dies at its first flush of a folder.
        storage.fail(.synchronizeFolder, with: .inputOutput)
        storage.fail(.create, with: .inputOutput)
        #expect(throws: JournalError.self) { try self.journal(storage) }
        let revived = MemoryStorage()
        revived.makeFolder("/app/data/journal/writers")
        let journal = try journal(revived)
        journal.append(text(0))
        try journal.synchronize()
        #expect(try events(revived.afterPowerLoss()) == [text(0)])
    }

    @Test
    func `after a segment's flush failed, a second caller's flush does not report its events as durable`() throws {
        let memory = MemoryStorage()
        let storage = FaultyStorage(memory)
        let journal = try journal(storage)
        journal.append(text(0))
        try journal.synchronize()
        let second = try #require(journal.append(text(1)).sequence)
        storage.fail(.synchronizeSegment, with: .inputOutput, times: 1)
        #expect(throws: JournalError.self) { try journal.synchronize() }
        let third = try #require(journal.append(text(2)).sequence)
        try journal.synchronize()
        #expect(journal.isDurable(1))
        #expect(!journal.isDurable(second))
        #expect(journal.isDurable(third))
        let left = try events(memory.afterPowerLoss())
        #expect(left == [text(0), text(2)])
    }

    @Test(arguments: 0..<60 as Range<UInt64>)
    func `under random failures, every event reported as durable survives power loss`(seed: UInt64) throws {
        var generator = SeededRandom(seed: seed &+ 1)
        let memory = MemoryStorage()
        let storage = FaultyStorage(memory)
        let journal = try journal(storage)
        var appended: [UInt64: String] = [:]
        let operations: [StorageOperation] = [.synchronizeSegment, .synchronize, .synchronizeFolder, .makeSegment]
        for number in 0..<200 {
            let outcome = journal.append(text(number))
            if case .stored(let sequence) = outcome { appended[sequence] = text(number) }
            if generator.next() % 12 == 0 {
                let operation = operations[Int(generator.next() % 4)]
                storage.fail(operation, with: .inputOutput, times: 1 + Int(generator.next() % 2))
            }
            guard generator.next() % 5 == 0 else { continue }
            do {
                try journal.synchronize()
            } catch {
                #expect(error.code == .synchronizationFailed || error.code == .storage)
            }
            if generator.next() % 3 == 0 { storage.clearFaults() }
        }
        let loss: PowerLoss = seed % 2 == 0 ? .everythingUnflushed : .someUnflushed(seed: seed)
        let left = Set(try events(memory.afterPowerLoss(loss)))
        for (sequence, text) in appended where journal.isDurable(sequence) {
            #expect(left.contains(text), "seed \(seed), event \(sequence)")
        }
    }

    @Test
    func `events in a segment whose flush failed are not durable while a full disk prevents starting a new one`() throws
    {
        let memory = MemoryStorage()
        let storage = FaultyStorage(memory)
        let journal = try journal(storage)
        journal.append(text(0))
        storage.fail(.synchronizeSegment, with: .inputOutput, times: 1)
        storage.fail(.makeSegment, with: .noSpace)
        #expect(throws: JournalError.self) { try journal.synchronize() }
        // It still survives a kill.
        #expect(journal.append(text(1)) == .stored(2))
        #expect(throws: JournalError.self) { try journal.synchronize() }
        #expect(!journal.isDurable(1) && !journal.isDurable(2))
        storage.clearFaults()
        #expect(journal.append(text(2)) == .stored(3))
        try journal.synchronize()
        journal.append(text(3))
        try journal.synchronize()
        #expect([1, 2, 3, 4].map { journal.isDurable($0) } == [false, false, false, true])
        #expect(try events(memory.afterKill()) == (0..<4).map(text))
    }

    @Test
    func `after a failed flush of a parent folder, the process reports no more events as durable`() throws {
        let memory = MemoryStorage()
        let storage = FaultyStorage(memory)
        let journal = try journal(storage)
        journal.append(text(0))
        storage.fail(.synchronizeFolder, with: .inputOutput, after: 1, times: 1)
        #expect(throws: JournalError.self) { try journal.synchronize() }
        storage.clearFaults()
        journal.append(text(1))
        #expect(throws: JournalError.self) { try journal.synchronize() }
        #expect(!journal.isDurable(1) && !journal.isDurable(2))
        #expect(try events(memory.afterKill()) == [text(0), text(1)])
    }

    @Test
    func `a standalone log in a new folder is durable, including all parent folders, and a failed flush is final`()
        throws
    {
        let memory = MemoryStorage()
        let storage = FaultyStorage(memory)
        let log = try SegmentedLog(folder: "/var/collector/intake", storage: storage)
        _ = try [UInt8](repeating: 7, count: 10).withUnsafeBytes { try log.append(kind: .intake, payload: $0) }
        try log.synchronize()
        var reader = LogReader(folder: "/var/collector/intake", storage: memory.afterPowerLoss(), isComplete: true)
        var kinds: [FrameKind] = []
        while let entry = try reader.next() { kinds.append(entry.kind) }
        #expect(kinds.contains(.intake))
        storage.fail(.synchronizeSegment, with: .inputOutput, times: 1)
        #expect(throws: JournalError.self) { try log.synchronize() }
        #expect(throws: JournalError.self) { try log.synchronize() }
    }

    @Test
    func `a flush record proves only events that a successful flush covered`() {
        var record = FlushRecord()
        #expect(!record.proves(1))
        record.flushSucceeded(through: 3)
        record.flushFailed(through: 3)
        #expect(record.proves(3) && !record.proves(4) && record.doubtful.isEmpty)
        record.flushFailed(through: 5)
        record.flushSucceeded(through: 8)
        #expect([3, 4, 5, 6, 8, 9].map(record.proves) == [true, false, false, true, true, false])
        for round in UInt64(1)...200 {
            record.flushSucceeded(through: 10 * round + 4)
            record.flushFailed(through: 10 * round + 9)
        }
        #expect(record.doubtful.count == FlushRecord.limit)
        #expect(!record.proves(2009) && record.proves(2004) && !record.proves(5))
    }
}
