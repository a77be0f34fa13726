// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import Testing
internal import TrackwayCore

@Suite("What a retention policy removes")
struct RetentionPolicyTests {
    /// Arrivals in days, or nil; the policy's days and bytes; the last expired segment.
    private static let cases: [(arrivals: [Int64?], age: Int64?, bytes: Int?, expected: UInt32?)] = [
        ([], 1, 0, nil),
        ([1, 2, 3], 7, nil, 2),
        ([1, 2, 3], 9, nil, nil),
        ([1, nil, 3], 7, nil, 1),
        ([nil, 2, 3], 7, nil, 2),
        ([nil, nil], 1, nil, nil),
        // A segment is at least as new as those before it.
        ([5, 1, 6], 6, nil, nil),
        ([5, 1, 6], 4, nil, 2),
        // Each segment has 100 bytes of log and 50 of index; the current one, too.
        ([1, 2, 3], nil, 600, nil),
        ([1, 2, 3], nil, 599, 1),
        ([1, 2, 3], nil, 300, 2),
        ([1, 2, 3], nil, 1, 3),
        ([1, 2, 3], 7, 599, 2),
    ]

    @Test(arguments: cases.indices)
    func `whole segments are removed by age and by size, the oldest first`(index: Int) {
        let example = Self.cases[index]
        let segments = example.arrivals.enumerated().map { number, day in
            RetentionPlanner.Segment(
                number: UInt32(number + 1),
                bytes: 100,
                latestArrival: day.map { Timestamp(milliseconds: $0 * 86_400_000) }
            )
        }
        let policy = RetentionPolicy(age: example.age.map { .seconds($0 * 86_400) }, bytes: example.bytes)
        let expired = RetentionPlanner.lastExpired(
            of: segments,
            currentBytes: 100,
            indexBytes: 50 * (segments.count + 1),
            policy: policy,
            now: Timestamp(milliseconds: 10 * 86_400_000 - 1)
        )
        #expect(expired == example.expected)
        #expect(
            RetentionPlanner.lastExpired(of: segments, currentBytes: 0, indexBytes: 0, policy: policy, now: nil) == nil
                || example.bytes != nil
        )
    }

    /// The bytes of the retained state and the limit; the last expired of six segments of 100 bytes of log and 50 of index.
    private static let lastingCases: [(lasting: Int, limit: Int, expected: UInt32?, isTooSmall: Bool)] = [
        (0, 1_050, nil, false),
        (100, 1_250, nil, false),
        (100, 1_249, 1, false),
        (100, 800, 3, false),
        // Half of the limit is left for events, however much else there is.
        (1_000, 2_100, nil, true),
        (1_000, 1_800, 1, true),
        (10_000, 1_800, 1, true),
    ]

    @Test(arguments: lastingCases.indices)
    func `what stays when segments are removed does not remove all of them`(index: Int) {
        let example = Self.lastingCases[index]
        let segments = (1...6).map { RetentionPlanner.Segment(number: $0, bytes: 100, latestArrival: nil) }
        let policy = RetentionPolicy(bytes: example.limit)
        let expired = RetentionPlanner.lastExpired(
            of: segments,
            currentBytes: 100,
            indexBytes: 50 * 7 + example.lasting,
            lastingBytes: example.lasting,
            policy: policy,
            now: nil
        )
        #expect(expired == example.expected)
        #expect(policy.isTooSmall(lastingBytes: example.lasting) == example.isTooSmall)
    }

    @Test(arguments: [Int64.min, -1, 0, Int64.max])
    func `no clock and no age overflow`(time: Int64) {
        let segment = RetentionPlanner.Segment(number: 1, bytes: .max / 4, latestArrival: Timestamp(milliseconds: time))
        for now in [Int64.min, 0, Int64.max] {
            _ = RetentionPlanner.lastExpired(
                of: [segment],
                currentBytes: 0,
                indexBytes: .max / 4,
                policy: RetentionPolicy(age: .seconds(Int64.max / 2), bytes: 1),
                now: Timestamp(milliseconds: now)
            )
            var clock = RetentionClock()
            let moment = DualTimestamp(wall: Timestamp(milliseconds: now), monotonic: MonotonicTime(milliseconds: 0))
            _ = clock.now(moment, newest: Timestamp(milliseconds: time))
            _ = clock.now(moment, newest: nil)
        }
    }

    @Test
    func `after a jump of the clock, it is trusted again an hour later`() {
        var clock = RetentionClock()
        func now(_ wall: Int64, _ monotonic: Int64) -> Timestamp? {
            let moment = DualTimestamp(
                wall: Timestamp(milliseconds: wall * 1_000),
                monotonic: MonotonicTime(milliseconds: monotonic * 1_000)
            )
            return clock.now(moment, newest: Timestamp(milliseconds: 0))
        }
        #expect(now(1_000, 0) != nil)
        #expect(now(5_000, 4_000) != nil)
        // Two hours in a minute.
        #expect(now(12_260, 4_060) == nil)
        #expect(now(12_320, 4_120) == nil)
        #expect(now(15_859, 7_659) == nil)
        #expect(now(15_861, 7_661) != nil)
        // Set back.
        #expect(now(861, 7_662) != nil)
    }

    @Test
    func `a start long after the last arrival is a jump`() {
        for (days, isTrusted) in [(0, true), (1, true), (2, false)] as [(Int64, Bool)] {
            var clock = RetentionClock()
            let moment = DualTimestamp(
                wall: Timestamp(milliseconds: days * 86_400_000),
                monotonic: MonotonicTime(milliseconds: 0)
            )
            #expect((clock.now(moment, newest: Timestamp(milliseconds: 0)) != nil) == isTrusted)
        }
    }

    @Test(
        arguments: [
            (#"{"received":17,"key":"a"}"#, 17), (#"{"key":"received","received":-3}"# + "\nbody", -3),
            (#"{"key":"a"}"#, nil),
            ("", nil), ("{", nil), ("[1]", nil), (#"{"received":"x"}"#, nil), (#"{"received":1.5}"#, nil),
        ] as [(String, Int64?)]
    )
    func `a record's arrival is read from its first line`(text: String, expected: Int64?) {
        let time = Array(text.utf8).withUnsafeBytes { RecordArrival.time($0) }
        #expect(time?.milliseconds == expected)
    }
}
