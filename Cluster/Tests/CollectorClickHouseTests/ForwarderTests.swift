// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorClickHouse
internal import CollectorCore
internal import Testing
internal import TrackwayCore

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
    private static func started() -> Forwarder {
        var forwarder = Forwarder()
        forwarder.blocksCounted(4)
        return forwarder
    }

    @Test
    func
        `the next block starts after the previous one, is decided, and is written to all tables, the block table last`()
    {
        var forwarder = Self.started()
        #expect(forwarder.nextStep == .readDecisions(block: 5))
        forwarder.decisionsRead(nil, previous: Self.decision(4, 10...19))
        #expect(forwarder.nextStep == .collect(from: 20))
        forwarder.blockCollected(last: 25)
        let ourBlock = Self.decision(5, 20...25)
        #expect(forwarder.nextStep == .decide(ourBlock))
        forwarder.blockDecided(isOurs: true)
        #expect(forwarder.nextStep == .makeRows(ourBlock))
        forwarder.rowsMade()
        #expect(forwarder.nextStep == .insert(ourBlock))
        forwarder.rowsInserted()
        #expect(forwarder.nextStep == .erase(ourBlock))
        forwarder.rowsErased()
        #expect(forwarder.nextStep == .complete(ourBlock) && forwarder.written == 19)
        forwarder.blockCompleted()
        #expect(forwarder.nextStep == .readDecisions(block: 6) && forwarder.written == 25)
    }

    @Test
    func `the first block starts with the first record`() {
        var forwarder = Forwarder()
        forwarder.blocksCounted(0)
        forwarder.decisionsRead(nil, previous: nil)
        #expect(forwarder.nextStep == .collect(from: 1))
        forwarder.blockCollected(last: nil)
        #expect(forwarder.nextStep == .rest)
    }

    @Test
    func `a block decided by another forwarder is left to that one for a while, then written here as decided`() {
        var forwarder = Self.started()
        let otherBlock = Self.decision(5, 20...30)
        for _ in 0..<Forwarder.Times().checksBeforeTakeover {
            forwarder.decisionsRead(otherBlock, previous: Self.decision(4, 10...19))
            #expect(forwarder.nextStep == .wait(Forwarder.Times().checkInterval))
            forwarder.waitFinished()
            #expect(forwarder.nextStep == .count)
            forwarder.blocksCounted(4)
        }
        forwarder.decisionsRead(otherBlock, previous: Self.decision(4, 10...19))
        #expect(forwarder.nextStep == .load(otherBlock))
        forwarder.blockLoaded()
        #expect(forwarder.nextStep == .makeRows(otherBlock))
    }

    @Test
    func `a missing block that has a successor is written immediately, because the tables are being refilled`() {
        var forwarder = Forwarder()
        forwarder.blocksCounted(0)
        forwarder.decisionsRead(Self.decision(1, 1...9), previous: nil, isNewest: false)
        #expect(forwarder.nextStep == .load(Self.decision(1, 1...9)))
    }

    @Test
    func `a forwarder stands by if another one has decided or written the block`() {
        var overtaken = Self.started()
        overtaken.decisionsRead(nil, previous: Self.decision(4, 10...19))
        overtaken.blockCollected(last: 25)
        overtaken.blockDecided(isOurs: false)
        #expect(overtaken.nextStep == .watch(block: 5) && overtaken.isStandingBy)

        var late = Self.started()
        late.decisionsRead(Self.decision(5, 20...22), previous: Self.decision(4, 10...19))
        late.waitFinished()
        late.blocksCounted(5)
        #expect(late.nextStep == .watch(block: 6) && late.isStandingBy && late.written == 22)
        // If more was written in the meantime, its contents are unknown.
        var later = Self.started()
        later.decisionsRead(Self.decision(5, 20...22), previous: Self.decision(4, 10...19))
        later.waitFinished()
        later.blocksCounted(6)
        #expect(later.nextStep == .readDecisions(block: 7))
    }

    @Test(
        arguments: [
            (nil, nil, "never decided"),
            (decision(5, 21...30), decision(4, 10...19), "instead of 20"),
            (decision(6, 20...30), decision(4, 10...19), "is about block 6"),
            (decision(5, 20...30, version: BlockRows.version + 1), decision(4, 10...19), "newer version of trackway"),
            (nil, decision(4, 10...19, version: 9), "newer version of trackway"),
        ] as [(BlockDecision?, BlockDecision?, String)]
    )
    func `decisions that are not consecutive stop the forwarder, which reports the reason`(
        next: BlockDecision?,
        previous: BlockDecision?,
        expected: String
    ) {
        var forwarder = Self.started()
        forwarder.decisionsRead(next, previous: previous)
        guard case .stop(let reason) = forwarder.nextStep else {
            Issue.record("The forwarder continues with \(forwarder.nextStep).")
            return
        }
        #expect(reason.contains(expected))
    }

    @Test
    func `pauses after failures double up to 30 seconds, each followed by a restart, and a written block resets them`()
    {
        var forwarder = Forwarder()
        var pauses: [Duration] = []
        for _ in 0..<9 {
            forwarder.stepFailed("It does not answer.")
            if case .wait(let pause) = forwarder.nextStep { pauses.append(pause) }
            forwarder.waitFinished()
            #expect(forwarder.nextStep == .count)
        }
        #expect(
            pauses == [.milliseconds(500), .seconds(1), .seconds(2), .seconds(4), .seconds(8), .seconds(16)]
                + [.seconds(30), .seconds(30), .seconds(30)]
        )
        forwarder.blocksCounted(4)
        forwarder.decisionsRead(nil, previous: Self.decision(4, 10...19))
        forwarder.blockCollected(last: 25)
        forwarder.blockDecided(isOurs: true)
        forwarder.rowsMade()
        forwarder.rowsInserted()
        forwarder.rowsErased()
        forwarder.blockCompleted()
        forwarder.stepFailed("It does not answer.")
        #expect(forwarder.nextStep == .wait(.milliseconds(500)))
    }

    @Test
    func `pauses for NATS and for the tables are independent, and for NATS they are at most one second`() {
        var forwarder = Forwarder()
        func pause(_ part: Forwarder.Part) -> Duration? {
            forwarder.stepFailed("It does not answer.", of: part)
            defer { forwarder.waitFinished() }
            if case .wait(let pause) = forwarder.nextStep { return pause }
            return nil
        }
        for _ in 0..<9 { _ = pause(.tables) }
        let engine = (0..<6).map { _ in pause(.engine) }
        #expect(engine == [.milliseconds(500)] + Array(repeating: .seconds(1), count: 5))
        // A long outage of NATS does not count as failures of the tables.
        #expect(pause(.tables) == .seconds(30))
        var other = Forwarder()
        for _ in 0..<100 {
            other.stepFailed("It does not answer.", of: .engine)
            other.waitFinished()
        }
        other.stepFailed("It does not answer.")
        #expect(other.nextStep == .wait(.milliseconds(500)))
    }

    @Test
    func `a forwarder counts as writing from its first block until a failure, or until another is faster`() {
        func write(_ forwarder: inout Forwarder, _ block: UInt64) {
            forwarder.decisionsRead(nil, previous: Self.decision(block - 1, block * 10...block * 10 + 9))
            forwarder.blockCollected(last: block * 10 + 15)
            forwarder.blockDecided(isOurs: true)
            forwarder.rowsMade()
            forwarder.rowsInserted()
            forwarder.rowsErased()
            #expect(forwarder.nextStep == .complete(Self.decision(block, block * 10 + 10...block * 10 + 15)))
            forwarder.blockCompleted()
        }
        for part in [Forwarder.Part.engine, .tables] {
            var forwarder = Self.started()
            #expect(!forwarder.isWriting)
            write(&forwarder, 5)
            #expect(forwarder.isWriting && forwarder.nextStep == .readDecisions(block: 6))
            forwarder.stepFailed("It does not answer.", of: part)
            #expect(!forwarder.isWriting)
            forwarder.waitFinished()
            forwarder.blocksCounted(5)
            #expect(!forwarder.isWriting)
        }
        var overtaken = Self.started()
        write(&overtaken, 5)
        overtaken.decisionsRead(nil, previous: Self.decision(5, 60...65))
        overtaken.blockCollected(last: 70)
        #expect(overtaken.isWriting)
        overtaken.blockDecided(isOurs: false)
        #expect(overtaken.isStandingBy && !overtaken.isWriting)
    }

    @Test
    func `a permanent failure stops only a forwarder that has just started, and a final failure stops any`() {
        var new = Forwarder()
        new.stepFailed("The password is wrong.", isPermanent: true)
        #expect(new.nextStep == .stop("The password is wrong."))
        var running = Self.started()
        running.stepFailed("The password is wrong.", isPermanent: true)
        #expect(running.nextStep == .wait(.milliseconds(500)))
        running.waitFinished()
        running.blocksCounted(4)
        running.stepFailed("Record 20 is gone.", isFinal: true)
        #expect(running.nextStep == .stop("Record 20 is gone."))
    }

    @Test
    func `results that do not belong to the current step are ignored`() {
        var forwarder = Self.started()
        let before = forwarder.nextStep
        forwarder.rowsInserted()
        forwarder.rowsErased()
        forwarder.blockCompleted()
        forwarder.decisionWatched(Self.decision(5, 20...22), highest: 30)
        forwarder.blockDecided(isOurs: true)
        forwarder.blockLoaded()
        forwarder.rowsMade()
        forwarder.blockCollected(last: 7)
        forwarder.waitFinished()
        forwarder.blocksCounted(9)
        #expect(forwarder.nextStep == before)
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

    @Test
    func `a block ends with the record that reaches the limit of events, bytes or records`() {
        for change: (inout BlockCutter.Limits) -> Void in [{ $0.events = 30 }, { $0.bytes = 300 }, { $0.records = 3 }] {
            var cutter = Self.cutter(change)
            for record in 1...3 {
                #expect(!cutter.isFull)
                let wasAdded = cutter.add(events: 10, bytes: 100, received: nil, at: Self.now)
                #expect(wasAdded && cutter.next == 7 + UInt64(record))
            }
            #expect(cutter.isFull)
        }
    }

    @Test
    func `a block ends before a record of a different week; records without a time fit into any week`() {
        var cutter = Self.cutter { _ in }
        let end = Timestamp(milliseconds: BlockCutter.millisecondsPerWeek * 2_810 - 1)
        let next = Timestamp(milliseconds: BlockCutter.millisecondsPerWeek * 2_810)
        func add(_ received: Timestamp?) -> Bool { cutter.add(events: 1, bytes: 1, received: received, at: Self.now) }
        #expect(add(nil) && add(end) && add(nil))
        #expect(!add(next) && cutter.next == 10)
        #expect(add(end) && !add(next))
    }

    @Test
    func `a block ends one second after its first record, and never before it has one`() {
        var cutter = Self.cutter { _ in }
        let later = Self.now.advanced(by: .seconds(100))
        #expect(!cutter.isDue(at: later) && cutter.isEmpty)
        _ = cutter.add(events: 0, bytes: 0, received: nil, at: Self.now)
        _ = cutter.add(events: 0, bytes: 0, received: nil, at: Self.now.advanced(by: .milliseconds(900)))
        #expect(!cutter.isDue(at: Self.now.advanced(by: .milliseconds(999))) && !cutter.isEmpty)
        #expect(cutter.isDue(at: Self.now.advanced(by: .seconds(1))))
    }
}
