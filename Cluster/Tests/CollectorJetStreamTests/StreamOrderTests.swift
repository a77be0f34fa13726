// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorTesting
internal import Testing
internal import TrackwayCore
internal import TrackwayTesting

@testable internal import CollectorJetStream

@Suite("Order of several streams' records")
struct StreamOrderTests {
    private static func entry(_ text: String) -> OrderEntry? { OrderEntry(json: Array(text.utf8)) }

    @Test(arguments: [
        (
            OrderEntry(number: 1, first: 18, opened: 1, content: .opened([1, 2]), ends: [0: 17]),
            #"{"entry":1,"first":18,"opened":1,"streams":[1,2],"ends":[[0,17]]}"#
        ),
        (
            OrderEntry(
                number: 2,
                first: 18,
                opened: 1,
                content: .runs([OrderRun(stream: 1, first: 1, last: 40), OrderRun(stream: 2, first: 1, last: 8)])
            ),
            #"{"entry":2,"first":18,"opened":1,"runs":[[1,1,40],[2,1,8]]}"#
        ),
        (
            OrderEntry(
                number: 65,
                first: 9_000_000_000,
                opened: 1,
                content: .runs([OrderRun(stream: 1_023, first: 41, last: 41)]),
                ends: [1_023: 40, 7: 0]
            ),
            #"{"entry":65,"first":9000000000,"opened":1,"runs":[[1023,41,41]],"ends":[[7,0],[1023,40]]}"#
        ),
    ])
    func `entries are encoded as shown, and decoded again`(entry: OrderEntry, text: String) {
        #expect(String(decoding: entry.json, as: UTF8.self) == text)
        #expect(OrderEntry(json: entry.json) == entry)
        // Unknown members are ignored.
        #expect(Self.entry(text.dropLast() + #","by":"somebody"}"#) == entry)
    }

    @Test(arguments: [
        "", "[]", "{}", #"{"entry":1,"first":1,"opened":1}"#,
        #"{"entry":0,"first":1,"opened":0,"streams":[1]}"#, #"{"entry":2,"first":0,"opened":1,"runs":[[1,1,1]]}"#,
        #"{"entry":2,"first":1,"opened":3,"runs":[[1,1,1]]}"#,
        #"{"entry":2,"first":1,"opened":2,"runs":[[1,1,1]]}"#,
        #"{"entry":2,"first":1,"opened":1,"streams":[1]}"#, #"{"entry":2,"first":1,"opened":2,"streams":[]}"#,
        #"{"entry":2,"first":1,"opened":2,"streams":[2,1]}"#, #"{"entry":2,"first":1,"opened":2,"streams":[1,1]}"#,
        #"{"entry":2,"first":1,"opened":2,"streams":[0]}"#, #"{"entry":2,"first":1,"opened":2,"streams":[1024]}"#,
        #"{"entry":2,"first":1,"opened":1,"runs":[]}"#, #"{"entry":2,"first":1,"opened":1,"runs":[[1,2,1]]}"#,
        #"{"entry":2,"first":1,"opened":1,"runs":[[1,0,1]]}"#, #"{"entry":2,"first":1,"opened":1,"runs":[[1,1]]}"#,
        #"{"entry":2,"first":1,"opened":1,"runs":[[0,1,1]]}"#,
        #"{"entry":2,"first":1,"opened":1,"runs":[["1",1,1]]}"#,
        #"{"entry":2,"first":1,"opened":1,"runs":[[1,1,8796093022207]]}"#,
        #"{"entry":2,"first":8796093022207,"opened":1,"runs":[[1,1,1]]}"#,
        #"{"entry":2,"first":1,"opened":1,"runs":[[1,1,1]],"ends":[[1,-1]]}"#,
        #"{"entry":2,"first":1,"opened":1,"runs":[[1,1,1]],"ends":[[1,1],[1,1]]}"#,
    ])
    func `invalid entries are rejected`(text: String) {
        #expect(Self.entry(text) == nil)
    }

    @Test
    func `an entry that does not follow the previous one is rejected without any effect`() throws {
        var streamOrder = StreamOrder(after: 17)
        #expect(streamOrder.stream(of: 200) == 0 && streamOrder.proposal(known: [0: 40]) == nil)
        try streamOrder.apply(streamOrder.openingEntry(for: [1, 2]))
        let runs = try #require(streamOrder.proposal(known: [1: 5, 2: 3]))
        try streamOrder.apply(runs)
        #expect(streamOrder.end == 26 && streamOrder.ends == [1: 5, 2: 3] && streamOrder.next == 3)
        #expect(
            streamOrder.stream(of: 0) == 1 && streamOrder.stream(of: 255) == 2
                && streamOrder.partitions(of: 1).count == 128
        )
        func entry(_ number: UInt64 = 3, at first: UInt64 = 26, opened: UInt64 = 1, runs: OrderRun...) -> OrderEntry {
            OrderEntry(number: number, first: first, opened: opened, content: .runs(runs))
        }
        let known = streamOrder
        for (next, fault) in [
            (entry(4, runs: OrderRun(stream: 1, first: 6, last: 6)), OrderFault.number(4, expected: 3)),
            (entry(3, at: 27, runs: OrderRun(stream: 1, first: 6, last: 6)), .position(3, begins: 27, end: 26)),
            (
                entry(runs: OrderRun(stream: 1, first: 7, last: 7)),
                .run(3, OrderRun(stream: 1, first: 7, last: 7), expected: 6)
            ),
            (
                entry(runs: OrderRun(stream: 1, first: 5, last: 6)),
                .run(3, OrderRun(stream: 1, first: 5, last: 6), expected: 6)
            ),
            (
                entry(runs: OrderRun(stream: 2, first: 4, last: 4), OrderRun(stream: 3, first: 1, last: 1)),
                .streams(3, stream: 3)
            ),
            (entry(opened: 2, runs: OrderRun(stream: 1, first: 6, last: 6)), .streams(3, stream: 1)),
            (OrderEntry(number: 3, first: 26, opened: 3, content: .opened([2, 3])), .reopened(3, stream: 2)),
            (
                OrderEntry(
                    number: 3,
                    first: 26,
                    opened: 1,
                    content: .runs([OrderRun(stream: 1, first: 6, last: 6)]),
                    ends: [1: 4, 2: 3]
                ),
                .ends(3)
            ),
        ] as [(OrderEntry, OrderFault)] {
            var thrown: OrderFault?
            do {
                try streamOrder.apply(next)
            } catch {
                thrown = error
            }
            #expect(thrown == fault && streamOrder == known)
            #expect(fault.description.contains("Check who is allowed to publish to it."))
        }
    }

    @Test(arguments: 1...40 as ClosedRange<UInt64>)
    func `a reader that starts at any entry reaches the same state as one that started at the first`(seed: UInt64)
        throws
    {
        var random = SeededNumberGenerator(seed: seed)
        var streamOrder = StreamOrder(after: UInt64(random.number(0...9)))
        var (entries, known): ([OrderEntry], [Int: UInt64]) = ([], [:])
        var positions: [Int: [UInt64]] = [:]
        for _ in 0..<random.number(1...400) {
            let next: OrderEntry?
            if entries.isEmpty || random.oneIn(2) {
                let highest = streamOrder.streams.last ?? 0
                next = streamOrder.openingEntry(for: Array(highest + 1...highest + random.number(1...6)))
            } else {
                for stream in streamOrder.streams where random.oneIn(60) {
                    known[stream, default: 0] += UInt64(random.number(1...9))
                }
                next = streamOrder.proposal(known: known)
            }
            guard let next else { continue }
            #expect(OrderEntry(json: next.json) == next)
            try streamOrder.apply(next)
            entries.append(next)
            for part in next.runs(from: next.first) {
                for offset in 0..<part.run.count { positions[part.run.stream, default: []].append(part.first + offset) }
            }
        }
        // The order has all records of each stream, once and in their own order.
        for (stream, positions) in positions {
            #expect(positions.count == Int(known[stream] ?? 0) && zip(positions, positions.dropFirst()).allSatisfy(<))
        }
        let all = positions.values.flatMap { $0 }.sorted()
        #expect(all == Array(entries[0].first..<streamOrder.end))
        for start in entries where start.isBeginning {
            var late = try #require(StreamOrder(before: start))
            for entry in entries.dropFirst(Int(start.number) - 1) { try late.apply(entry) }
            #expect(late == streamOrder)
        }
        #expect(entries.allSatisfy { $0.isBeginning || StreamOrder(before: $0) == nil })
        let record = streamOrder.end - 1
        for entry in entries where (entry.first..<entry.end).contains(record) {
            #expect(entry.runs(from: record).first?.first == record)
        }
    }

    /// Returns the times, in milliseconds, at which a process that knows of missing records decides.
    private static func dueTimes(
        _ coordinator: inout OrderCoordinator,
        at times: [Int64],
        hasMissingRecords: Bool = true
    ) -> [Int64] {
        var due: [Int64] = []
        for time in times where coordinator.isDue(hasMissingRecords, at: MonotonicTime(milliseconds: time)) {
            due.append(time)
        }
        return due
    }

    @Test
    func `the last writer continues soon, and the others wait for it and take over if it stops`() {
        var one = OrderCoordinator()
        var other = OrderCoordinator(delay: .milliseconds(100))
        #expect(Self.dueTimes(&one, at: [0, 299, 300]) == [300])
        #expect(Self.dueTimes(&other, at: [0, 300]) == [])
        one.entryDecided(isOurs: true)
        other.entryRead()
        #expect(Self.dueTimes(&one, at: [300], hasMissingRecords: false) == [])
        #expect(Self.dueTimes(&one, at: [310, 409, 410]) == [410])
        one.entryDecided(isOurs: true)
        // The first one has died.
        #expect(Self.dueTimes(&other, at: [410, 809, 810]) == [810])
        other.entryDecided(isOurs: true)
        one.entryRead()
        #expect(other.isOurs && !one.isOurs)
        #expect(Self.dueTimes(&one, at: [820, 1_119, 1_120]) == [1_120])
        // If the outcome of a decision is unknown, another process may have been first.
        other.entryDecided(isOurs: false)
        #expect(Self.dueTimes(&other, at: [1_200, 1_300, 1_600]) == [1_600])
    }
}
