// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import TrackwayCore

@testable import TrackwayJournal

@Suite("Journal")
struct JournalTests {
    @Test
    func `recorded events are delivered once, in order, across segments and restarts`() throws {
        let environment = try JournalEnvironment()
        let texts = (1...500).map { "{\"n\":\($0)}" }
        let first = try environment.open()
        for text in texts[..<200] { #expect(first.append(text).sequence != nil) }
        first.close()
        environment.clock.advance(.seconds(1))
        let second = try environment.open()
        for text in texts[200...] { second.append(text) }
        let consumer = try #require(try second.tryElection())
        #expect(try consumer.deliverAll("collector") == texts)
        #expect(try consumer.deliverAll("collector") == [])
        let ledger = try second.ledger()
        #expect(ledger.recorded == 500)
        #expect(ledger.destinations["collector"] == Ledger.Account(recorded: 500, delivered: 500, pending: 0))
    }

    @Test
    func `the ledger balances after every step, for every destination`() throws {
        let environment = try JournalEnvironment(["collector", "audit"])
        let journal = try environment.open()
        let consumer = try #require(try journal.tryElection())
        var generator = SeededRandom(seed: 3)
        for step in 0..<600 {
            switch generator.next() % 6 {
            case 0, 1, 2: journal.append("{\"step\":\(step)}")
            case 3: journal.append("{\"step\":\(step)}", to: [generator.next() % 2 == 0 ? "audit" : "collector"])
            case 4:
                let destination: DestinationID = generator.next() % 3 == 0 ? "audit" : "collector"
                if let batch = try consumer.read(for: destination, limits: (5, 10_000)) {
                    let count = batch.events.records.count
                    let part = Int(generator.next() % UInt64(count + 1))
                    let refused = batch.events.records[..<part].indices
                        .filter { batch.events.records[$0].sequence % 5 == 0 }
                        .map { DeadLetter(index: $0, reason: .rejected) }
                    try consumer.settle(batch, records: 0..<part, delivered: part - refused.count, deadLetters: refused)
                    consumer.release(batch)
                }
            default: try consumer.maintain(at: environment.clock.now())
            }
            let ledger = try journal.ledger()
            #expect(ledger.isBalanced, "step \(step): \(ledger)")
        }
        _ = try consumer.deliverAll("audit")
        _ = try consumer.deliverAll("collector")
        let end = try journal.ledger()
        #expect(end.isBalanced)
        #expect(end.destinations.values.allSatisfy { $0.pending == 0 })
    }

    @Test
    func `an event addressed to one destination goes only there, and its number counts as skipped for others`() throws {
        let environment = try JournalEnvironment(["collector", "audit"])
        let journal = try environment.open()
        journal.append("{\"n\":1}")
        journal.append("{\"n\":2}", to: ["audit"])
        journal.append("{\"n\":3}")
        let consumer = try #require(try journal.tryElection())
        let batch = try #require(try consumer.read(for: "collector", limits: (10, 1000)))
        #expect(batch.texts == ["{\"n\":1}", "{\"n\":3}"])
        #expect(batch.events.skipped == [2...2])
        #expect(batch.events.dropped.isEmpty)
        #expect(try consumer.deliverAll("audit") == ["{\"n\":1}", "{\"n\":2}", "{\"n\":3}"])
    }

    @Test
    func `events carry the context they were recorded in, across segments and from any starting position`() throws {
        let environment = try JournalEnvironment()
        let journal = try environment.open()
        var expected: [String] = []
        for number in 0..<300 {
            if number % 17 == 0 { journal.setContext(Array("{\"c\":\(number / 17)}".utf8)) }
            journal.append("{\"n\":\(number),\"pad\":\"" + String(repeating: "x", count: 60) + "\"}")
            expected.append("{\"c\":\(number / 17)}")
        }
        var found: [String] = []
        for round in 0..<100 {
            // A new consumer for every batch, without any state of the previous one.
            let consumer = try #require(try journal.tryElection())
            guard let batch = try consumer.read(for: "collector", limits: (1 + round % 7, 100_000)) else { break }
            for record in batch.events.records {
                let context = try #require(batch.events.context(record.context))
                found.append(String(decoding: batch.events.bytes[context.content], as: UTF8.self))
            }
            try consumer.settle(batch, records: 0..<batch.texts.count, delivered: batch.texts.count)
            consumer.close()
        }
        #expect(found == expected)
    }

    @Test
    func `only one consumer exists at a time, and the next one continues where the last one stopped`() throws {
        let environment = try JournalEnvironment()
        let one = try environment.open()
        let two = try environment.open()
        for number in 1...10 { one.append("{\"one\":\(number)}") }
        for number in 1...10 { two.append("{\"two\":\(number)}") }
        let consumer = try #require(try one.tryElection())
        #expect(try two.tryElection() == nil)
        let batch = try #require(try consumer.read(for: "collector", limits: (4, 1000)))
        try consumer.settle(batch, records: 0..<4, delivered: 4)
        consumer.close()
        let next = try #require(try two.tryElection())
        let rest = try next.deliverAll("collector")
        #expect(rest.count == 16)
        #expect(Set(rest).isDisjoint(with: batch.texts))
        #expect(try one.ledger().destinations["collector"]?.delivered == 20)
    }

    @Test
    func `a dead writer's events are delivered and counted permanently, and its folder is removed`() throws {
        let environment = try JournalEnvironment()
        for round in 0..<5 {
            let journal = try environment.open()
            for number in 0..<20 { journal.append("{\"r\":\(round),\"n\":\(number)}") }
            journal.close()
        }
        let last = try environment.open()
        let consumer = try #require(try last.tryElection())
        #expect(try consumer.deliverAll("collector").count == 100)
        try consumer.maintain(at: environment.clock.now())
        let writers = try DiskStorage().names(in: environment.folder.path + "/writers")
        #expect(writers == [last.writer.description])
        #expect(try last.ledger().destinations["collector"] == Ledger.Account(recorded: 100, delivered: 100))
        consumer.close()
        #expect(try last.ledger().recorded == 100)
    }

    @Test
    func `segments that every destination has passed are deleted, and others stay`() throws {
        let environment = try JournalEnvironment(["collector", "audit"])
        let journal = try environment.open()
        for number in 0..<400 {
            journal.append("{\"n\":\(number),\"pad\":\"" + String(repeating: "x", count: 80) + "\"}")
        }
        let folder = environment.folder.path + "/writers/" + journal.writer.description
        let before = try SegmentName.all(in: folder, DiskStorage()).count
        let consumer = try #require(try journal.tryElection())
        _ = try consumer.deliverAll("collector")
        #expect(try SegmentName.all(in: folder, DiskStorage()).count == before)
        #expect(try consumer.deliverAll("audit").count == 400)
        #expect(try SegmentName.all(in: folder, DiskStorage()).count == 1)
    }

    @Test
    func `beyond its byte limit the journal drops the oldest undelivered events, counts them, and reports them`() throws
    {
        let environment = try JournalEnvironment(maximumBytes: 5 * 4096)
        let journal = try environment.open()
        let consumer = try #require(try journal.tryElection())
        for number in 0..<1000 {
            journal.append("{\"n\":\(number),\"pad\":\"" + String(repeating: "x", count: 80) + "\"}")
            if number % 50 == 0 { try consumer.maintain(at: environment.clock.now()) }
        }
        try consumer.maintain(at: environment.clock.now())
        let ledger = try journal.ledger()
        let account = try #require(ledger.destinations["collector"])
        let dropped = try #require(account.dropped[.journalFull])
        #expect(ledger.isBalanced && account.recorded == 1000 && dropped > 0)
        let batch = try #require(try consumer.read(for: "collector", limits: (1000, 1 << 20)))
        #expect(batch.events.dropped.first?.sequences.lowerBound == 1)
        #expect(batch.events.dropped.map { UInt64($0.sequences.count) }.reduce(0, +) == dropped)
        #expect(batch.events.first == dropped + 1)
        #expect(batch.texts.last?.hasPrefix("{\"n\":999,") == true)
    }

    @Test
    func `trimming spares events leased to an upload in flight`() throws {
        let environment = try JournalEnvironment(maximumBytes: 3 * 4096)
        let journal = try environment.open()
        let consumer = try #require(try journal.tryElection())
        for number in 0..<30 {
            journal.append("{\"n\":\(number),\"pad\":\"" + String(repeating: "x", count: 80) + "\"}")
        }
        let batch = try #require(try consumer.read(for: "collector", limits: (30, 1 << 20)))
        for number in 30..<200 {
            journal.append("{\"n\":\(number),\"pad\":\"" + String(repeating: "x", count: 80) + "\"}")
        }
        try consumer.maintain(at: environment.clock.now())
        try consumer.settle(batch, records: 0..<30, delivered: 30)
        #expect(try journal.ledger().destinations["collector"]?.delivered == 30)
        // The events that the writer dropped in the meantime follow those that were in flight.
        #expect(try consumer.deliverAll("collector").last?.hasPrefix("{\"n\":199,") == true)
        #expect(try journal.ledger().destinations["collector"]?.dropped[.journalFull] ?? 0 > 0)
        #expect(try journal.ledger().isBalanced)
    }

    @Test
    func `a wall clock jump expires no events, but thirty days of elapsed time do`() throws {
        let environment = try JournalEnvironment(maximumAge: .seconds(30 * 86_400))
        let journal = try environment.open()
        let consumer = try #require(try journal.tryElection())
        for number in 0..<200 {
            journal.append("{\"n\":\(number),\"pad\":\"" + String(repeating: "x", count: 80) + "\"}")
        }
        environment.clock.setWall(Timestamp(milliseconds: 4_000_000_000_000))
        try consumer.maintain(at: environment.clock.now())
        #expect(try journal.ledger().destinations["collector"]?.dropped == [:])
        environment.clock.advance(.seconds(30 * 86_400))
        try consumer.maintain(at: environment.clock.now())
        let account = try #require(try journal.ledger().destinations["collector"])
        #expect(account.dropped[.expired] ?? 0 > 0)
        #expect(account.isBalanced)
    }

    @Test
    func `a destination configured later gets all stored events, and its account covers only those`() throws {
        let environment = try JournalEnvironment(["collector"])
        let first = try environment.open()
        for number in 0..<10 { first.append("{\"n\":\(number)}") }
        first.close()
        let second = try environment.open(destinations: ["collector", "audit"])
        let consumer = try #require(try second.tryElection())
        #expect(try consumer.deliverAll("audit").count == 10)
        let ledger = try second.ledger()
        #expect(ledger.isBalanced)
        #expect(ledger.destinations["collector"]?.pending == 10)
    }

    @Test
    func `a damaged cursor file causes redelivery but loses no event`() throws {
        let environment = try JournalEnvironment()
        let journal = try environment.open()
        for number in 0..<10 { journal.append("{\"n\":\(number)}") }
        let consumer = try #require(try journal.tryElection())
        _ = try consumer.deliverAll("collector")
        consumer.close()
        let path = environment.folder.path + "/writers/\(journal.writer)/cursor.collector"
        var bytes = try #require(try DiskStorage().contents(of: path))
        bytes[10] ^= 4
        try DiskStorage().replace(path, with: bytes, durably: false)
        let again = try #require(try journal.tryElection())
        #expect(try again.deliverAll("collector").count == 10)
        #expect(try journal.ledger().isBalanced)
    }

    @Test
    func `the identity survives restarts, and a damaged file is restored from the segments`() throws {
        let environment = try JournalEnvironment()
        let first = try environment.open()
        let installation = first.installation
        first.append("{}")
        first.close()
        #expect(try environment.open().installation == installation)
        try DiskStorage().replace(
            environment.folder.path + "/installation",
            with: Array("garbage".utf8),
            durably: false
        )
        #expect(try environment.open().installation == installation)
    }

    @Test
    func `a segment of a newer version is left unchanged, and other segments are delivered`() throws {
        let environment = try JournalEnvironment()
        let old = try environment.open()
        old.append("{\"from\":\"newer\"}")
        let path = environment.folder.path + "/writers/\(old.writer)/00000001.segment"
        old.close()
        var bytes = try #require(try DiskStorage().contents(of: path))
        bytes[8] = 99
        let sum = bytes.withUnsafeBytes { Checksum.payload(UnsafeRawBufferPointer(rebasing: $0[..<12])) }
        for index in 0..<4 { bytes[12 + index] = UInt8(truncatingIfNeeded: sum >> UInt32(8 * index)) }
        try DiskStorage().replace(path, with: bytes, durably: false)
        let journal = try environment.open()
        journal.append("{\"from\":\"us\"}")
        let consumer = try #require(try journal.tryElection())
        #expect(try consumer.deliverAll("collector") == ["{\"from\":\"us\"}"])
        try consumer.maintain(at: environment.clock.now())
        #expect(try DiskStorage().contents(of: path) == bytes)
        #expect(try journal.ledger().isBalanced)
    }

    @Test
    func `erasing removes events and identity, and recording continues under a new identity`() throws {
        let environment = try JournalEnvironment()
        let journal = try environment.open()
        journal.setContext(Array("{\"app\":{}}".utf8))
        for number in 0..<50 { journal.append("{\"secret\":\(number)}") }
        let former = journal.installation
        let erased = try journal.erase()
        #expect(erased.former == former)
        #expect(erased.proof?.proves(former) == true)
        #expect(journal.installation != former)
        #expect(erased.proof?.proves(journal.installation) == false)
        journal.append("{\"after\":1}")
        let consumer = try #require(try journal.tryElection())
        #expect(try consumer.deliverAll("collector") == ["{\"after\":1}"])
        let left = try DiskStorage().names(in: environment.folder.path + "/writers")
        #expect(left == [journal.writer.description])
        #expect(try journal.ledger().recorded == 1)
    }

    @Test
    func `settling records out of order, or too many or too few of them, is rejected and changes nothing`() throws {
        let environment = try JournalEnvironment()
        let journal = try environment.open()
        for number in 0..<10 { journal.append("{\"n\":\(number)}") }
        let consumer = try #require(try journal.tryElection())
        let batch = try #require(try consumer.read(for: "collector", limits: (10, 1000)))
        #expect(throws: JournalError.self) { try consumer.settle(batch, records: 1..<3, delivered: 2) }
        #expect(throws: JournalError.self) { try consumer.settle(batch, records: 0..<3, delivered: 2) }
        #expect(throws: JournalError.self) { try consumer.settle(batch, records: 0..<11, delivered: 11) }
        #expect(throws: JournalError.self) { try consumer.read(for: "collector", limits: (1, 1)) }
        try consumer.settle(batch, records: 0..<10, delivered: 10)
        #expect(throws: JournalError.self) { try consumer.settle(batch, records: 0..<10, delivered: 10) }
        #expect(try journal.ledger().destinations["collector"]?.delivered == 10)
    }

    @Test
    func `an event too large for any segment is dropped and counted, and later events are kept`() throws {
        let environment = try JournalEnvironment()
        let journal = try environment.open()
        journal.append("{\"n\":1}")
        let huge = String(repeating: "x", count: 17 << 20)
        #expect(journal.append(huge) == .dropped(2, .tooLarge))
        journal.append("{\"n\":3}")
        let large = "{\"large\":\"" + String(repeating: "y", count: 100_000) + "\"}"
        #expect(journal.append(large) == .stored(4))
        let consumer = try #require(try journal.tryElection())
        let batch = try #require(try consumer.read(for: "collector", limits: (10, 1 << 20)))
        #expect(batch.texts == ["{\"n\":1}", "{\"n\":3}", large])
        #expect(batch.events.dropped == [DroppedRange(sequences: 2...2, reason: .tooLarge)])
    }

    @Test
    func `a preallocated segment is used next, and a closed journal leaves none behind`() throws {
        let environment = try JournalEnvironment()
        let journal = try environment.open()
        let folder = environment.folder.path + "/writers/" + journal.writer.description
        var recorded: [String] = []
        for number in 0..<200 {
            recorded.append("{\"n\":\(number),\"pad\":\"" + String(repeating: "x", count: 60) + "\"}")
            journal.append(recorded[number])
            journal.performMaintenance()
        }
        #expect(try SegmentName.all(in: folder, DiskStorage()).count > 4)
        let consumer = try #require(try journal.tryElection())
        #expect(try consumer.deliverAll("collector") == recorded)
        journal.close()
        #expect(try DiskStorage().names(in: folder).contains(SegmentName.spare) == false)
    }

    @Test
    func `a starting process does not count as dead, and one that died while starting is removed after an hour`() throws
    {
        let environment = try JournalEnvironment()
        let journal = try environment.open()
        let consumer = try #require(try journal.tryElection())
        // Another process has created its folder but has not locked it yet.
        let other = WriterID.generate(at: environment.clock.now().wall)
        let folder = environment.folder.path + "/writers/\(other)"
        try DiskStorage().makeFolder(folder)
        try consumer.maintain(at: environment.clock.now())
        #expect(try DiskStorage().names(in: environment.folder.path + "/writers").contains(other.description))
        // Now it takes the lock and starts to write.
        let lock = try #require(try DiskStorage().lock(folder + "/alive.lock"))
        try consumer.maintain(at: environment.clock.now())
        #expect(try DiskStorage().names(in: environment.folder.path + "/writers").contains(other.description))
        lock.release()
        environment.clock.advance(.seconds(3601))
        try consumer.maintain(at: environment.clock.now())
        #expect(try !DiskStorage().names(in: environment.folder.path + "/writers").contains(other.description))
    }
}
