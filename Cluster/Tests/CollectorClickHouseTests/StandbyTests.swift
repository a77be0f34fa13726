// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
internal import CollectorClickHouse
internal import Testing
internal import TrackwayEvents

/// What a forwarder that stands by sees, and what it does about it. Time passes only where it waits, half a second each.
@Suite("Whoever stands by")
struct StandbyTests {
    /// The other one, and the stream.
    private struct Others {
        /// The last record of each block that was decided.
        var ends: [UInt64] = [20]
        /// How many of them are written.
        var completed: UInt64 = 1
        var highest: UInt64 = 20
        /// How often the tables were asked.
        var counts = 0

        func decision(_ block: UInt64) -> BlockDecision? {
            guard block >= 1, block <= UInt64(ends.count) else { return nil }
            let first = block == 1 ? 1 : ends[Int(block) - 2] + 1
            return BlockDecision(block: block, first: first, last: ends[Int(block) - 1], version: BlockRows.version)
        }
    }

    /// One that was beaten to the first block.
    private static func beaten() -> Forwarder {
        var forwarder = Forwarder()
        forwarder.counted(0)
        forwarder.read(nil, previous: nil)
        forwarder.collected(last: 18)
        forwarder.decided(false)
        return forwarder
    }

    /// Goes on until it does something other than to look on.
    ///
    /// - Parameter change: What happens to the others when so much time has passed.
    /// - Returns: When it took over; nil when it looks on still after so long.
    private static func watch(
        _ forwarder: inout Forwarder,
        _ others: inout Others,
        for limit: Duration,
        change: (Duration, inout Others) -> Void = { _, _ in }
    ) -> Duration? {
        var time = Duration.zero
        while forwarder.isStandingBy, time < limit {
            switch forwarder.order {
            case .watch(let block): forwarder.watched(others.decision(block), highest: others.highest)
            case .count:
                others.counts += 1
                forwarder.counted(others.completed)
            case .wait(let pause):
                time += pause
                change(time, &others)
                forwarder.waited()
            default: return time
            }
        }
        return forwarder.isStandingBy ? nil : time
    }

    @Test("looks on as long as blocks are decided one after the other, and asks the tables nothing")
    func busy() {
        var (forwarder, others) = (Self.beaten(), Others())
        let end = Self.watch(&forwarder, &others, for: .seconds(600)) { _, others in
            others.completed = UInt64(others.ends.count)
            others.ends.append(others.highest + 100)
            others.highest += 150
        }
        #expect(end == nil && others.counts == 0)
        #expect(forwarder.written == others.ends.dropLast(2).last)
    }

    @Test("looks on for as long as there is nothing to take, and asks the tables once")
    func idle() {
        var (forwarder, others) = (Self.beaten(), Others())
        #expect(Self.watch(&forwarder, &others, for: .seconds(600)) == nil)
        #expect(others.counts == 1 && forwarder.written == 20)
        // A record comes, and is decided within three seconds.
        for _ in 1...20 {
            others.highest += 1
            let end = Self.watch(&forwarder, &others, for: .seconds(20)) { time, others in
                guard time == .seconds(2) else { return }
                others.ends.append(others.highest)
                others.completed += 1
            }
            #expect(end == nil)
        }
    }

    @Test("takes over three seconds after a block was decided that does not become whole, and writes it at once")
    func dead() {
        var (forwarder, others) = (Self.beaten(), Others())
        others.completed = 0
        #expect(Self.watch(&forwarder, &others, for: .seconds(600)) == .milliseconds(2_500))
        #expect(forwarder.order == .readDecisions(block: 1))
        forwarder.read(others.decision(1), previous: nil)
        #expect(forwarder.order == .load(BlockDecision(block: 1, first: 1, last: 20, version: BlockRows.version)))
    }

    @Test("takes over three seconds after there is something to take and nothing is decided")
    func silent() {
        var (forwarder, others) = (Self.beaten(), Others())
        #expect(Self.watch(&forwarder, &others, for: .seconds(60)) == nil)
        others.highest = 21
        #expect(Self.watch(&forwarder, &others, for: .seconds(60)).map { $0 <= .seconds(3) } == true)
        #expect(forwarder.order == .readDecisions(block: 2))
        forwarder.read(nil, previous: others.decision(1))
        #expect(forwarder.order == .collect(from: 21))
    }

    @Test("takes over within five seconds, whenever the other one dies", arguments: 0..<20)
    func bounded(moment: Int) {
        // A block is decided each second, and written in between.
        var (forwarder, others) = (Self.beaten(), Others())
        let death = Duration.seconds(20) + .milliseconds(moment * 100)
        let end = Self.watch(&forwarder, &others, for: .seconds(60)) { time, others in
            others.highest += 10
            guard time < death else { return }
            if time.components.attoseconds == 0 { others.ends.append(others.highest) }
            others.completed = UInt64(others.ends.count) - (time.components.attoseconds == 0 ? 1 : 0)
        }
        #expect(end.map { $0 >= death && $0 <= death + .seconds(5) } == true, "\(String(describing: end))")
    }

    @Test("ends where everything is written when it is told to, and not before")
    func ends() {
        var forwarder = Self.beaten()
        let first = BlockDecision(block: 1, first: 1, last: 20, version: BlockRows.version)
        forwarder.watched(first, highest: 20, isEnding: true)
        forwarder.watched(nil, highest: 20, isEnding: true)
        #expect(forwarder.order == .wait(Forwarder.Times().look))
        forwarder.waited()
        forwarder.watched(nil, highest: 20, isEnding: true)
        #expect(forwarder.order == .count)
        forwarder.counted(1)
        forwarder.waited()
        forwarder.watched(nil, highest: 20, isEnding: true)
        #expect(forwarder.order == .rest)
    }

    @Test("ends with what is wrong where decisions do not follow one another")
    func strange() {
        for strange in [
            BlockDecision(block: 1, first: 2, last: 20, version: BlockRows.version),
            BlockDecision(block: 2, first: 1, last: 20, version: BlockRows.version),
            BlockDecision(block: 1, first: 1, last: 20, version: BlockRows.version + 1),
        ] {
            var forwarder = Self.beaten()
            forwarder.watched(strange, highest: 20)
            guard case .stop = forwarder.order else {
                Issue.record("It goes on with \(forwarder.order) after \(strange).")
                continue
            }
        }
    }

    @Test("begins anew after a failure")
    func failure() {
        var forwarder = Self.beaten()
        forwarder.failed("Nobody answers.")
        #expect(!forwarder.isStandingBy)
        forwarder.waited()
        #expect(forwarder.order == .count)
    }
}
