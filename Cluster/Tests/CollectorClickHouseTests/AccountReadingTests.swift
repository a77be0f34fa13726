// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
internal import Testing

@testable internal import CollectorClickHouse

@Suite("Reading an account range by range")
struct AccountReadingTests {
    @Test("an account keeps a bounded number of ranges, and further sequence numbers are untracked")
    func bound() {
        var reading = AccountReading(atMost: 10)
        for number in UInt64(1)...20 {
            reading.add(first: number * 2, last: number * 2, .dropped, reason: "r\(number % 3)")
        }
        var account = reading.account
        account.recorded = 50
        #expect(account.rangeCount == 11)
        #expect(account.untracked.ranges == [22...40])
        let reckoning = account.reckoning()
        #expect(reckoning.dropped == ["r0": 3, "r1": 4, "r2": 3] && reckoning.untracked == 19)
        #expect(
            reckoning.gaps == [
                1...1, 3...3, 5...5, 7...7, 9...9, 11...11, 13...13, 15...15, 17...17, 19...19, 21...21, 41...50,
            ]
        )
    }

    @Test("any number of adjacent or overlapping ranges count as one")
    func merged() {
        var reading = AccountReading(atMost: 2)
        reading.add(first: 0, last: 0, .skipped, reason: "")
        for block in UInt64(0)..<1_000 {
            reading.add(first: block * 10 + 1, last: block * 10 + 11, .received, reason: "")
            reading.add(first: block * 10 + 1, last: block * 10 + 10, .received, reason: "")
        }
        #expect(reading.account.received.ranges == [1...10_001])
        #expect(reading.account.rangeCount == 2 && reading.account.untracked.isEmpty)
        // A full account still accepts numbers adjacent to its ranges.
        reading.add(first: 10_002, last: 10_005, .received, reason: "")
        reading.add(first: 20_000, last: 20_000, .rejected, reason: "")
        reading.add(first: 30_000, last: .max, .dropped, reason: "expired")
        #expect(reading.account.received.ranges == [1...10_005])
        #expect(reading.account.untracked.ranges == [20_000...UInt64.max])
        reading.add(first: 5, last: 4, .received, reason: "")
        #expect(reading.account.rangeCount == 3)
    }

    @Test(
        "writers are read together while their ranges fit into a response, and at least one is read",
        arguments: [
            ([], 10, 0), ([11], 10, 1), ([4, 6], 10, 2), ([4, 7], 10, 1), ([0, 0, 0], 0, 3), ([1, 0], 0, 1),
            ([.max, 1], 10, 1), ([5, .max], 10, 1),
        ] as [([UInt64], UInt64, Int)]
    )
    func together(_ counts: [UInt64], _ most: UInt64, _ writers: Int) {
        #expect(AccountReading.writersTogether(counts, atMost: most) == writers)
    }
}
