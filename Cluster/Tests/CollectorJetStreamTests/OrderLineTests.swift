// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorTesting
internal import Testing
internal import TrackwayEvents
internal import TrackwayTesting

@testable internal import CollectorJetStream

@Suite("Order of several streams' records")
struct OrderLineTests {
    private static func entry(_ text: String) -> OrderEntry? { OrderEntry(json: Array(text.utf8)) }

    @Test(
        "entries are encoded as shown, and decoded again",
        arguments: [
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
        ]
    )
    func roundTrip(entry: OrderEntry, text: String) {
        #expect(String(decoding: entry.json, as: UTF8.self) == text)
        #expect(OrderEntry(json: entry.json) == entry)
        // Unknown members are ignored.
        #expect(Self.entry(text.dropLast() + #","by":"somebody"}"#) == entry)
    }

    @Test(
        "invalid entries are rejected",
        arguments: [
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
        ]
    )
    func strange(text: String) {
        #expect(Self.entry(text) == nil)
    }

    @Test("an entry that does not follow is rejected without any effect")
    func faults() throws {
        var line = StreamOrder(behind: 17)
        #expect(line.stream(of: 200) == 0 && line.proposal(known: [0: 40]) == nil)
        try line.take(line.opening([1, 2]))
        let runs = try #require(line.proposal(known: [1: 5, 2: 3]))
        try line.take(runs)
        #expect(line.end == 26 && line.ends == [1: 5, 2: 3] && line.next == 3)
        #expect(line.stream(of: 0) == 1 && line.stream(of: 255) == 2 && line.partitions(of: 1).count == 128)
        func entry(_ number: UInt64 = 3, at first: UInt64 = 26, opened: UInt64 = 1, runs: OrderRun...) -> OrderEntry {
            OrderEntry(number: number, first: first, opened: opened, content: .runs(runs))
        }
        let known = line
        for (next, fault) in [
            (entry(4, runs: OrderRun(stream: 1, first: 6, last: 6)), OrderFault.number(4, expected: 3)),
            (entry(3, at: 27, runs: OrderRun(stream: 1, first: 6, last: 6)), .place(3, begins: 27, end: 26)),
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
            var told: OrderFault?
            do {
                try line.take(next)
            } catch {
                told = error
            }
            #expect(told == fault && line == known)
            #expect(fault.description.contains("Check who is allowed to."))
        }
    }

    @Test(
        "a reader that starts at any entry reaches the same state as one that started at the first",
        arguments: 1...40 as ClosedRange<UInt64>
    )
    func joining(seed: UInt64) throws {
        var chance = SeededChance(seed: seed)
        var line = StreamOrder(behind: UInt64(chance.number(0...9)))
        var (entries, known): ([OrderEntry], [Int: UInt64]) = ([], [:])
        var places: [Int: [UInt64]] = [:]
        for _ in 0..<chance.number(1...400) {
            let next: OrderEntry?
            if entries.isEmpty || chance.chance(2) {
                let highest = line.streams.last ?? 0
                next = line.opening(Array(highest + 1...highest + chance.number(1...6)))
            } else {
                for stream in line.streams where chance.chance(60) {
                    known[stream, default: 0] += UInt64(chance.number(1...9))
                }
                next = line.proposal(known: known)
            }
            guard let next else { continue }
            #expect(OrderEntry(json: next.json) == next)
            try line.take(next)
            entries.append(next)
            for part in next.runs(from: next.first) {
                for offset in 0..<part.run.count { places[part.run.stream, default: []].append(part.first + offset) }
            }
        }
        // The order has all records of each stream, once and in their own order.
        for (stream, places) in places {
            #expect(places.count == Int(known[stream] ?? 0) && zip(places, places.dropFirst()).allSatisfy(<))
        }
        let all = places.values.flatMap { $0 }.sorted()
        #expect(all == Array(entries[0].first..<line.end))
        for start in entries where start.isBeginning {
            var late = try #require(StreamOrder(before: start))
            for entry in entries.dropFirst(Int(start.number) - 1) { try late.take(entry) }
            #expect(late == line)
        }
        #expect(entries.allSatisfy { $0.isBeginning || StreamOrder(before: $0) == nil })
        let record = line.end - 1
        for entry in entries where (entry.first..<entry.end).contains(record) {
            #expect(entry.runs(from: record).first?.first == record)
        }
    }

    /// Returns the times, in milliseconds, at which a process that knows of missing records decides.
    private static func due(_ keeping: inout OrderCoordinator, at moments: [Int64], isLacking: Bool = true) -> [Int64] {
        var due: [Int64] = []
        for moment in moments where keeping.isDue(isLacking, at: MonotonicTime(milliseconds: moment)) {
            due.append(moment)
        }
        return due
    }

    @Test("the last writer continues soon, and the others wait for it and take over if it stops")
    func keeping() {
        var one = OrderCoordinator()
        var other = OrderCoordinator(delay: .milliseconds(100))
        #expect(Self.due(&one, at: [0, 299, 300]) == [300])
        #expect(Self.due(&other, at: [0, 300]) == [])
        one.decided(true)
        other.read()
        #expect(Self.due(&one, at: [300], isLacking: false) == [])
        #expect(Self.due(&one, at: [310, 409, 410]) == [410])
        one.decided(true)
        // The first one has died.
        #expect(Self.due(&other, at: [410, 809, 810]) == [810])
        other.decided(true)
        one.read()
        #expect(other.isOurs && !one.isOurs)
        #expect(Self.due(&one, at: [820, 1_119, 1_120]) == [1_120])
        // If the outcome of a decision is unknown, another process may have been first.
        other.decided(false)
        #expect(Self.due(&other, at: [1_200, 1_300, 1_600]) == [1_600])
    }
}
