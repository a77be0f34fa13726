// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import Testing

@testable internal import CollectorClickHouse

@Suite("Reading an account range by range")
struct AccountReaderTests {
    @Test
    func `an account keeps a bounded number of ranges, and further sequence numbers are untracked`() {
        var reader = AccountReader(atMost: 10)
        for number in UInt64(1)...20 {
            reader.add(first: number * 2, last: number * 2, .dropped, reason: "r\(number % 3)")
        }
        var account = reader.account
        account.recorded = 50
        #expect(account.rangeCount == 11)
        #expect(account.untracked.ranges == [22...40])
        let totals = account.totals()
        #expect(totals.dropped == ["r0": 3, "r1": 4, "r2": 3] && totals.untracked == 19)
        #expect(
            totals.gaps == [
                1...1, 3...3, 5...5, 7...7, 9...9, 11...11, 13...13, 15...15, 17...17, 19...19, 21...21, 41...50,
            ]
        )
    }

    @Test
    func `any number of adjacent or overlapping ranges count as one`() {
        var reader = AccountReader(atMost: 2)
        reader.add(first: 0, last: 0, .skipped, reason: "")
        for block in UInt64(0)..<1_000 {
            reader.add(first: block * 10 + 1, last: block * 10 + 11, .received, reason: "")
            reader.add(first: block * 10 + 1, last: block * 10 + 10, .received, reason: "")
        }
        #expect(reader.account.received.ranges == [1...10_001])
        #expect(reader.account.rangeCount == 2 && reader.account.untracked.isEmpty)
        // A full account still accepts numbers adjacent to its ranges.
        reader.add(first: 10_002, last: 10_005, .received, reason: "")
        reader.add(first: 20_000, last: 20_000, .rejected, reason: "")
        reader.add(first: 30_000, last: .max, .dropped, reason: "expired")
        #expect(reader.account.received.ranges == [1...10_005])
        #expect(reader.account.untracked.ranges == [20_000...UInt64.max])
        reader.add(first: 5, last: 4, .received, reason: "")
        #expect(reader.account.rangeCount == 3)
    }

    @Test(
        arguments: [
            ([], 10, 0), ([11], 10, 1), ([4, 6], 10, 2), ([4, 7], 10, 1), ([0, 0, 0], 0, 3), ([1, 0], 0, 1),
            ([.max, 1], 10, 1), ([5, .max], 10, 1),
        ] as [([UInt64], UInt64, Int)]
    )
    func `writers are read together while their ranges fit into a response, and at least one is read`(
        _ counts: [UInt64],
        _ limit: UInt64,
        _ writers: Int
    ) {
        #expect(AccountReader.writersPerRead(counts, atMost: limit) == writers)
    }
}
