// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import TrackwayCore
import TrackwayTesting

@testable import TrackwayJournal

@Suite("When maintenance is due")
struct MaintenanceDueTests {
    private let storage = FaultyStorage(MemoryStorage(supportsWatching: true))
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
        consumer.onChange { [calls] in calls.withLock { $0 += 1 } }
        return consumer
    }

    /// The number of notifications since the last call.
    private var newCalls: Int {
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

    @Test
    func `an idle journal is due after ten minutes, even after recording and delivering a few events`() throws {
        let journal = try journal()
        let consumer = try elected(journal)
        #expect(try maintain(consumer) == after(600))
        journal.append(text)
        #expect(try consumer.deliverAll("collector") == [text])
        #expect(newCalls == 0)
        clock.advance(.seconds(600))
        #expect(try maintain(consumer) == after(600))
    }

    @Test(arguments: [true, false])
    func `a journal is polled while change notifications are unsupported or not requested`(isWanted: Bool) throws {
        storage.supportsWatching = !isWanted
        let journal = try journal()
        let consumer = try #require(try journal.tryElection())
        if isWanted { consumer.onChange {} }
        #expect(try maintain(consumer) == .polled)
        // Once notifications are possible, polling stops.
        storage.supportsWatching = true
        consumer.onChange {}
        #expect(try maintain(consumer) == after(600))
    }

    @Test
    func `a process that requests delivery, starts or ends triggers a notification`() throws {
        let journal = try journal()
        let consumer = try elected(journal)
        try consumer.maintain(at: clock.now())
        _ = consumer.consumeDeliveryRequest()
        try journal.requestDelivery()
        #expect(
            !consumer.consumeDeliveryRequest(),
            "this process requested delivery itself, just before it was elected"
        )
        _ = newCalls
        let other = try self.journal()
        #expect(newCalls > 0)
        try other.requestDelivery()
        #expect(newCalls > 0)
        #expect(consumer.consumeDeliveryRequest())
        other.append(text)
        #expect(newCalls == 0)
        other.close()
        try consumer.maintain(at: clock.now())
        #expect(try consumer.deliverAll("collector") == [text])
        try consumer.maintain(at: clock.now())
        // The other process's folder was removed.
        #expect(newCalls > 0)
    }

    @Test
    func `a pending segment is due exactly when it reaches its maximum age`() throws {
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

    @Test
    func `dropping events beyond a limit is retried soon while they are in flight`() throws {
        let journal = try journal(maximumAge: .seconds(100))
        let consumer = try elected(journal)
        for _ in 0..<30 { journal.append(text) }
        let batch = try #require(try consumer.read(for: "collector", limits: (events: 2, bytes: 1 << 20)))
        clock.advance(.seconds(101))
        #expect(try maintain(consumer) == .polled)
        consumer.release(batch)
        #expect(try maintain(consumer) == after(600))
    }

    @Test
    func `skipped numbers are reported after waiting for five minutes`() throws {
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
        #expect(!consumer.isReportDue("collector"))
        clock.advance(.seconds(1))
        #expect(try maintain(consumer) == after(600))
        #expect(consumer.isReportDue("collector"))
    }

    @Test
    func `a half-full segment and a new one each notify once, and the next segment is preallocated`() throws {
        let journal = try journal()
        let consumer = try elected(journal)
        try consumer.maintain(at: clock.now())
        var news: [Int] = []
        for number in 0..<40 {
            journal.append(text)
            guard newCalls > 0 else { continue }
            news.append(number)
            try consumer.maintain(at: clock.now())
            _ = newCalls
        }
        // Twelve events fill a segment, with two notifications for each segment.
        #expect(news.count == 7 || news.count == 6)
        let names = try storage.names(in: "/j/writers/\(journal.writer)")
        let made = storage.count(of: .makeSegment)
        for _ in 0..<3 { journal.append(text) }
        #expect(names.count { $0.hasSuffix(".segment") } > 3)
        #expect(storage.count(of: .makeSegment) == made)
    }

    @Test
    func `held events notify once and are polled until they are written`() throws {
        let journal = try journal()
        let consumer = try elected(journal)
        try consumer.maintain(at: clock.now())
        storage.fail(.makeSegment, with: .noSpace)
        for _ in 0..<40 { journal.append(text) }
        #expect((1...3).contains(newCalls))
        #expect(try maintain(consumer) == .polled)
        #expect(newCalls == 0)
        storage.clearFaults()
        try consumer.maintain(at: clock.now())
        #expect(try maintain(consumer) == after(600))
    }

    @Test
    func `a cursor that could not be written is polled until it is`() throws {
        let journal = try journal()
        let consumer = try elected(journal)
        journal.append(text)
        let batch = try #require(try consumer.read(for: "collector", limits: (events: 2, bytes: 1 << 20)))
        storage.fail(.replace, with: .noSpace, paths: "cursor.")
        #expect(throws: JournalError.self) {
            try consumer.settle(batch, records: 0..<1, delivered: 1)
        }
        #expect(try maintain(consumer) == .polled)
        storage.clearFaults()
        #expect(try maintain(consumer) == after(600))
    }

    @Test
    func `a writer that cannot be read is polled until it can be`() throws {
        let other = try journal()
        other.append(text)
        other.close()
        storage.fail(.contents, with: .denied, paths: "\(other.writer)")
        let consumer = try elected(try journal())
        #expect(try maintain(consumer) == .polled)
        storage.clearFaults()
        #expect(try maintain(consumer) == after(600))
    }

    @Test(arguments: ["/j", "/j/writers"])
    func `a removed folder triggers a notification, and is watched again once it is recreated`(_ part: String) throws {
        let journal = try journal()
        let consumer = try elected(journal)
        journal.append(text)
        try consumer.maintain(at: clock.now())
        _ = newCalls
        (storage.base as? MemoryStorage)?.sweep(part)
        #expect(newCalls > 0)
        try consumer.maintain(at: clock.now())
        #expect(try maintain(consumer) == after(600))
        _ = newCalls
        let other = try self.journal()
        #expect(newCalls > 0)
        try other.requestDelivery()
        #expect(newCalls > 0)
        #expect(consumer.consumeDeliveryRequest())
    }

    @Test(arguments: [true, false])
    func `no notification arrives after the consumer is closed or released`(isClosed: Bool) throws {
        let journal = try journal()
        var consumer: JournalConsumer? = try elected(journal)
        try consumer?.maintain(at: clock.now())
        if isClosed { consumer?.close() }
        weak let released = consumer
        if !isClosed {
            consumer = nil
            #expect(released == nil)
        }
        _ = newCalls
        try journal.requestDelivery()
        _ = try self.journal()
        #expect(newCalls == 0)
        _ = consumer
    }
}
