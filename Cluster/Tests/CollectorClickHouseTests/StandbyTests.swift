// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorClickHouse
internal import CollectorCore
internal import Testing
internal import TrackwayCore

/// Steps of a standby forwarder in reaction to the stream and another forwarder.
///
/// Time passes only while it waits, half a second at a time.
@Suite("Standby forwarder")
struct StandbyTests {
    /// The other forwarder and the stream.
    private struct OtherForwarder {
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
    private static func standbyForwarder() -> Forwarder {
        var forwarder = Forwarder()
        forwarder.blocksCounted(0)
        forwarder.decisionsRead(nil, previous: nil)
        forwarder.blockCollected(last: 18)
        forwarder.blockDecided(isOurs: false)
        return forwarder
    }

    /// Runs the forwarder until it does something other than watch.
    ///
    /// - Parameter change: Changes the other forwarder; called with the time so far.
    /// - Returns: When it took over; nil if it still watches at the limit.
    private static func watch(
        _ forwarder: inout Forwarder,
        _ other: inout OtherForwarder,
        for limit: Duration,
        change: (Duration, inout OtherForwarder) -> Void = { _, _ in }
    ) -> Duration? {
        var time = Duration.zero
        while forwarder.isStandingBy, time < limit {
            switch forwarder.nextStep {
            case .watch(let block): forwarder.decisionWatched(other.decision(block), highest: other.highest)
            case .count:
                other.counts += 1
                forwarder.blocksCounted(other.completed)
            case .wait(let pause):
                time += pause
                change(time, &other)
                forwarder.waitFinished()
            default: return time
            }
        }
        return forwarder.isStandingBy ? nil : time
    }

    @Test
    func `a standby forwarder watches while blocks are decided, and does not query the tables`() {
        var (forwarder, other) = (Self.standbyForwarder(), OtherForwarder())
        let end = Self.watch(&forwarder, &other, for: .seconds(600)) { _, other in
            other.completed = UInt64(other.ends.count)
            other.ends.append(other.highest + 100)
            other.highest += 150
        }
        #expect(end == nil && other.counts == 0)
        #expect(forwarder.written == other.ends.dropLast(2).last)
    }

    @Test
    func `a standby forwarder watches while there is nothing to collect, and queries the tables once`() {
        var (forwarder, other) = (Self.standbyForwarder(), OtherForwarder())
        #expect(Self.watch(&forwarder, &other, for: .seconds(600)) == nil)
        #expect(other.counts == 1 && forwarder.written == 20)
        // A record arrives, and is decided within three seconds.
        for _ in 1...20 {
            other.highest += 1
            let end = Self.watch(&forwarder, &other, for: .seconds(20)) { time, other in
                guard time == .seconds(2) else { return }
                other.ends.append(other.highest)
                other.completed += 1
            }
            #expect(end == nil)
        }
    }

    @Test
    func `a standby forwarder takes over three seconds after a decision without a completed block, and writes it`() {
        var (forwarder, other) = (Self.standbyForwarder(), OtherForwarder())
        other.completed = 0
        #expect(Self.watch(&forwarder, &other, for: .seconds(600)) == .milliseconds(2_500))
        #expect(forwarder.nextStep == .readDecisions(block: 1))
        forwarder.decisionsRead(other.decision(1), previous: nil)
        #expect(forwarder.nextStep == .load(BlockDecision(block: 1, first: 1, last: 20, version: BlockRows.version)))
    }

    @Test
    func `a standby forwarder takes over three seconds after the arrival of a record that is not decided`() {
        var (forwarder, other) = (Self.standbyForwarder(), OtherForwarder())
        #expect(Self.watch(&forwarder, &other, for: .seconds(60)) == nil)
        other.highest = 21
        #expect(Self.watch(&forwarder, &other, for: .seconds(60)).map { $0 <= .seconds(3) } == true)
        #expect(forwarder.nextStep == .readDecisions(block: 2))
        forwarder.decisionsRead(nil, previous: other.decision(1))
        #expect(forwarder.nextStep == .collect(from: 21))
    }

    @Test(arguments: 0..<20)
    func `a standby forwarder takes over within five seconds, whenever the other one dies`(offset: Int) {
        // A block is decided every second, and written in between.
        var (forwarder, other) = (Self.standbyForwarder(), OtherForwarder())
        let killTime = Duration.seconds(20) + .milliseconds(offset * 100)
        let end = Self.watch(&forwarder, &other, for: .seconds(60)) { time, other in
            other.highest += 10
            guard time < killTime else { return }
            if time.components.attoseconds == 0 { other.ends.append(other.highest) }
            other.completed = UInt64(other.ends.count) - (time.components.attoseconds == 0 ? 1 : 0)
        }
        #expect(end.map { $0 >= killTime && $0 <= killTime + .seconds(5) } == true, "\(String(describing: end))")
    }

    @Test
    func `a standby forwarder asked to end does so only once everything is written`() {
        var forwarder = Self.standbyForwarder()
        let first = BlockDecision(block: 1, first: 1, last: 20, version: BlockRows.version)
        forwarder.decisionWatched(first, highest: 20, isEnding: true)
        forwarder.decisionWatched(nil, highest: 20, isEnding: true)
        #expect(forwarder.nextStep == .wait(Forwarder.Times().checkInterval))
        forwarder.waitFinished()
        forwarder.decisionWatched(nil, highest: 20, isEnding: true)
        #expect(forwarder.nextStep == .count)
        forwarder.blocksCounted(1)
        forwarder.waitFinished()
        forwarder.decisionWatched(nil, highest: 20, isEnding: true)
        #expect(forwarder.nextStep == .rest)
    }

    @Test
    func `a standby forwarder stops with the reason if decisions do not follow each other`() {
        for invalid in [
            BlockDecision(block: 1, first: 2, last: 20, version: BlockRows.version),
            BlockDecision(block: 2, first: 1, last: 20, version: BlockRows.version),
            BlockDecision(block: 1, first: 1, last: 20, version: BlockRows.version + 1),
        ] {
            var forwarder = Self.standbyForwarder()
            forwarder.decisionWatched(invalid, highest: 20)
            guard case .stop = forwarder.nextStep else {
                Issue.record("The forwarder continues with \(forwarder.nextStep) after \(invalid).")
                continue
            }
        }
    }

    @Test
    func `a standby forwarder starts over after a failure`() {
        var forwarder = Self.standbyForwarder()
        forwarder.stepFailed("No server responds.")
        #expect(!forwarder.isStandingBy)
        forwarder.waitFinished()
        #expect(forwarder.nextStep == .count)
    }
}
