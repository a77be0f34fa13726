// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Testing
internal import TrackwayCore

@testable internal import CollectorCore

@Suite("Expectations")
struct ExpectationTests {
    /// Parses text such as `name=a&where=b=1`, without escapes.
    private static func expectation(_ text: String) throws(InvalidQueryError) -> EventExpectation {
        let parameters = text.split(separator: "&").map { part in
            let sides = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            return (name: sides[0], value: sides.count > 1 ? sides[1] : "")
        }
        return try EventExpectation(parameters: parameters)
    }

    @Test(
        arguments: [
            ("name=a", 1, nil, 5_000), ("name=a&count=3", 3, 3, 5_000), ("name=a&count=0", 0, 0, 5_000),
            ("name=a&at_least=2", 2, nil, 5_000), ("name=a&at_most=2&within=500ms", 0, 2, 500),
            ("name=a&at_least=1&at_most=2&within=2m", 1, 2, 120_000), ("name=a&never=1&within=0s", 0, 0, 0),
            ("name=a&never", 0, 0, 5_000), ("name=a&never=false", 1, nil, 5_000),
            ("name=a&within=300s", 1, nil, 300_000),
        ] as [(String, Int, Int?, Int64)]
    )
    func `counts and durations are parsed`(_ text: String, atLeast: Int, atMost: Int?, within: Int64) throws {
        let expectation = try Self.expectation(text)
        #expect(expectation.atLeast == atLeast && expectation.atMost == atMost)
        #expect(expectation.within == .milliseconds(within))
    }

    @Test(arguments: [
        ("where=a=1", "name"), ("name=a&nmae=b", "nmae"), ("name=a&count=1&never=1", "never"),
        ("name=a&count=1&at_least=1", "count"), ("name=a&at_least=3&at_most=2", "at_most"),
        ("name=a&at_least=0", "at_least"), ("name=a&count=-1", "count"), ("name=a&count=1e3", "count"),
        ("name=a&count=100001", "count"), ("name=a&within=5", "within"), ("name=a&within=-5s", "within"),
        ("name=a&within=+5s", "within"), ("name=a&within=301s", "within"), ("name=a&within=5m1s", "within"),
        ("name=a&within=s", "within"), ("name=a&within=99999999999999999999s", "within"),
        ("name=a&within=1h", "within"), ("name=a&never=maybe", "never"), ("name=a&since=yesterday", "since"),
        ("name=a&since=3", "since"), ("name=a&where=total", "where"), ("name=a&installation=1", "installation"),
        ("name=a&run=" + String(repeating: "r", count: 1_025), "run"),
    ])
    func `an invalid expectation is rejected with an error that names the parameter`(_ text: String, field: String) {
        let error = #expect(throws: InvalidQueryError.self) { try Self.expectation(text) }
        #expect(error?.field == field)
    }

    @Test(arguments: ["*", "\"a\"", "a=b", "≠", "\"", "0815", "true", "[1,2]", "a or b=c", "~"])
    func `the run parameter matches its value literally`(_ run: String) throws {
        let expectation = try EventExpectation(parameters: [("name", "a"), ("run", run)])
        let condition = try #require(expectation.filter.conditions.first)
        #expect(condition.field == .attribute("_run") && condition.holds { _ in .text(Array(run.utf8)) })
        #expect(!condition.holds { _ in .text(Array((run + "x").utf8)) } && !condition.holds { _ in nil })
        #expect(expectation.conditions == ["run=" + run])
    }

    private static func event(_ number: Int, _ values: QueryValue?...) -> ExpectationTally.Event {
        ExpectationTally.Event(
            position: EventPosition(segment: 1, offset: UInt32(number)),
            id: EventID(high: 7 << 12, low: 1 << 63 | UInt64(number)),
            user: nil,
            installation: nil,
            values: values
        )
    }

    @Test(
        arguments: [
            ("name=a", [false, true, true], [.open, .holds, .holds]),
            ("name=a&at_least=2", [false, false, true], [.open, .open, .holds]),
            ("name=a&count=1", [false, true, false], [.open, .open, .fails]),
            ("name=a&at_most=1", [true, true, false], [.open, .open, .fails]),
            ("name=a&never", [true, false, false], [.open, .fails, .fails]),
            ("name=a&at_least=1&at_most=2", [false, true, true], [.open, .open, .open]),
        ] as [(String, [Bool], [ExpectationTally.Status])]
    )
    func `an expectation is decided as soon as no further event can change it, and not before`(
        _ text: String,
        holds: [Bool],
        standings: [ExpectationTally.Status]
    ) throws {
        var tally = ExpectationTally(try Self.expectation(text), since: .start)
        for number in 0..<3 {
            #expect(tally.isSatisfiedNow == holds[number], "after \(number)")
            #expect(tally.status == standings[number], "after \(number)")
            tally.add(Self.event(number + 1))
        }
    }

    @Test(arguments: [1, 2, 3] as [UInt64])
    func `a limited number of events is kept, including the closest ones`(seed: UInt64) throws {
        var generator = SplitMix(state: seed)
        let expectation = try Self.expectation("name=a&where=x=0&where=y=0&run=r")
        var tally = ExpectationTally(expectation, since: .start)
        var distances: [Int] = []
        let long = QueryValue.text([UInt8](repeating: 97, count: 10_000))
        for number in 1...500 {
            let wrong = generator.next() % 8
            let values = [1, 2, 4].map { wrong & $0 == 0 ? QueryValue.number(.integer(0)) : long }
            tally.add(Self.event(number, values[0], values[1], values[2] == long ? long : .text(Array("r".utf8))))
            if wrong != 0 { distances.append((wrong & 3).nonzeroBitCount + (wrong & 4 == 0 ? 0 : 100)) }
            tally.countOther("other-\(number)", at: EventPosition(segment: 2, offset: UInt32(number)))
        }
        #expect(tally.read == 1_000 && tally.found == 500 - distances.count)
        #expect(tally.events.count <= ExpectationTally.maximumEvents)
        #expect(tally.others.count == ExpectationTally.maximumNames)
        let kept = tally.closest.map { miss in
            miss.reasons.count + (miss.reasons.contains { $0.condition == "run=r" } ? 99 : 0)
        }
        #expect(kept == Array(distances.sorted().prefix(ExpectationTally.maximumMisses)))
        for reason in tally.closest.flatMap(\.reasons) {
            #expect((reason.actual?.bytes ?? 0) < 300)
        }
    }

    private struct SplitMix {
        var state: UInt64

        mutating func next() -> UInt64 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var mixed = state
            mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
            mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
            return mixed ^ (mixed >> 31)
        }
    }

    @Test(arguments: [
        (#"{"name":"purchase","attributes":{}}"#, 0, 20, true), (#"{"name":"purchases"}"#, 0, 20, false),
        (#"{"name":"view"}"#, 0, 20, false), (#"{"name":"view"}"#, 5_000, 20, true),
        (#"{"name":"purchase"}"#, 0, 10, false),
    ])
    func `a rejected event is reported if it may be the expected one`(
        _ content: String,
        cut: Int,
        offset: UInt32,
        isReported: Bool
    ) throws {
        let tally = ExpectationTally(
            try Self.expectation("name=purchase"),
            since: EventPosition(segment: 1, offset: 16)
        )
        let failed = FailedEvent(
            position: EventPosition(segment: 1, offset: offset),
            received: Timestamp(milliseconds: 0),
            key: "dev",
            code: "malformed",
            field: "",
            message: "",
            content: Array(content.utf8),
            bytes: content.utf8.count + cut
        )
        let many = [FailedEvent](repeating: failed, count: 50)
        #expect(
            ExpectationReport.relatedRejections(for: tally, among: many).count
                == (isReported ? ExpectationReport.maxRefused : 0)
        )
    }
}
