// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import TrackwayCore
import TrackwayTesting

@testable import TrackwayJournal

@Suite("Writers that cannot be read")
struct UnreadableWriterTests {
    /// An operation that another user's folder rejects.
    struct Refusal: Sendable, CustomTestStringConvertible {
        let operation: StorageOperation
        let file: String
        var fault = StorageFault.denied

        var testDescription: String { "\(operation) of \(file.isEmpty ? "the folder" : file), errno \(fault.number)" }
    }

    static let refusals: [Refusal] = [
        Refusal(operation: .names, file: ""),
        Refusal(operation: .lock, file: "alive.lock"),
        Refusal(operation: .contents, file: "cursor.collector"),
        Refusal(operation: .read, file: ".segment"),
        Refusal(operation: .size, file: ".segment"),
        Refusal(operation: .names, file: "", fault: StorageFault(.other, number: 24)),
        Refusal(operation: .lock, file: "alive.lock", fault: StorageFault(.other, number: 24)),
    ]

    private func journal(_ storage: any JournalStorage, _ clock: SteppedClock) throws -> Journal {
        let configuration = JournalConfiguration(folder: "/j", destinations: ["collector"], segmentBytes: 4096)
        return try Journal(configuration, clock: clock, bootID: "boot", storage: storage)
    }

    @Test(arguments: refusals)
    func `an unreadable writer is reported by name, blocks no other writer, and resumes once it is readable`(
        _ refusal: Refusal
    ) throws {
        let clock = SteppedClock()
        let storage = FaultyStorage()
        let foreign = try journal(storage, clock)
        for number in 0..<5 { foreign.append("{\"foreign\":\(number)}") }
        let path = "writers/\(foreign.writer)"
        foreign.close()
        clock.advance(.seconds(1))
        let own = try journal(storage, clock)
        storage.fail(refusal.operation, with: refusal.fault, paths: refusal.file.isEmpty ? path : "\(path)/")
        for number in 0..<5 { own.append("{\"own\":\(number)}") }
        let before = try own.ledger()
        // A process that does not deliver takes no lock.
        #expect(before.isComplete == (refusal.operation == .lock))
        let consumer = try #require(try own.tryElection())
        #expect(try consumer.deliverAll("collector") == (0..<5).map { "{\"own\":\($0)}" })
        for _ in 0..<3 {
            clock.advance(.seconds(1))
            try consumer.maintain(at: clock.now())
            #expect(consumer.writerProblems.count == 1)
        }
        let problem = try #require(consumer.writerProblems.first)
        #expect(problem.message.contains(path))
        #expect(problem.message.contains(refusal.fault.number == 13 ? "change the owner" : "too many files"))
        #expect(try consumer.deliverableCount(for: "collector") == 0)
        let ledger = try own.ledger()
        #expect(ledger.uncounted.count == 1)
        #expect(ledger.uncounted.first?.path.contains(path) == true)
        #expect(ledger.destinations["collector"]?.delivered == 5)
        #expect(ledger.isBalanced)

        storage.clearFaults()
        clock.advance(.seconds(1))
        try consumer.maintain(at: clock.now())
        #expect(consumer.writerProblems.isEmpty)
        #expect(try consumer.deliverAll("collector") == (0..<5).map { "{\"foreign\":\($0)}" })
        let whole = try own.ledger()
        #expect(whole.isComplete)
        #expect(whole.destinations["collector"] == Ledger.Account(recorded: 10, delivered: 10))
    }

    @Test
    func `a writer that becomes unreadable halfway keeps its counts, and no event is delivered twice`() throws {
        let clock = SteppedClock()
        let storage = FaultyStorage()
        let foreign = try journal(storage, clock)
        for number in 0..<200 {
            foreign.append("{\"foreign\":\(number),\"pad\":\"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\"}")
        }
        foreign.close()
        clock.advance(.seconds(1))
        let own = try journal(storage, clock)
        let consumer = try #require(try own.tryElection())
        let batch = try #require(try consumer.read(for: "collector", limits: (50, 1 << 20)))
        try consumer.settle(batch, records: 0..<50, delivered: 50)
        let recorded = try own.ledger().recorded
        storage.fail(.size, with: .denied, paths: "\(foreign.writer)/")
        storage.fail(.read, with: .denied, paths: "\(foreign.writer)/")
        own.append("{}")
        // Events in a window that was already read may still be returned, but no others of that writer.
        while let batch = try consumer.read(for: "collector", limits: (1000, 1 << 20)) {
            try consumer.settle(batch, records: 0..<batch.texts.count, delivered: batch.texts.count)
        }
        try consumer.maintain(at: clock.now())
        #expect(try own.ledger().recorded >= recorded)
        #expect(try !own.ledger().isComplete)
        storage.clearFaults()
        try consumer.maintain(at: clock.now())
        _ = try consumer.deliverAll("collector")
        #expect(try own.ledger().destinations["collector"] == Ledger.Account(recorded: 201, delivered: 201))
    }

    @Test(arguments: [true, false])
    func `counting throws while the list of writers cannot be read`(isElected: Bool) throws {
        let clock = SteppedClock()
        let storage = FaultyStorage()
        let own = try journal(storage, clock)
        own.append("{}")
        let consumer = isElected ? try own.tryElection() : nil
        #expect((consumer != nil) == isElected)
        storage.fail(.names, with: StorageFault(.other, number: 24), paths: "/writers")
        #expect(throws: JournalError.self) { try own.ledger() }
        if let consumer { #expect(throws: JournalError.self) { try consumer.deliverableCount(for: "collector") } }
        storage.clearFaults()
        #expect(try own.ledger().destinations["collector"]?.pending == 1)
        consumer?.close()
    }

    @Test
    func `erasing throws if it cannot erase an unreadable writer`() throws {
        let clock = SteppedClock()
        let storage = FaultyStorage()
        let foreign = try journal(storage, clock)
        foreign.append("{\"secret\":1}")
        foreign.close()
        clock.advance(.seconds(1))
        let own = try journal(storage, clock)
        storage.fail(.names, with: .denied, paths: "\(foreign.writer)")
        #expect(throws: JournalError.self) { try own.erase() }
        storage.clearFaults()
        _ = try own.erase()
        let consumer = try #require(try own.tryElection())
        #expect(try consumer.deliverAll("collector") == [])
    }
}
