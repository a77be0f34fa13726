// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
internal import CollectorClickHouse
internal import Testing
internal import TrackwayEvents

@Suite("Forwarder steps")
struct ForwarderTests {
    private static func decision(
        _ block: UInt64,
        _ records: ClosedRange<UInt64>,
        version: Int = BlockRows.version
    ) -> BlockDecision {
        BlockDecision(block: block, first: records.lowerBound, last: records.upperBound, version: version)
    }

    /// Returns a forwarder that has found four written blocks.
    private static func counted() -> Forwarder {
        var forwarder = Forwarder()
        forwarder.counted(4)
        return forwarder
    }

    @Test(
        "the next block starts after the previous one, is decided, and is written to all tables, the block table last"
    )
    func block() {
        var forwarder = Self.counted()
        #expect(forwarder.order == .readDecisions(block: 5))
        forwarder.read(nil, previous: Self.decision(4, 10...19))
        #expect(forwarder.order == .collect(from: 20))
        forwarder.collected(last: 25)
        let mine = Self.decision(5, 20...25)
        #expect(forwarder.order == .decide(mine))
        forwarder.decided(true)
        #expect(forwarder.order == .recognise(mine))
        forwarder.recognised()
        #expect(forwarder.order == .insert(mine))
        forwarder.inserted()
        #expect(forwarder.order == .erase(mine))
        forwarder.erased()
        #expect(forwarder.order == .complete(mine) && forwarder.written == 19)
        forwarder.completed()
        #expect(forwarder.order == .readDecisions(block: 6) && forwarder.written == 25)
    }

    @Test("the first block starts with the first record")
    func first() {
        var forwarder = Forwarder()
        forwarder.counted(0)
        forwarder.read(nil, previous: nil)
        #expect(forwarder.order == .collect(from: 1))
        forwarder.collected(last: nil)
        #expect(forwarder.order == .rest)
    }

    @Test("a block decided by another forwarder is left to it for a while, then written here as decided")
    func others() {
        var forwarder = Self.counted()
        let theirs = Self.decision(5, 20...30)
        for _ in 0..<Forwarder.Times().looks {
            forwarder.read(theirs, previous: Self.decision(4, 10...19))
            #expect(forwarder.order == .wait(Forwarder.Times().look))
            forwarder.waited()
            #expect(forwarder.order == .count)
            forwarder.counted(4)
        }
        forwarder.read(theirs, previous: Self.decision(4, 10...19))
        #expect(forwarder.order == .load(theirs))
        forwarder.loaded()
        #expect(forwarder.order == .recognise(theirs))
    }

    @Test("a missing block that has a successor is written immediately, because the tables are being refilled")
    func anew() {
        var forwarder = Forwarder()
        forwarder.counted(0)
        forwarder.read(Self.decision(1, 1...9), previous: nil, isNewest: false)
        #expect(forwarder.order == .load(Self.decision(1, 1...9)))
    }

    @Test("a forwarder stands by if another one has decided or written the block")
    func beaten() {
        var beaten = Self.counted()
        beaten.read(nil, previous: Self.decision(4, 10...19))
        beaten.collected(last: 25)
        beaten.decided(false)
        #expect(beaten.order == .watch(block: 5) && beaten.isStandingBy)

        var late = Self.counted()
        late.read(Self.decision(5, 20...22), previous: Self.decision(4, 10...19))
        late.waited()
        late.counted(5)
        #expect(late.order == .watch(block: 6) && late.isStandingBy && late.written == 22)
        // If more was written since, its contents are unknown.
        var later = Self.counted()
        later.read(Self.decision(5, 20...22), previous: Self.decision(4, 10...19))
        later.waited()
        later.counted(6)
        #expect(later.order == .readDecisions(block: 7))
    }

    @Test(
        "decisions that do not follow each other stop the forwarder with the reason",
        arguments: [
            (nil, nil, "never decided"),
            (decision(5, 21...30), decision(4, 10...19), "instead of 20"),
            (decision(6, 20...30), decision(4, 10...19), "is about block 6"),
            (decision(5, 20...30, version: BlockRows.version + 1), decision(4, 10...19), "newer version of trackway"),
            (nil, decision(4, 10...19, version: 9), "newer version of trackway"),
        ] as [(BlockDecision?, BlockDecision?, String)]
    )
    func strange(next: BlockDecision?, previous: BlockDecision?, words: String) {
        var forwarder = Self.counted()
        forwarder.read(next, previous: previous)
        guard case .stop(let reason) = forwarder.order else {
            Issue.record("It continues with \(forwarder.order).")
            return
        }
        #expect(reason.contains(words))
    }

    @Test("pauses after failures double up to 30 seconds, each followed by a restart, and a written block resets them")
    func pauses() {
        var forwarder = Forwarder()
        var pauses: [Duration] = []
        for _ in 0..<9 {
            forwarder.failed("It does not answer.")
            if case .wait(let pause) = forwarder.order { pauses.append(pause) }
            forwarder.waited()
            #expect(forwarder.order == .count)
        }
        #expect(
            pauses == [.milliseconds(500), .seconds(1), .seconds(2), .seconds(4), .seconds(8), .seconds(16)]
                + [.seconds(30), .seconds(30), .seconds(30)]
        )
        forwarder.counted(4)
        forwarder.read(nil, previous: Self.decision(4, 10...19))
        forwarder.collected(last: 25)
        forwarder.decided(true)
        forwarder.recognised()
        forwarder.inserted()
        forwarder.erased()
        forwarder.completed()
        forwarder.failed("It does not answer.")
        #expect(forwarder.order == .wait(.milliseconds(500)))
    }

    @Test("pauses for NATS and for the tables are independent, and for NATS they are at most one second")
    func parts() {
        var forwarder = Forwarder()
        func pause(_ part: Forwarder.Part) -> Duration? {
            forwarder.failed("It does not answer.", of: part)
            defer { forwarder.waited() }
            if case .wait(let pause) = forwarder.order { return pause }
            return nil
        }
        for _ in 0..<9 { _ = pause(.tables) }
        let engine = (0..<6).map { _ in pause(.engine) }
        #expect(engine == [.milliseconds(500)] + Array(repeating: .seconds(1), count: 5))
        // A long outage of NATS does not count as failures of the tables.
        #expect(pause(.tables) == .seconds(30))
        var other = Forwarder()
        for _ in 0..<100 {
            other.failed("It does not answer.", of: .engine)
            other.waited()
        }
        other.failed("It does not answer.")
        #expect(other.order == .wait(.milliseconds(500)))
    }

    @Test("a forwarder counts as writing from its first block until a failure, or until another is faster")
    func writing() {
        func write(_ forwarder: inout Forwarder, _ block: UInt64) {
            forwarder.read(nil, previous: Self.decision(block - 1, block * 10...block * 10 + 9))
            forwarder.collected(last: block * 10 + 15)
            forwarder.decided(true)
            forwarder.recognised()
            forwarder.inserted()
            forwarder.erased()
            #expect(forwarder.order == .complete(Self.decision(block, block * 10 + 10...block * 10 + 15)))
            forwarder.completed()
        }
        for part in [Forwarder.Part.engine, .tables] {
            var forwarder = Self.counted()
            #expect(!forwarder.isWriting)
            write(&forwarder, 5)
            #expect(forwarder.isWriting && forwarder.order == .readDecisions(block: 6))
            forwarder.failed("It does not answer.", of: part)
            #expect(!forwarder.isWriting)
            forwarder.waited()
            forwarder.counted(5)
            #expect(!forwarder.isWriting)
        }
        var beaten = Self.counted()
        write(&beaten, 5)
        beaten.read(nil, previous: Self.decision(5, 60...65))
        beaten.collected(last: 70)
        #expect(beaten.isWriting)
        beaten.decided(false)
        #expect(beaten.isStandingBy && !beaten.isWriting)
    }

    @Test("a lasting failure stops only a forwarder that has just started, and a final one stops any")
    func lasting() {
        var fresh = Forwarder()
        fresh.failed("The password is wrong.", isLasting: true)
        #expect(fresh.order == .stop("The password is wrong."))
        var begun = Self.counted()
        begun.failed("The password is wrong.", isLasting: true)
        #expect(begun.order == .wait(.milliseconds(500)))
        begun.waited()
        begun.counted(4)
        begun.failed("Record 20 is gone.", isFinal: true)
        #expect(begun.order == .stop("Record 20 is gone."))
    }

    @Test("results that do not belong to the current order are ignored")
    func late() {
        var forwarder = Self.counted()
        let before = forwarder.order
        forwarder.inserted()
        forwarder.erased()
        forwarder.completed()
        forwarder.watched(Self.decision(5, 20...22), highest: 30)
        forwarder.decided(true)
        forwarder.loaded()
        forwarder.recognised()
        forwarder.collected(last: 7)
        forwarder.waited()
        forwarder.counted(9)
        #expect(forwarder.order == before)
    }
}

@Suite("Block boundaries")
struct BlockCutterTests {
    private static let now = MonotonicTime(milliseconds: 1_000)

    private static func cutter(_ change: (inout BlockCutter.Limits) -> Void) -> BlockCutter {
        var limits = BlockCutter.Limits()
        change(&limits)
        return BlockCutter(from: 7, limits: limits)
    }

    @Test("a block ends with the record that reaches the limit of events, bytes or records")
    func full() {
        for change: (inout BlockCutter.Limits) -> Void in [{ $0.events = 30 }, { $0.bytes = 300 }, { $0.records = 3 }] {
            var cutter = Self.cutter(change)
            for record in 1...3 {
                #expect(!cutter.isFull)
                let took = cutter.take(events: 10, bytes: 100, received: nil, at: Self.now)
                #expect(took && cutter.next == 7 + UInt64(record))
            }
            #expect(cutter.isFull)
        }
    }

    @Test("a block ends before a record of a different week; records without a time fit into any week")
    func week() {
        var cutter = Self.cutter { _ in }
        let end = Timestamp(milliseconds: BlockCutter.millisecondsOfWeek * 2_810 - 1)
        let next = Timestamp(milliseconds: BlockCutter.millisecondsOfWeek * 2_810)
        func take(_ received: Timestamp?) -> Bool { cutter.take(events: 1, bytes: 1, received: received, at: Self.now) }
        #expect(take(nil) && take(end) && take(nil))
        #expect(!take(next) && cutter.next == 10)
        #expect(take(end) && !take(next))
    }

    @Test("a block ends one second after its first record, and never without one")
    func due() {
        var cutter = Self.cutter { _ in }
        let later = Self.now.advanced(by: .seconds(100))
        #expect(!cutter.isDue(at: later) && cutter.isEmpty)
        _ = cutter.take(events: 0, bytes: 0, received: nil, at: Self.now)
        _ = cutter.take(events: 0, bytes: 0, received: nil, at: Self.now.advanced(by: .milliseconds(900)))
        #expect(!cutter.isDue(at: Self.now.advanced(by: .milliseconds(999))) && !cutter.isEmpty)
        #expect(cutter.isDue(at: Self.now.advanced(by: .seconds(1))))
    }
}
