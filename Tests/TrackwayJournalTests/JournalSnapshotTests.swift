// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import TrackwayCore
import TrackwayTesting

@testable import TrackwayJournal

/// Snapshots read an app-managed destination's pending events and remove exactly those.
@Suite struct JournalSnapshotTests {
    let clock = SteppedClock()
    let storage = MemoryStorage()

    func open(
        in other: MemoryStorage? = nil,
        _ destinations: [DestinationID] = ["collector", "exports"],
        appManaged: Set<DestinationID> = ["exports"],
        expected: [DestinationID] = [],
        maximumBytes: Int = 1 << 30,
        maximumAppManagedBytes: Int = 1 << 30,
        maximumAge: Duration = .seconds(1 << 40)
    ) throws -> Journal {
        clock.advance(.milliseconds(1))
        let configuration = JournalConfiguration(
            folder: "/journal",
            destinations: destinations,
            expected: expected,
            appManaged: appManaged,
            maximumBytes: maximumBytes,
            maximumAppManagedBytes: maximumAppManagedBytes,
            maximumAge: maximumAge,
            segmentBytes: 4096
        )
        return try Journal(configuration, clock: clock, bootID: "boot", storage: other ?? storage)
    }

    func account(_ journal: Journal, _ destination: DestinationID = "exports") throws -> Ledger.Account {
        try #require(try journal.ledger().destinations[destination])
    }

    @Test
    func `a snapshot contains the events recorded before it, in order, and no later ones`() throws {
        let journal = try open()
        for number in 1...300 { journal.append("e\(number)", to: number.isMultiple(of: 3) ? ["collector"] : []) }
        let snapshot = try journal.snapshot(for: "exports")
        for number in 301...600 { journal.append("e\(number)") }
        #expect(try snapshot.texts() == (1...300).filter { !$0.isMultiple(of: 3) }.map { "e\($0)" })
        #expect(try journal.snapshot(for: "exports").texts().count == 500)
    }

    @Test(arguments: [false, true])
    func `removal removes exactly the snapshot's events, once`(isElected: Bool) throws {
        let journal = try open()
        let consumer = isElected ? try journal.tryElection() : nil
        for number in 1...200 { journal.append("e\(number)") }
        let snapshot = try journal.snapshot(for: "exports")
        for number in 201...250 { journal.append("e\(number)") }
        #expect(try snapshot.remove() == 200)
        #expect(try snapshot.remove() == 0)
        #expect(try journal.snapshot(for: "exports").texts() == (201...250).map { "e\($0)" })
        let account = try account(journal)
        #expect((account.delivered, account.pending, account.droppedTotal) == (200, 50, 0))
        #expect(try self.account(journal, "collector").pending == 250)
        withExtendedLifetime(consumer) {}
    }

    @Test func `removal works while this process repeatedly starts and stops delivering`()
        async throws
    {
        let journal = try open()
        let removed = Locked<UInt64>(0)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                for _ in 1...300 { try journal.tryElection()?.close() }
            }
            group.addTask {
                for number in 1...300 {
                    journal.append("e\(number)")
                    let count = try journal.snapshot(for: "exports").remove()
                    removed.withLock { $0 += count }
                }
            }
            try await group.waitForAll()
        }
        #expect(removed.withLock { $0 } == 300)
    }

    @Test func `removed events stay removed after power loss`() throws {
        let journal = try open()
        for number in 1...20 { journal.append("e\(number)") }
        try journal.synchronize()
        #expect(try journal.snapshot(for: "exports").remove() == 20)
        let again = try open(in: storage.afterPowerLoss())
        #expect(try again.snapshot(for: "exports").texts().isEmpty)
    }

    @Test func `events of ended processes come first and are removed with the others`() throws {
        for run in 1...3 {
            let journal = try open()
            for number in 1...10 { journal.append("run \(run) event \(number)") }
            journal.close()
        }
        let journal = try open()
        journal.append("now")
        let snapshot = try journal.snapshot(for: "exports")
        #expect(try snapshot.texts().count == 31)
        #expect(try snapshot.texts().last == "now")
        #expect(try snapshot.remove() == 31)
        let consumer = try #require(try journal.tryElection())
        _ = try consumer.deliverAll("collector")
        try consumer.maintain(at: clock.now())
        // Folders with no remaining events are removed; their counts stay.
        #expect(storage.names(in: "/journal/writers").count == 1)
        #expect(try account(journal).delivered == 31)
    }

    @Test
    func `reading a snapshot whose events were removed through another one throws instead of returning fewer events`()
        throws
    {
        let journal = try open()
        for number in 1...100 { journal.append("e\(number)") }
        let first = try journal.snapshot(for: "exports")
        for number in 101...150 { journal.append("e\(number)") }
        let second = try journal.snapshot(for: "exports")
        #expect(try first.remove() == 100)
        #expect { try second.texts() } throws: { ($0 as? JournalError)?.code == .outOfOrder }
        // The rest of the snapshot can still be removed, and nothing else.
        #expect(try second.remove() == 50)
        #expect(try account(journal).pending == 0)
    }

    @Test func `events may be recorded and the snapshot removed while it is read`() throws {
        let journal = try open()
        for number in 1...100 { journal.append("e\(number)") }
        let snapshot = try journal.snapshot(for: "exports")
        var seen = 0
        var reader = snapshot.makeReader(events: 10)
        #expect {
            while let batch = try reader.next() {
                seen += batch.records.count
                journal.append("between two batches")
                if seen == 30 { try snapshot.remove() }
            }
        } throws: { ($0 as? JournalError)?.code == .outOfOrder }
        #expect(seen == 30)
        #expect(try reader.next() == nil)
        let later = try journal.snapshot(for: "exports").texts()
        #expect(later == Array(repeating: "between two batches", count: 3))
    }

    @Test
    func `segments without events for the destination may be deleted before a snapshot is read`() throws {
        let journal = try open()
        let consumer = try #require(try journal.tryElection())
        let filler = String(repeating: "x", count: 200)
        for number in 1...100 { journal.append("\(number) \(filler)", to: ["collector"]) }
        journal.append("for the target", to: ["exports"])
        let snapshot = try journal.snapshot(for: "exports")
        let before = storage.paths.filter { $0.hasSuffix(SegmentName.suffix) }.count
        _ = try consumer.deliverAll("collector")
        try consumer.maintain(at: clock.now())
        #expect(storage.paths.filter { $0.hasSuffix(SegmentName.suffix) }.count < before)
        var dropped: [DroppedRange] = []
        var reader = snapshot.makeReader()
        while let batch = try reader.next() { dropped += batch.dropped }
        #expect(dropped.isEmpty)
        #expect(try snapshot.texts() == ["for the target"])
        #expect(try snapshot.remove() == 1)
        #expect(try account(journal).droppedTotal == 0)
    }

    @Test(arguments: [false, true])
    func `a log may be deleted before a snapshot is read, unless it contained events of the snapshot`(isShown: Bool)
        throws
    {
        let first = try open()
        first.append("removed", to: ["exports"])
        #expect(try first.snapshot(for: "exports").remove() == 1)
        if isShown { first.append("shown", to: ["exports"]) }
        first.append("elsewhere", to: ["collector"])
        let after = storage.afterKill()
        let journal = try open(in: after)
        let consumer = try #require(try journal.tryElection())
        journal.append("own", to: ["exports"])
        let snapshot = try journal.snapshot(for: "exports")
        if isShown { #expect(try journal.snapshot(for: "exports").remove() == 2) }
        #expect(try consumer.deliverAll("collector") == ["elsewhere"])
        try consumer.maintain(at: clock.now())
        #expect(after.names(in: "/journal/writers").count == 1)
        if isShown {
            #expect(throws: JournalError.self) { _ = try snapshot.texts() }
        } else {
            #expect(try snapshot.texts() == ["own"])
        }
        #expect(try journal.ledger().isBalanced)
    }

    @Test func `a snapshot may be read in part, and by several readers at a time`() throws {
        let journal = try open()
        for number in 1...100 { journal.append("e\(number)") }
        let snapshot = try journal.snapshot(for: "exports")
        var first = snapshot.makeReader(events: 10)
        for _ in 1...3 { #expect(try first.next()?.records.count == 10) }
        var second = first
        #expect(try snapshot.texts().count == 100)
        #expect(try first.next()?.first == second.next()?.first)
        var rest = 0
        while let batch = try second.next() { rest += batch.records.count }
        #expect(rest == 60)
        #expect(try second.next() == nil)
    }

    @Test
    func `events held by consent are neither returned nor removed; events dropped by consent are counted`() throws {
        let journal = try open()
        let rule: Admission.Rule = { context in
            switch String(decoding: context, as: UTF8.self) {
            case #"{"s":"no"}"#: .drop(.consentDenied)
            case #"{"s":"wait"}"#: .hold
            default: .send
            }
        }
        for subject in ["yes", "no", "yes", "wait", "yes"] {
            journal.setContext(Array(#"{"s":"\#(subject)"}"#.utf8))
            journal.append(subject)
        }
        let snapshot = try journal.snapshot(for: "exports", admitting: rule)
        #expect(try snapshot.texts() == ["yes", "yes"])
        #expect(try snapshot.remove() == 2)
        let account = try account(journal)
        #expect((account.delivered, account.pending, account.dropped) == (2, 2, [.consentDenied: 1]))
    }

    @Test
    func `an erasure invalidates a snapshot, which removes no events of the new installation`() throws {
        let journal = try open()
        for number in 1...10 { journal.append("e\(number)") }
        let snapshot = try journal.snapshot(for: "exports")
        _ = try journal.erase()
        for number in 1...10 { journal.append("new \(number)") }
        #expect { try snapshot.texts() } throws: { ($0 as? JournalError)?.code == .outOfOrder }
        #expect { try snapshot.remove() } throws: { ($0 as? JournalError)?.code == .outOfOrder }
        #expect(try journal.snapshot(for: "exports").texts().count == 10)
    }

    @Test func `a snapshot of a closed journal throws`() throws {
        var journal: Journal? = try open()
        journal?.append("e")
        let snapshot = try #require(try journal?.snapshot(for: "exports"))
        journal = nil
        #expect { try snapshot.texts() } throws: { ($0 as? JournalError)?.code == .closed }
        #expect { try snapshot.remove() } throws: { ($0 as? JournalError)?.code == .closed }
    }

    @Test func `while another process delivers, a snapshot can be read but not removed`()
        throws
    {
        let other = try open()
        let consumer = try #require(try other.tryElection())
        other.append("of the other")
        let journal = try open()
        journal.append("own")
        let snapshot = try journal.snapshot(for: "exports")
        #expect(try snapshot.texts() == ["of the other", "own"])
        #expect { try snapshot.remove() } throws: { ($0 as? JournalError)?.code == .locked }
        consumer.close()
        #expect(try snapshot.remove() == 2)
    }

    // MARK: Limits

    @Test func `events for a local destination do not expire; events for others do`() throws {
        let journal = try open(maximumAge: .seconds(60))
        for number in 1...400 { journal.append("e\(number)") }
        let consumer = try #require(try journal.tryElection())
        try consumer.maintain(at: clock.now())
        clock.advance(.seconds(3600))
        try consumer.maintain(at: clock.now())
        #expect(try account(journal, "collector").dropped[.expired] ?? 0 > 300)
        #expect(try account(journal).droppedTotal == 0)
        #expect(try journal.snapshot(for: "exports").texts() == (1...400).map { "e\($0)" })
    }

    @Test func `a process that does not know a local destination keeps its pending events`() throws {
        let before = try open()
        for number in 1...400 { before.append("e\(number)", to: ["exports"]) }
        before.close()
        // The earlier process knew the destination; this one has not added it yet.
        let journal = try open(["collector"], appManaged: [], maximumAge: .seconds(60))
        let consumer = try #require(try journal.tryElection())
        try consumer.maintain(at: clock.now())
        clock.advance(.seconds(3600))
        try consumer.maintain(at: clock.now())
        #expect(try journal.appManagedDestinations() == ["exports"])
        journal.addDestination("exports", isAppManaged: true)
        #expect(try journal.snapshot(for: "exports").texts().count == 400)
    }

    @Test
    func `local destinations have a separate byte limit and do not count toward the common one`() throws {
        let journal = try open(maximumBytes: 16 << 10, maximumAppManagedBytes: 64 << 10)
        let consumer = try #require(try journal.tryElection())
        var delivered: [String] = []
        let filler = String(repeating: "x", count: 200)
        for number in 1...200 { journal.append("\(number) \(filler)", to: ["exports"]) }
        for number in 201...220 { journal.append("\(number) \(filler)") }
        try consumer.maintain(at: clock.now())
        // The app's pending events far exceed maximumBytes, and none are dropped.
        #expect(try account(journal).droppedTotal == 0)
        delivered += try consumer.deliverAll("collector")
        #expect(delivered.count == 20)
        for number in 221...1000 {
            journal.append("\(number) \(filler)", to: ["exports"])
            if number.isMultiple(of: 50) { try consumer.maintain(at: clock.now()) }
        }
        try consumer.maintain(at: clock.now())
        let account = try account(journal)
        #expect(account.dropped.keys.allSatisfy { $0 == .journalFull })
        #expect(account.droppedTotal > 0)
        let left = try journal.snapshot(for: "exports").texts()
        #expect(UInt64(left.count) == account.pending)
        #expect(left.last?.hasPrefix("1000 ") == true)
        let bytes = storage.paths.filter { $0.hasSuffix(SegmentName.suffix) }.count * 4096
        #expect(bytes <= (80 << 10) + 2 * 4096)
    }

    @Test func `trimming a snapshot's events while it is read makes reading throw`() throws {
        let journal = try open(maximumBytes: 16 << 10, maximumAppManagedBytes: 32 << 10)
        let consumer = try #require(try journal.tryElection())
        let filler = String(repeating: "x", count: 200)
        for number in 1...150 { journal.append("\(number) \(filler)", to: ["exports"]) }
        let snapshot = try journal.snapshot(for: "exports")
        var seen = 0
        #expect {
            var reader = snapshot.makeReader(events: 10)
            while let batch = try reader.next() {
                seen += batch.records.count
                for number in 1...100 { journal.append("new \(number) \(filler)", to: ["exports"]) }
                try consumer.maintain(at: clock.now())
            }
        } throws: { ($0 as? JournalError)?.code == .outOfOrder }
        #expect(seen < 150)
        // Events that were shown before they were trimmed count as dropped, not delivered: no caller removed them.
        let account = try account(journal)
        #expect(account.delivered == 0)
        #expect(account.pending + account.droppedTotal == 150 + UInt64(seen / 10) * 100)
    }

    // MARK: Random operations

    @Test(arguments: 1...12)
    func `in random sequences, no event is removed without being returned, and none is lost`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var journal = try open()
        var consumer = try journal.tryElection()
        var waiting: [String] = []
        var removed = 0
        var count = 0
        for _ in 0..<80 {
            switch Int.random(in: 0..<9, using: &random) {
            case 0...3:
                for _ in 0..<Int.random(in: 1...40, using: &random) {
                    count += 1
                    let isForTarget = Bool.random(using: &random)
                    journal.append("e\(count)", to: isForTarget ? ["exports"] : ["collector"])
                    if isForTarget { waiting.append("e\(count)") }
                }
            case 4:
                #expect(try journal.snapshot(for: "exports").texts() == waiting)
            case 5:
                let snapshot = try journal.snapshot(for: "exports")
                let shown = waiting.count
                for _ in 0..<Int.random(in: 0...10, using: &random) {
                    count += 1
                    journal.append("e\(count)")
                    waiting.append("e\(count)")
                }
                #expect(try snapshot.remove() == UInt64(shown))
                waiting.removeFirst(shown)
                removed += shown
            case 6:
                _ = try consumer?.deliverAll("collector")
            case 7:
                clock.advance(.seconds(5))
                try consumer?.maintain(at: clock.now())
            default:
                consumer?.close()
                journal.close()
                journal = try open()
                consumer = Bool.random(using: &random) ? try journal.tryElection() : nil
            }
            let known = try journal.snapshot(for: "exports").texts().count
            #expect(known == waiting.count)
        }
        let account = try account(journal)
        #expect(account.delivered == UInt64(removed))
        #expect(account.droppedTotal == 0)
    }
}

extension JournalSnapshot {
    func texts(events: Int = 7) throws -> [String] {
        var texts: [String] = []
        var reader = makeReader(events: events)
        while let batch = try reader.next() {
            texts += batch.records.map { String(decoding: batch.bytes[$0.payload], as: UTF8.self) }
        }
        return texts
    }
}
