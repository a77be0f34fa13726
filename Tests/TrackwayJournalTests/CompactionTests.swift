// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import TrackwayCore
import TrackwayTesting

@testable import TrackwayJournal

@Suite("Compaction of finished writers across kills")
struct CompactionTests {
    private let clock = SteppedClock()

    private func journal(
        _ storage: any JournalStorage,
        _ destinations: [DestinationID] = ["collector"],
        maximumBytes: Int = 1 << 30
    ) throws -> Journal {
        clock.advance(.seconds(1))
        let configuration = JournalConfiguration(
            folder: "/j",
            destinations: destinations,
            maximumBytes: maximumBytes,
            segmentBytes: 4096
        )
        return try Journal(configuration, clock: clock, bootID: "boot", storage: storage)
    }

    private func folders(_ storage: MemoryStorage) -> Set<String> { Set(storage.names(in: "/j/writers")) }

    /// Returns a disk with the delivered events of one dead process.
    private func drained() throws -> (MemoryStorage, WriterID) {
        let storage = MemoryStorage()
        let dead = try journal(storage)
        for number in 0..<30 { dead.append("{\"secret\":\(number)}") }
        let consumer = try #require(try dead.tryElection())
        #expect(try consumer.deliverAll("collector").count == 30)
        consumer.close()
        dead.close()
        return (storage, dead.writer)
    }

    /// Returns a disk with the delivered events of dead processes, 30 from each.
    private func drained(_ processes: Int) throws -> (MemoryStorage, [WriterID]) {
        let storage = MemoryStorage()
        var dead: [WriterID] = []
        for _ in 0..<processes {
            let process = try journal(storage)
            for number in 0..<30 { process.append("{\"secret\":\(number)}") }
            dead.append(process.writer)
            process.close()
        }
        let last = try journal(storage)
        let consumer = try #require(try last.tryElection())
        #expect(try consumer.deliverAll("collector").count == 30 * processes)
        consumer.close()
        last.close()
        return (storage, dead + [last.writer])
    }

    @Test
    func `after a kill at any step of compaction, the next process removes the folder and counts nothing twice`() throws
    {
        var finished = false
        var left = 0
        for changes in 0..<200 where !finished {
            let (disk, dead) = try drained()
            let storage = KillableStorage(disk, killedAfter: .max)
            let second = try journal(storage)
            let killable = KillableStorage(disk, killedAfter: changes)
            let configuration = JournalConfiguration(folder: "/j", destinations: ["collector"], segmentBytes: 4096)
            // Only this journal uses the killable storage, so the counted changes are those of compaction.
            let third = try? Journal(configuration, clock: clock, bootID: "boot", storage: killable)
            let consumer = try? third?.tryElection()
            try? consumer?.maintain(at: clock.now())
            finished = !killable.isDead
            second.close()
            let after = disk.afterKill()
            if folders(after).contains(dead.description) { left += 1 }

            let next = try journal(after)
            let again = try #require(try next.tryElection())
            #expect(try next.ledger().recorded == 30, "killed at change \(changes)")
            try again.maintain(at: clock.now())
            #expect(!folders(after).contains(dead.description), "killed at change \(changes)")
            #expect(try next.ledger().recorded == 30, "killed at change \(changes)")
            #expect(try again.deliverAll("collector") == [])
            #expect(try next.ledger().destinations["collector"] == Ledger.Account(recorded: 30, delivered: 30))
        }
        #expect(finished)
        #expect(left > 3)
    }

    @Test(arguments: [1, 16, 17, 70])
    func `finished writers are added to the totals in groups of sixteen`(_ processes: Int) throws {
        let (disk, dead) = try drained(processes)
        let storage = FaultyStorage(disk)
        let journal = try journal(storage)
        let consumer = try #require(try journal.tryElection())
        let before = storage.count(of: .replace)
        try consumer.maintain(at: clock.now())
        #expect(folders(disk) == [journal.writer.description])
        // The process that delivered them is one more writer, which recorded nothing.
        #expect(storage.count(of: .replace) - before <= (dead.count + 15) / 16)
        #expect(try journal.ledger().recorded == UInt64(30 * processes))
        #expect(try journal.ledger().destinations["collector"]?.delivered == UInt64(30 * processes))
        consumer.close()
        let again = try self.journal(disk)
        #expect(try again.ledger().recorded == UInt64(30 * processes))
    }

    @Test
    func `after a kill at any step of compacting several writers, nothing is counted twice or left over`() throws {
        var finished = false
        for changes in 0..<400 where !finished {
            let (disk, dead) = try drained(5)
            let killable = KillableStorage(disk, killedAfter: changes)
            let dying = try? journal(killable)
            let consumer = try? dying?.tryElection()
            try? consumer?.maintain(at: clock.now())
            finished = !killable.isDead
            let after = disk.afterKill()
            let next = try journal(after)
            let again = try #require(try next.tryElection())
            #expect(try next.ledger().recorded == 150, "killed at change \(changes)")
            try again.maintain(at: clock.now())
            #expect(folders(after).isDisjoint(with: dead.map(\.description)), "killed at change \(changes)")
            #expect(try next.ledger().recorded == 150, "killed at change \(changes)")
            #expect(try again.deliverAll("collector") == [], "killed at change \(changes)")
        }
        #expect(finished)
    }

    @Test(arguments: [true, false])
    func `a writer that is still alive or cannot be locked is kept while the others are removed`(isAlive: Bool) throws {
        let (disk, dead) = try drained(4)
        let storage = FaultyStorage(disk)
        let journal = try journal(storage)
        let consumer = try #require(try journal.tryElection())
        var round = consumer.beginMaintenance(at: clock.now())
        // In this part, all the writers are found dead. One of them changes before it would be removed.
        #expect(try consumer.continueMaintenance(&round))
        let lock = isAlive ? try disk.lock("/j/writers/\(dead[1])/alive.lock") : nil
        if !isAlive { storage.fail(.lock, with: .denied, paths: "\(dead[1])") }
        while try consumer.continueMaintenance(&round) {}
        #expect(folders(disk) == [dead[1].description, journal.writer.description])
        #expect(try journal.ledger().recorded == 120)
        lock?.release()
        storage.clearFaults()
        for _ in 0..<2 { try consumer.maintain(at: clock.now()) }
        #expect(folders(disk) == [journal.writer.description])
        #expect(try journal.ledger().recorded == 120)
    }

    @Test(arguments: 0..<8)
    func `other callers can read and settle between two parts of maintenance`(_ parts: Int) throws {
        let (disk, dead) = try drained(20)
        let waiting = try journal(disk)
        for number in 0..<30 { waiting.append("{\"number\":\(number)}") }
        waiting.close()
        let journal = try journal(disk)
        for number in 0..<30 { journal.append("{\"number\":\(number)}") }
        let consumer = try #require(try journal.tryElection())
        var round = consumer.beginMaintenance(at: clock.now())
        for _ in 0..<parts { guard try consumer.continueMaintenance(&round) else { break } }
        #expect(try consumer.deliverAll("collector").count == 60)
        // An unfinished round has no effect on the next one.
        try consumer.maintain(at: clock.now())
        #expect(folders(disk) == [journal.writer.description])
        #expect(!dead.isEmpty)
        #expect(try journal.ledger().recorded == 660)
        #expect(try journal.ledger().destinations["collector"] == Ledger.Account(recorded: 660, delivered: 660))
    }

    @Test
    func `after a kill at any step of erasing, no earlier event is sent to any destination`() throws {
        var finished = false
        for changes in 0..<400 where !finished {
            let disk = MemoryStorage()
            let dead = try journal(disk)
            for number in 0..<30 { dead.append("{\"secret\":\(number)}") }
            dead.close()
            let killable = KillableStorage(disk, killedAfter: .max)
            let own = try journal(killable)
            for number in 0..<30 { own.append("{\"secret\":\(number)}") }
            let dying = KillableStorage(disk, killedAfter: changes)
            let eraser = try? Journal(
                JournalConfiguration(folder: "/j", destinations: ["collector"], segmentBytes: 4096),
                clock: clock,
                bootID: "boot",
                storage: dying
            )
            for number in 0..<30 { eraser?.append("{\"secret\":\(number)}") }
            own.close()
            guard let before = eraser?.installation else { continue }
            let old = folders(disk)
            let former = try? eraser?.erase()
            finished = !dying.isDead
            let after = disk.afterKill()
            // The configuration names a new destination, which would get everything that is left.
            let next = try journal(after, ["collector", "new"])
            let consumer = try #require(try next.tryElection())
            let identity = next.installation
            if former != nil { #expect(identity != before) }
            guard identity != before else { continue }
            for destination in ["collector", "new"] as [DestinationID] {
                #expect(try consumer.deliverAll(destination) == [], "killed at change \(changes), \(destination)")
            }
            try consumer.maintain(at: clock.now())
            #expect(folders(after).isDisjoint(with: old), "killed at change \(changes)")
            #expect(try next.ledger().recorded == 0, "killed at change \(changes)")
        }
        #expect(finished)
    }

    @Test
    func `erasing never revives a folder left by a kill, and the folder counts toward the limit until it is removed`()
        throws
    {
        let (disk, dead) = try drained()
        let segment = "/j/writers/\(dead)/00000001.segment"
        // The totals name the writer, as after a kill between the two steps, and its folder cannot be removed.
        var totals = SettledTotals()
        totals.compact(dead, recorded: 30, accounts: ["collector": Ledger.Account(recorded: 30, delivered: 30)])
        try disk.replace("/j/settled", with: totals.fileBytes, durably: true)
        let storage = FaultyStorage(disk)
        storage.fail(.remove, with: .denied, paths: "\(dead)")
        let journal = try journal(storage, maximumBytes: 40_000)
        let consumer = try #require(try journal.tryElection())
        try consumer.maintain(at: clock.now())
        #expect(consumer.writerProblems.count == 1)
        #expect(consumer.writerProblems.first?.message.contains("\(dead)") == true)
        #expect(try journal.ledger().recorded == 30)
        #expect(consumer.state.withLock { $0.compaction.leftoverBytes } == disk.size(of: segment))
        consumer.close()
        #expect(throws: JournalError.self) { try journal.erase() }
        storage.clearFaults()
        _ = try journal.erase()
        let again = try #require(try journal.tryElection())
        #expect(folders(disk) == [journal.writer.description])
        #expect(try again.deliverAll("collector") == [])
        #expect(try journal.ledger().recorded == 0)
    }
}
