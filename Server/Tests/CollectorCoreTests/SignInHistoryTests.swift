// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import Testing

@Suite("SignInHistory")
struct SignInHistoryTests {
    /// Returns a signed-in event of a user.
    ///
    /// Its mark is the negated user number, so marks are in the reverse order of user numbers.
    private static func event(_ user: Int64, _ time: Int64) -> SignInHistory.Period {
        SignInHistory.Period(user: user, mark: -user, last: time)
    }

    private static func history(_ events: [SignInHistory.Period]) -> SignInHistory {
        var history = SignInHistory()
        for event in events {
            history.insert(event) { user, times in
                events.filter { $0.user == user && times.contains($0.last) }.map(\.last).max()
            }
        }
        return history
    }

    /// Returns the user of the first event at or after a time.
    ///
    /// Scans all events.
    private static func owner(_ events: [SignInHistory.Period], at time: Int64) -> Int64? {
        events.filter { $0.last >= time }.min { ($0.last, $0.mark) < ($1.last, $1.mark) }?.user
    }

    @Test(
        arguments: [
            ([], 5, nil),
            ([(1, 10)], 5, 1), ([(1, 10)], 10, 1), ([(1, 10)], 11, nil),
            ([(1, 10), (2, 20)], 10, 1), ([(1, 10), (2, 20)], 11, 2), ([(1, 10), (2, 20)], 21, nil),
            ([(1, 10), (2, 20), (1, 30)], 15, 2), ([(1, 10), (2, 20), (1, 30)], 25, 1),
            // At the same millisecond, the mark decides: user 2 has the lower one.
            ([(1, 10), (2, 10)], 10, 2), ([(1, 10), (2, 10)], 9, 2),
            ([(1, .min), (2, .max)], .min, 1), ([(1, .min), (2, .max)], .max, 2),
        ] as [([(Int64, Int64)], Int64, Int64?)]
    )
    func `an anonymous event belongs to the user of the next signed-in event`(
        _ events: [(Int64, Int64)],
        _ time: Int64,
        _ expected: Int64?
    ) {
        let history = Self.history(events.map { Self.event($0.0, $0.1) })
        #expect(history.owner(at: time) == expected)
    }

    @Test(arguments: 1...12)
    func `every order of six events produces the same history`(_ seed: UInt64) {
        var random = SeededNumbers(seed: seed)
        let events = (0..<6).map { _ in Self.event(Int64(random.below(3) + 1), Int64(random.below(6))) }
        let expected = Self.history(events)
        for time in Int64(-1)...6 { #expect(expected.owner(at: time) == Self.owner(events, at: time)) }
        var orders = 0
        Self.permute(events) { order in
            orders += 1
            let history = Self.history(order)
            if history != expected { Issue.record("seed \(seed): \(order) gives \(history.periods)") }
        }
        #expect(orders == 720)
    }

    private static func permute(_ events: [SignInHistory.Period], _ body: ([SignInHistory.Period]) -> Void) {
        var events = events
        func step(_ count: Int) {
            guard count > 1 else { return body(events) }
            for index in 0..<count {
                step(count - 1)
                events.swapAt(count % 2 == 0 ? index : 0, count - 1)
            }
        }
        step(events.count)
    }

    @Test(arguments: 1...20)
    func `long random histories agree with a scan of all events`(_ seed: UInt64) {
        var random = SeededNumbers(seed: seed)
        let events = (0..<200).map { _ in Self.event(Int64(random.below(5) + 1), Int64(random.below(100))) }
        let history = Self.history(events)
        for time in Int64(-1)...101 {
            #expect(history.owner(at: time) == Self.owner(events, at: time), "seed \(seed), time \(time)")
        }
        // The times of all users and of the visitor partition the time axis.
        for time in Int64(-1)...101 {
            let owners = (1...5).filter { user in history.times(of: Int64(user)).contains { $0.contains(time) } }
            #expect(owners.map(Int64.init) == history.owner(at: time).map { [$0] } ?? [])
            #expect(history.visitorTimes?.contains(time) == (history.owner(at: time) == nil))
        }
        #expect(history.bytes.withUnsafeBytes { SignInHistory(bytes: $0) } == history)
    }

    @Test(
        arguments: [
            (0, 10, .user(1)), (0, 11, .several(includesVisitor: false)), (11, 20, .user(2)),
            (11, 21, .several(includesVisitor: true)), (21, 30, .visitor),
        ] as [(Int64, Int64, SignInHistory.Owner)]
    )
    func `a time range has one owner or several`(_ from: Int64, _ through: Int64, _ expected: SignInHistory.Owner) {
        #expect(Self.history([Self.event(1, 10), Self.event(2, 20)]).owner(of: from...through) == expected)
        #expect(SignInHistory().owner(of: from...through) == .visitor)
    }

    @Test(arguments: [false, true])
    func `a device shared by more users than the limit belongs to no user, regardless of the order of events`(
        _ isReversed: Bool
    ) {
        let events = (0..<Int64(SignInHistory.maximumPeriods)).map { Self.event($0 % 2 + 1, $0) }
        #expect(!Self.history(events).isSeparate)
        let more = events + [Self.event(3, Int64(SignInHistory.maximumPeriods))]
        let history = Self.history(isReversed ? more.reversed() : more)
        #expect(history.isSeparate && history.isEmpty && history.owner(at: 0) == nil)
        #expect(history.bytes.withUnsafeBytes { SignInHistory(bytes: $0) } == history)
    }
}

/// A seeded random number generator.
private struct SeededNumbers {
    private var state: UInt64

    init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 | 1 }

    mutating func below(_ bound: Int) -> Int {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return Int(state % UInt64(bound))
    }
}
