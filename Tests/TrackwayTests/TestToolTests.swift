// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import Trackway
import TrackwayCore
import TrackwayDestinationKit
import TrackwayJournal
import TrackwayTesting

@Suite("Test tools")
struct TestToolTests {
    @Test
    func `unflushed data is lost in a power loss, and survives a kill`() throws {
        let disk = MemoryStorage()
        disk.makeFolder("/a")
        let segment = try disk.makeSegment("/a/segment", bytes: 4_096)
        try disk.synchronizeFolder("/a")
        try disk.synchronizeFolder("/")
        segment.memory[0] = 1
        try segment.synchronize()
        segment.memory[1] = 2
        try disk.replace("/a/loose", with: [3], durably: false)
        try disk.replace("/a/firm", with: [4], durably: true)
        disk.remove("/a/firm")
        let killed = disk.afterKill()
        #expect(killed.contents(of: "/a/segment")?.prefix(2) == [1, 2])
        #expect(killed.contents(of: "/a/loose") == [3])
        #expect(killed.contents(of: "/a/firm") == nil)
        let cut = disk.afterPowerLoss()
        #expect(cut.contents(of: "/a/segment")?.prefix(2) == [1, 0])
        #expect(cut.contents(of: "/a/loose") == [], "its name was flushed with the folder, but not its bytes")
        #expect(cut.contents(of: "/a/firm") == [4], "the removal was not flushed")
    }

    @Test(arguments: 0..<20 as Range<UInt64>)
    func `a power loss during writes keeps some sectors, always the same ones for the same seed`(seed: UInt64) throws {
        let disk = MemoryStorage()
        disk.makeFolder("/a")
        let segment = try disk.makeSegment("/a/segment", bytes: 16_384)
        try disk.synchronizeFolder("/a")
        try disk.synchronizeFolder("/")
        try segment.synchronize()
        for index in segment.memory.indices { segment.memory[index] = 7 }
        let remaining = try #require(disk.afterPowerLoss(.someUnflushed(seed: seed)).contents(of: "/a/segment"))
        #expect(remaining == disk.afterPowerLoss(.someUnflushed(seed: seed)).contents(of: "/a/segment"))
        for sector in stride(from: 0, to: remaining.count, by: 512) {
            #expect(Set(remaining[sector..<sector + 512]).count == 1, "a sector is written entirely or not at all")
        }
        #expect(Set(remaining) == [0, 7])
    }

    @Test
    func `a full disk rejects data that does not fit and accepts data that does`() throws {
        let disk = MemoryStorage(capacity: 10_000)
        disk.makeFolder("/a")
        _ = try disk.makeSegment("/a/one", bytes: 8_000)
        let error = #expect(throws: StorageError.self) { try disk.makeSegment("/a/two", bytes: 8_000) }
        #expect(error?.code == .full)
        try disk.replace("/a/small", with: [1], durably: true)
        #expect(disk.freeBytes(at: "/a") == 1_999)
        disk.capacity = 20_000
        _ = try disk.makeSegment("/a/two", bytes: 8_000)
    }

    @Test
    func `faults begin and end after the given numbers of calls, and affect only the given paths`() throws {
        let storage = FaultyStorage()
        storage.fail(.contents, with: .inputOutput, after: 1, times: 2, paths: "cursor")
        var outcomes: [Bool] = []
        for _ in 0..<5 {
            do throws(StorageError) {
                _ = try storage.contents(of: "/a/cursor.collector")
                outcomes.append(true)
            } catch {
                #expect(error.code == .inputOutput)
                #expect(error.number == 5)
                outcomes.append(false)
            }
            _ = try storage.contents(of: "/a/other")
        }
        #expect(outcomes == [true, false, false, true, true])
        #expect(storage.count(of: .contents) == 10)
    }

    @Test
    func `a manual clock wakes sleepers in the order of their times, and only those that are due`() async throws {
        let clock = ManualClock()
        let start = clock.now().monotonic
        let woken = Locked<[Int]>([])
        try await withThrowingTaskGroup(of: Void.self) { group in
            for seconds in [30, 10, 20] {
                group.addTask {
                    await ManualSleeper(clock).sleep(until: start.advanced(by: .seconds(seconds)))
                    woken.withLock { $0.append(seconds) }
                }
            }
            await clock.untilSleeping(3)
            clock.advance(by: .seconds(15))
            try await Deadline.wait(while: woken.withLock({ $0.count }) < 1)
            #expect(woken.withLock { $0 } == [10])
            #expect(clock.sleepers == 2)
            clock.advanceToNextSleeper()
            try await Deadline.wait(while: woken.withLock({ $0.count }) < 2)
            #expect(clock.now().monotonic == start.advanced(by: .seconds(20)))
            group.cancelAll()
        }
        #expect(woken.withLock { $0 } == [10, 20, 30], "a canceled sleeper returns early")
        #expect(!clock.advanceToNextSleeper())
    }

    @Test
    func `a jump of the wall clock wakes no sleeper and does not change the monotonic time`() {
        let clock = ManualClock()
        let before = clock.now()
        clock.jumpWall(by: .seconds(-86_400))
        #expect(clock.now().wall < before.wall)
        #expect(clock.now().monotonic == before.monotonic)
    }

    @Test
    func `a scripted network follows its script, and then the default of each address`() async throws {
        let transport = ScriptedTransport()
        transport.script(.fail(TransportError(.offline)), .status(503))
        transport.always(.status(401), to: "audit")
        await #expect(throws: TransportError.self) {
            try await transport.send(WireRequest(url: "http://a.test"), timeout: .seconds(1))
        }
        #expect(try await transport.send(WireRequest(url: "http://audit.test"), timeout: .seconds(1)).status == 503)
        #expect(try await transport.send(WireRequest(url: "http://audit.test"), timeout: .seconds(1)).status == 401)
        #expect(try await transport.send(WireRequest(url: "http://a.test"), timeout: .seconds(1)).status == 200)
        #expect(transport.requests.count == 4)
    }

    @Test
    func `a lost response delivers the events and fails the request`() async throws {
        let memory = try InMemoryAnalytics()
        memory.transport.script(.loseAnswer)
        memory.analytics.record("twice")
        let analytics = memory.analytics
        let flush = Task { await analytics.flush(timeout: .seconds(3_600)) }
        try await Deadline.wait(while: memory.analytics.ledger().destinations["collector"]?.pending != 0) {
            memory.clock.advanceToNextSleeper()
        }
        _ = await flush.value
        let ids = memory.transport.delivered.map(\.event.id)
        #expect(ids.count == 2)
        #expect(Set(ids).count == 1, "both deliveries have the same event id")
    }
}
