// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import TrackwayCore
import TrackwayTesting

@testable import TrackwayJournal

@Suite("The age of pending segments")
struct SegmentAgeTests {
    @Test
    func `a pending segment's age is read once, regardless of the number of maintenance rounds`() throws {
        let storage = FaultyStorage()
        let clock = SteppedClock()
        let configuration = JournalConfiguration(folder: "/j", destinations: ["collector"], segmentBytes: 4096)
        let journal = try Journal(configuration, clock: clock, bootID: "boot", storage: storage)
        let pad = String(repeating: "x", count: 300)
        for _ in 0..<400 { journal.append("{\"pad\":\"\(pad)\"}") }
        let segments = try SegmentName.all(in: "/j/writers/\(journal.writer)", storage).count
        #expect(segments > 20)
        let consumer = try #require(try journal.tryElection())
        clock.advance(.seconds(1))
        try consumer.maintain(at: clock.now())
        let first = storage.count(of: .read)
        #expect(first >= segments - 1)
        for _ in 0..<50 {
            clock.advance(.seconds(1))
            try consumer.maintain(at: clock.now())
        }
        #expect(storage.count(of: .read) == first)
    }

    @Test
    func `events that exceed the maximum age expire, based on the age that was read before`() throws {
        let storage = FaultyStorage()
        let clock = SteppedClock()
        let configuration = JournalConfiguration(
            folder: "/j",
            destinations: ["collector"],
            maximumAge: .seconds(100),
            segmentBytes: 4096
        )
        let journal = try Journal(configuration, clock: clock, bootID: "boot", storage: storage)
        let pad = String(repeating: "x", count: 300)
        let consumer = try #require(try journal.tryElection())
        for _ in 0..<100 { journal.append("{\"pad\":\"\(pad)\"}") }
        try consumer.maintain(at: clock.now())
        #expect(try journal.ledger().destinations["collector"]?.pending == 100)
        clock.advance(.seconds(101))
        try consumer.maintain(at: clock.now())
        let account = try #require(try journal.ledger().destinations["collector"])
        #expect((account.dropped[.expired] ?? 0) > 80)
        #expect(account.isBalanced)
    }
}
