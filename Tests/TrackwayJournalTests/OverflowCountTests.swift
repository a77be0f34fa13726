// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import TrackwayCore
import TrackwayTesting

@testable import TrackwayJournal

/// Pending counts must match the events in the files.
///
/// The tests compare them after each event and at each change to a file.
@Suite("An event is pending only while a file holds it")
struct OverflowCountTests {
    private static let limit = 8 * 4096

    private static func journal(
        _ storage: any JournalStorage,
        clock: SteppedClock = SteppedClock(),
        maximumBytes: Int = limit,
        maximumAge: Duration = .seconds(1 << 40)
    ) throws -> Journal {
        // Each process has a unique name, which starts with the time.
        clock.advance(.milliseconds(1))
        let configuration = JournalConfiguration(
            folder: "/journal",
            destinations: ["collector"],
            maximumBytes: maximumBytes,
            maximumAge: maximumAge,
            segmentBytes: 4096
        )
        return try Journal(configuration, clock: clock, bootID: "boot", storage: storage)
    }

    private static func text(_ number: Int) -> String {
        "{\"n\":\(number),\"pad\":\"" + String(repeating: "x", count: 50) + "\"}"
    }

    /// Returns the numbers of the events in a writer's files.
    private static func numbers(of writer: WriterID, in journal: Journal) throws -> Set<UInt64> {
        var reader = LogReader(folder: journal.folder.writer(writer), storage: journal.storage)
        var numbers: Set<UInt64> = []
        while let entry = try reader.next() {
            if entry.kind == .event { numbers.insert(entry.sequence) }
        }
        return numbers
    }

    /// A count of pending events.
    enum PendingCount: CaseIterable {
        case ledger, waiting, own, deliverable

        func pending(in journal: Journal) throws -> UInt64 {
            switch self {
            case .ledger: try #require(try journal.ledger().destinations["collector"]).pending
            case .waiting: try journal.countWaiting(for: "collector")
            case .own: try journal.ownPending(for: "collector")
            case .deliverable:
                if let consumer = journal.heldConsumer {
                    try consumer.deliverableCount(for: "collector")
                } else {
                    try journal.ownPending(for: "collector")
                }
            }
        }
    }

    @Test(arguments: PendingCount.allCases, [false, true])
    func `each count is exact after each event of an overflow`(_ count: PendingCount, delivers: Bool) throws {
        let journal = try Self.journal(MemoryStorage())
        let consumer = delivers ? try journal.tryElection() : nil
        #expect((consumer != nil) == delivers)
        var isOverflown = false
        for number in 0..<600 {
            journal.append(Self.text(number))
            let present = UInt64(try Self.numbers(of: journal.writer, in: journal).count)
            isOverflown = isOverflown || present < number + 1
            #expect(try count.pending(in: journal) == present, "after event \(number)")
        }
        #expect(isOverflown)
        let before = try journal.ledger()
        #expect(before.isBalanced && before.recorded == 600)
        try consumer?.maintain(at: journal.clock.now())
        // The delivering process trims to the actual limit, which is less than a writer keeps. No count shrinks.
        let after = try journal.ledger()
        #expect(after.isBalanced && after.recorded == 600)
        let dropped = try [before, after].map { try #require($0.destinations["collector"]).droppedTotal }
        #expect(dropped[0] > 0 && dropped[0] <= dropped[1])
    }

    @Test
    func `events of a batch in flight stay pending, and removed events after it do not`() throws {
        let journal = try Self.journal(MemoryStorage())
        let consumer = try #require(try journal.tryElection())
        for number in 0..<20 { journal.append(Self.text(number)) }
        let batch = try #require(try consumer.read(for: "collector", limits: (10, 1 << 20)))
        for number in 20..<900 {
            journal.append(Self.text(number))
            let present = try Self.numbers(of: journal.writer, in: journal).count
            #expect(try PendingCount.ledger.pending(in: journal) == UInt64(present), "after event \(number)")
        }
        let dropped = try #require(try journal.ledger().destinations["collector"]).droppedTotal
        #expect(dropped > 0)
        try consumer.settle(batch, records: 0..<10, delivered: 10)
        let delivered = try consumer.deliverAll("collector", events: 1000).count
        let account = try #require(try journal.ledger().destinations["collector"])
        #expect(account.delivered == UInt64(delivered + 10) && account.pending == 0)
        #expect(account.dropped == [.journalFull: dropped], "a count that was returned does not change")
    }

    @Test(arguments: [false, true])
    func `a removed folder's events are dropped as soon as the removal is noticed`(delivers: Bool) throws {
        let storage = MemoryStorage()
        let journal = try Self.journal(storage)
        let consumer = delivers ? try journal.tryElection() : nil
        #expect((consumer != nil) == delivers)
        for number in 0..<30 { journal.append(Self.text(number)) }
        for path in storage.paths where path.hasSuffix(".segment") { storage.remove(path) }
        journal.performMaintenance()
        journal.append(Self.text(30))
        let account = try #require(try journal.ledger().destinations["collector"])
        #expect(account.pending == 1 && account.dropped == [.storageRemoved: 30])
        withExtendedLifetime(consumer) {}
    }

    /// The way events are dropped.
    enum DropCause: CaseIterable {
        /// The recording process drops events to make space for newer ones.
        case overflow
        /// The delivering process trims a dead writer's events.
        case trimmed
        /// The delivering process trims by age, in maintenance or before the first batch.
        case expired, expiredBeforeFirstBatch
    }

    @Test(arguments: DropCause.allCases)
    func `at each change to a file, all events that another process counts as pending are in files`(_ way: DropCause)
        throws
    {
        let clock = SteppedClock()
        let storage = ObservedStorage(MemoryStorage())
        let observer = try Self.journal(storage, clock: clock)
        let recorder = try Self.journal(storage, clock: clock, maximumBytes: way == .overflow ? Self.limit : 1 << 30)
        // Read here, because the recorder is locked while it changes files.
        let writer = recorder.writer
        let recorded = 600
        var deliverer: Journal?
        let steps = Locked(0)
        let observe = { (journals: [Journal]) in
            storage.observe { operation in
                steps.withLock { $0 += 1 }
                for journal in journals {
                    let ledger = try journal.ledger()
                    let account = try #require(ledger.destinations["collector"])
                    #expect(account.isBalanced, "\(operation)")
                    // The newest events are the pending ones.
                    let present = try Self.numbers(of: writer, in: observer)
                    let last = ledger.recorded
                    let pending = account.pending == 0 ? [] : Set((last - account.pending + 1)...last)
                    #expect(pending.isSubset(of: present), "\(operation): \(pending.count) of \(present.count)")
                }
            }
        }
        if way == .overflow { observe([observer]) }
        for number in 0..<recorded { recorder.append(Self.text(number)) }
        if way != .overflow {
            recorder.close()
            clock.advance(.seconds(200))
            let isByAge = way != .trimmed
            let journal = try Self.journal(
                storage,
                clock: clock,
                maximumBytes: isByAge ? 1 << 30 : Self.limit,
                maximumAge: isByAge ? .seconds(100) : .seconds(1 << 40)
            )
            let consumer = try #require(try journal.tryElection())
            // Completes the journal's view of all writers, as in normal use.
            _ = try journal.ledger()
            deliverer = journal
            observe([observer, journal])
            if way == .expiredBeforeFirstBatch {
                // The batch may contain events whose age is not known for certain.
                _ = try consumer.read(for: "collector", limits: (10, 1 << 20))
            } else {
                try consumer.maintain(at: clock.now())
            }
            withExtendedLifetime(consumer) {}
        }
        storage.observe(nil)
        #expect(steps.withLock { $0 } >= 4)
        let account = try #require(try observer.ledger().destinations["collector"])
        #expect(account.droppedTotal > 100 && account.recorded == UInt64(recorded))
        #expect(
            account.dropped.keys.allSatisfy { $0 == (way == .overflow || way == .trimmed ? .journalFull : .expired) }
        )
        withExtendedLifetime(deliverer) {}
    }

    @Test
    func `a kill between recording the drop reason and removing the segment drops nothing`() throws {
        let storage = MemoryStorage(remembersRemoved: true)
        let journal = try Self.journal(storage)
        for number in 0..<700 { journal.append(Self.text(number)) }
        let next = try Self.journal(storage.includingRemoved(), maximumBytes: 1 << 30)
        let account = try #require(try next.ledger().destinations["collector"])
        #expect(account.pending == 700 && account.dropped.isEmpty)
    }

    /// Recorded ranges and the counts that they produce.
    static let ranges: [(known: [ClosedRange<UInt64>], first: UInt64, last: UInt64, count: UInt64)] = [
        ([], 1, 100, 0),
        ([1...100], 1, 100, 100),
        ([1...100], 51, 100, 50),
        ([1...100], 101, 200, 0),
        ([1...100], 10, 9, 0),
        ([201...300, 1...100], 50, 250, 101),
        ([1...100, 50...150], 1, 200, 150),
        ([1...100, 1...100], 1, 100, 100),
        ([1...UInt64.max], 1, 100, 0),
        ([5...(UInt64.max - 1)], 1, .max, UInt64.max - 5),
    ]

    @Test(arguments: ranges)
    func `missing numbers are counted once, for any recorded ranges`(
        known: [ClosedRange<UInt64>],
        first: UInt64,
        last: UInt64,
        count: UInt64
    ) {
        let missing = MissingNumbers(known.map { DroppedRange(sequences: $0, reason: .journalFull) })
        #expect(missing.counts(from: first, through: last).values.reduce(0, +) == count)
    }
}

/// A storage that calls back after each change to a file.
private final class ObservedStorage: ForwardingStorage {
    let base: any JournalStorage
    private let observer = Locked<(@Sendable (String) throws -> Void)?>(nil)
    /// Whether the observer is running; changes during that time are not observed.
    private let isObserving = Locked(false)

    init(_ base: any JournalStorage) {
        self.base = base
    }

    func observe(_ body: (@Sendable (String) throws -> Void)?) {
        observer.withLock { $0 = body }
    }

    private func changed(_ operation: String) {
        guard let body = observer.withLock({ $0 }) else { return }
        let isFirst = isObserving.withLock { isObserving in
            defer { isObserving = true }
            return !isObserving
        }
        guard isFirst else { return }
        defer { isObserving.withLock { $0 = false } }
        #expect(throws: Never.self) { try body(operation) }
    }

    func replace(_ path: String, with bytes: [UInt8], durably: Bool) throws(StorageError) {
        try base.replace(path, with: bytes, durably: durably)
        changed("replace \(path)")
    }

    func overwrite(_ path: String, with bytes: [UInt8]) throws(StorageError) {
        try base.overwrite(path, with: bytes)
        changed("overwrite \(path)")
    }

    func remove(_ path: String) throws(StorageError) {
        try base.remove(path)
        changed("remove \(path)")
    }
}
