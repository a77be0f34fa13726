// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import TrackwayCore

@Suite("Batches")
struct EventBatchTests {
    /// A batch of numbers 10...20 with gaps.
    ///
    /// 12 and 13 were dropped, 16 was for other destinations, 3...4 were dropped earlier, and 20 is a gap at the end.
    static let batch = EventBatch(
        installation: InstallationID(high: 1, low: 2),
        writer: WriterID(high: 3, low: 4),
        first: 10,
        last: 20,
        recorded: 30,
        records: [10, 11, 14, 15, 17, 18, 19].enumerated().map {
            .init(sequence: $0.element, context: 1, payload: $0.offset..<$0.offset + 1)
        },
        contexts: [.init(generation: 1, content: 7..<9)],
        dropped: [
            DroppedRange(sequences: 3...4, reason: .expired), DroppedRange(sequences: 12...13, reason: .damaged),
            DroppedRange(sequences: 20...20, reason: .rejected),
        ],
        skipped: [16...16],
        bytes: Array("0123456{}".utf8)
    )

    @Test(arguments: 0...7)
    func `two halves cover all numbers of the whole batch, regardless of where it is split`(_ cut: Int) {
        let left = Self.batch.slice(0..<cut)
        let right = Self.batch.slice(cut..<7)
        #expect(left.records + right.records == Self.batch.records)
        #expect(left.first == 10)
        #expect(max(left.last, right.last) == 20)
        #expect(left.last + 1 == right.first || right.isEmpty)
        #expect(Self.numbers(left).union(Self.numbers(right)) == Self.numbers(Self.batch))
        #expect(Self.numbers(left).isDisjoint(with: Self.numbers(right)))
        #expect(left.bytes == Self.batch.bytes)
        #expect(left.context(1)?.content == 7..<9)
        #expect(left.context(2) == nil)
    }

    @Test
    func `single events cover the gaps before them`() {
        let parts = (0..<7).map { Self.batch.slice($0..<$0 + 1) }
        #expect(parts.map(\.first) == [10, 11, 12, 15, 16, 18, 19])
        #expect(parts.map(\.last) == [10, 11, 14, 15, 17, 18, 20])
        #expect(parts[0].dropped.map(\.sequences) == [3...4])
        #expect(parts[2].dropped.map(\.sequences) == [12...13])
        #expect(parts[4].skipped == [16...16])
        #expect(parts[6].dropped.map(\.reason) == [.rejected])
    }

    @Test
    func `ranges beyond the records are clamped, and batches with only gaps stay whole`() {
        #expect(Self.batch.slice(5..<99).records.count == 2)
        #expect(Self.batch.slice(0..<0).records.isEmpty)
        #expect(Self.batch.slice(0..<0).dropped.isEmpty)
        var gaps = Self.batch
        gaps.records = []
        #expect(gaps.slice(0..<0).last == 20)
        #expect(gaps.slice(0..<0).dropped == gaps.dropped)
        #expect(gaps.isEmpty)
    }

    /// Returns every sequence number that the batch covers.
    static func numbers(_ batch: EventBatch) -> Set<UInt64> {
        var numbers = Set(batch.records.map(\.sequence))
        for gap in batch.dropped { numbers.formUnion(gap.sequences) }
        for gap in batch.skipped { numbers.formUnion(gap) }
        return numbers
    }
}
