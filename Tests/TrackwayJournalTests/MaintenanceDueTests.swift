// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import TrackwayEvents
import TrackwayTesting

@testable import TrackwayJournal

@Suite("When maintenance is due")
struct MaintenanceDueTests {
    private let storage = FaultyStorage(MemoryStorage(tellsChanges: true))
    private let clock = SteppedClock()
    private let calls = Locked(0)

    private func journal(
        _ destinations: [DestinationID] = ["collector"],
        maximumBytes: Int = 1 << 30,
        maximumAge: Duration = .seconds(1 << 30)
    ) throws -> Journal {
        let configuration = JournalConfiguration(
            folder: "/j",
            destinations: destinations,
            maximumBytes: maximumBytes,
            maximumAge: maximumAge,
            segmentBytes: 4096
        )
        return try Journal(configuration, clock: clock, bootID: "boot", storage: storage)
    }

    private func elected(_ journal: Journal) throws -> JournalConsumer {
        let consumer = try #require(try journal.tryElection())
        consumer.tellChanges { [calls] in calls.withLock { $0 += 1 } }
        return consumer
    }

    /// How often something was told since the last call.
    private var told: Int {
        calls.withLock { calls in
            defer { calls = 0 }
            return calls
        }
    }

    private func maintain(_ consumer: JournalConsumer) throws -> NextMaintenance {
        try consumer.maintain(at: clock.now())
        return consumer.nextMaintenance
    }

    private func after(_ seconds: Int) -> NextMaintenance {
        .due(clock.now().monotonic.advanced(by: .seconds(seconds)))
    }

    private let text = "{\"pad\":\"" + String(repeating: "x", count: 300) + "\"}"

    @Test("nothing to do is looked at after ten minutes; delivering and recording little change nothing of that")
    func nothing() throws {
        let journal = try journal()
        let consumer = try elected(journal)
        #expect(try maintain(consumer) == after(600))
        journal.append(text)
        #expect(try consumer.deliverAll("collector") == [text])
        #expect(told == 0)
        clock.advance(.seconds(600))
        #expect(try maintain(consumer) == after(600))
    }

    @Test("where nothing is told, it is polled", arguments: [true, false])
    func untold(isWanted: Bool) throws {
        storage.tellsChanges = !isWanted
        let journal = try journal()
        let consumer = try #require(try journal.tryElection())
        if isWanted { consumer.tellChanges {} }
        #expect(try maintain(consumer) == .polled)
        // As soon as it can be told, it is.
        storage.tellsChanges = true
        consumer.tellChanges {}
        #expect(try maintain(consumer) == after(600))
    }

    @Test("another process that asks, comes or goes is told")
    func others() throws {
        let journal = try journal()
        let consumer = try elected(journal)
        try consumer.maintain(at: clock.now())
        _ = consumer.wasAsked()
        try journal.requestDelivery()
        #expect(!consumer.wasAsked(), "this process asked itself, just before it was elected")
        _ = told
        let other = try self.journal()
        #expect(told > 0)
        try other.requestDelivery()
        #expect(told > 0)
        #expect(consumer.wasAsked())
        other.append(text)
        #expect(told == 0)
        other.close()
        try consumer.maintain(at: clock.now())
        #expect(try consumer.deliverAll("collector") == [text])
        try consumer.maintain(at: clock.now())
        // Its folder was removed.
        #expect(told > 0)
    }

    @Test("a segment that waits is due when it reaches its age, and not before")
    func expiry() throws {
        let journal = try journal(maximumAge: .seconds(100))
        let consumer = try elected(journal)
        for _ in 0..<30 { journal.append(text) }
        clock.advance(.seconds(30))
        #expect(try maintain(consumer) == after(70))
        clock.advance(.milliseconds(69_999))
        #expect(try maintain(consumer) == .due(clock.now().monotonic.advanced(by: .milliseconds(1))))
        #expect(try journal.ledger().destinations["collector"]?.dropped == [:])
        clock.advance(.milliseconds(1))
        try consumer.maintain(at: clock.now())
        #expect(try journal.ledger().destinations["collector"]?.dropped[.expired] ?? 0 > 10)
    }

    @Test("what is too old or too much, but on its way, is tried again soon")
    func leased() throws {
        let journal = try journal(maximumAge: .seconds(100))
        let consumer = try elected(journal)
        for _ in 0..<30 { journal.append(text) }
        let batch = try #require(try consumer.read(for: "collector", limits: (events: 2, bytes: 1 << 20)))
        clock.advance(.seconds(101))
        #expect(try maintain(consumer) == .polled)
        consumer.release(batch)
        #expect(try maintain(consumer) == after(600))
    }

    @Test("numbers for others are told when they have waited for five minutes")
    func skipped() throws {
        let journal = try journal(["collector", "audit"])
        let consumer = try elected(journal)
        journal.append(text)
        _ = try consumer.deliverAll("collector")
        journal.append(text, to: ["audit"])
        _ = try consumer.deliverAll("audit")
        _ = try consumer.deliverAll("collector")
        #expect(try maintain(consumer) == after(300))
        clock.advance(.seconds(299))
        #expect(try maintain(consumer) == after(1))
        #expect(!consumer.isUntold("collector"))
        clock.advance(.seconds(1))
        #expect(try maintain(consumer) == after(600))
        #expect(consumer.isUntold("collector"))
    }

    @Test("half a segment is told once, a new one too, and the next is made ahead of need")
    func filling() throws {
        let journal = try journal()
        let consumer = try elected(journal)
        try consumer.maintain(at: clock.now())
        var news: [Int] = []
        for number in 0..<40 {
            journal.append(text)
            guard told > 0 else { continue }
            news.append(number)
            try consumer.maintain(at: clock.now())
            _ = told
        }
        // Twelve of these fill a segment: two words for each.
        #expect(news.count == 7 || news.count == 6)
        let names = try storage.names(in: "/j/writers/\(journal.writer)")
        let made = storage.count(of: .makeSegment)
        for _ in 0..<3 { journal.append(text) }
        #expect(names.count { $0.hasSuffix(".segment") } > 3)
        #expect(storage.count(of: .makeSegment) == made)
    }

    @Test("events that are held are told once, and polled until they are written")
    func held() throws {
        let journal = try journal()
        let consumer = try elected(journal)
        try consumer.maintain(at: clock.now())
        storage.fail(.makeSegment, with: .noSpace)
        for _ in 0..<40 { journal.append(text) }
        #expect((1...3).contains(told))
        #expect(try maintain(consumer) == .polled)
        #expect(told == 0)
        storage.heal()
        try consumer.maintain(at: clock.now())
        #expect(try maintain(consumer) == after(600))
    }

    @Test("a cursor that could not be written is polled until it is")
    func unsaved() throws {
        let journal = try journal()
        let consumer = try elected(journal)
        journal.append(text)
        let batch = try #require(try consumer.read(for: "collector", limits: (events: 2, bytes: 1 << 20)))
        storage.fail(.replace, with: .noSpace, paths: "cursor.")
        #expect(throws: JournalError.self) {
            try consumer.settle(batch, records: 0..<1, delivered: 1)
        }
        #expect(try maintain(consumer) == .polled)
        storage.heal()
        #expect(try maintain(consumer) == after(600))
    }

    @Test("a writer that cannot be read is polled until it can be")
    func unreadable() throws {
        let other = try journal()
        other.append(text)
        other.close()
        storage.fail(.contents, with: .denied, paths: "\(other.writer)")
        let consumer = try elected(try journal())
        #expect(try maintain(consumer) == .polled)
        storage.heal()
        #expect(try maintain(consumer) == after(600))
    }

    @Test("a folder that was removed is told and watched again once it is made anew", arguments: ["/j", "/j/writers"])
    func removed(_ part: String) throws {
        let journal = try journal()
        let consumer = try elected(journal)
        journal.append(text)
        try consumer.maintain(at: clock.now())
        _ = told
        (storage.base as? MemoryStorage)?.sweep(part)
        #expect(told > 0)
        try consumer.maintain(at: clock.now())
        #expect(try maintain(consumer) == after(600))
        _ = told
        let other = try self.journal()
        #expect(told > 0)
        try other.requestDelivery()
        #expect(told > 0)
        #expect(consumer.wasAsked())
    }

    @Test("nothing is told after the end", arguments: [true, false])
    func ended(isClosed: Bool) throws {
        let journal = try journal()
        var consumer: JournalConsumer? = try elected(journal)
        try consumer?.maintain(at: clock.now())
        if isClosed { consumer?.close() }
        weak let gone = consumer
        if !isClosed {
            consumer = nil
            #expect(gone == nil)
        }
        _ = told
        try journal.requestDelivery()
        _ = try self.journal()
        #expect(told == 0)
        _ = consumer
    }
}
