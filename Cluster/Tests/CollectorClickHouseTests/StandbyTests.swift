// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
internal import CollectorClickHouse
internal import Testing
internal import TrackwayEvents

/// Steps of a standby forwarder in reaction to the stream and another forwarder.
///
/// Time passes only while it waits, half a second at a time.
@Suite("Standby forwarder")
struct StandbyTests {
    /// The other forwarder and the stream.
    private struct Others {
        /// The last record of each decided block.
        var ends: [UInt64] = [20]
        /// The number of written blocks.
        var completed: UInt64 = 1
        var highest: UInt64 = 20
        /// The number of requests to the tables.
        var counts = 0

        func decision(_ block: UInt64) -> BlockDecision? {
            guard block >= 1, block <= UInt64(ends.count) else { return nil }
            let first = block == 1 ? 1 : ends[Int(block) - 2] + 1
            return BlockDecision(block: block, first: first, last: ends[Int(block) - 1], version: BlockRows.version)
        }
    }

    /// Returns a forwarder that lost the first block to another one.
    private static func beaten() -> Forwarder {
        var forwarder = Forwarder()
        forwarder.counted(0)
        forwarder.read(nil, previous: nil)
        forwarder.collected(last: 18)
        forwarder.decided(false)
        return forwarder
    }

    /// Runs the forwarder until it does something other than watch.
    ///
    /// - Parameter change: Changes the others; called with the time so far.
    /// - Returns: When it took over; nil if it still watches at the limit.
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

    @Test("a standby forwarder watches while blocks are decided, and does not query the tables")
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

    @Test("a standby forwarder watches while there is nothing to collect, and queries the tables once")
    func idle() {
        var (forwarder, others) = (Self.beaten(), Others())
        #expect(Self.watch(&forwarder, &others, for: .seconds(600)) == nil)
        #expect(others.counts == 1 && forwarder.written == 20)
        // A record arrives, and is decided within three seconds.
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

    @Test("a standby forwarder takes over three seconds after a decision without a completed block, and writes it")
    func dead() {
        var (forwarder, others) = (Self.beaten(), Others())
        others.completed = 0
        #expect(Self.watch(&forwarder, &others, for: .seconds(600)) == .milliseconds(2_500))
        #expect(forwarder.order == .readDecisions(block: 1))
        forwarder.read(others.decision(1), previous: nil)
        #expect(forwarder.order == .load(BlockDecision(block: 1, first: 1, last: 20, version: BlockRows.version)))
    }

    @Test("a standby forwarder takes over three seconds after a record arrives that is not decided")
    func silent() {
        var (forwarder, others) = (Self.beaten(), Others())
        #expect(Self.watch(&forwarder, &others, for: .seconds(60)) == nil)
        others.highest = 21
        #expect(Self.watch(&forwarder, &others, for: .seconds(60)).map { $0 <= .seconds(3) } == true)
        #expect(forwarder.order == .readDecisions(block: 2))
        forwarder.read(nil, previous: others.decision(1))
        #expect(forwarder.order == .collect(from: 21))
    }

    @Test("a standby forwarder takes over within five seconds, whenever the other one dies", arguments: 0..<20)
    func bounded(moment: Int) {
        // A block is decided every second, and written in between.
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

    @Test("a standby forwarder asked to end does so only once everything is written")
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

    @Test("a standby forwarder stops with the reason if decisions do not follow each other")
    func strange() {
        for strange in [
            BlockDecision(block: 1, first: 2, last: 20, version: BlockRows.version),
            BlockDecision(block: 2, first: 1, last: 20, version: BlockRows.version),
            BlockDecision(block: 1, first: 1, last: 20, version: BlockRows.version + 1),
        ] {
            var forwarder = Self.beaten()
            forwarder.watched(strange, highest: 20)
            guard case .stop = forwarder.order else {
                Issue.record("It continues with \(forwarder.order) after \(strange).")
                continue
            }
        }
    }

    @Test("a standby forwarder starts over after a failure")
    func failure() {
        var forwarder = Self.beaten()
        forwarder.failed("No server responds.")
        #expect(!forwarder.isStandingBy)
        forwarder.waited()
        #expect(forwarder.order == .count)
    }
}
