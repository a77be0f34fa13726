// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import TrackwayEvents
import TrackwayJournal
import TrackwayTesting

@testable import TrackwayDelivery

@Suite("Unknown is not zero")
struct UnknownCountsTests {
    private static let exhausted = StorageFault(.other, number: 24)

    @Test(
        "a flush is never complete while the journal cannot be counted, whoever delivers",
        arguments: [StorageFault(.other, number: 24), .denied, .inputOutput]
    )
    func flush(_ fault: StorageFault) async throws {
        let world = try DeliveryWorld()
        world.record(5)
        // Nobody is elected while nothing can be opened.
        for operation in [StorageOperation.names, .contents, .lock, .size, .read] {
            world.storage.fail(operation, with: fault)
        }
        world.begin()
        let report = await world.flush(timeout: .seconds(2), sleepers: 1)
        #expect(!report.isComplete)
        #expect(!report.uncounted.isEmpty)
        #expect(report.uncounted.first?.path.hasPrefix("/app") == true)
        #expect(report.destinations["collector"]?.obstacle != nil)
        #expect(world.collector.rows == 0)
        world.storage.heal()
        let second = await world.flush(timeout: .seconds(120), sleepers: 1)
        #expect(second.isComplete)
        #expect(world.collector.rows == 5)
        await world.end()
    }

    @Test("a flush that begins when delivery is at work and nothing can be counted is not complete, either")
    func whileDelivering() async throws {
        let world = try DeliveryWorld()
        world.begin()
        world.record(5)
        #expect(await world.flush(timeout: .seconds(3_600), sleepers: 1).isComplete)
        world.record(3)
        for operation in [StorageOperation.names, .contents, .lock, .size, .read] {
            world.storage.fail(operation, with: Self.exhausted)
        }
        let report = await world.flush(timeout: .seconds(2), sleepers: 2)
        #expect(!report.isComplete)
        #expect(!report.uncounted.isEmpty)
        world.storage.heal()
        #expect(await world.flush(timeout: .seconds(3_600), sleepers: 1).isComplete)
        #expect(world.collector.rows == 8)
        #expect(world.collector.duplicates == 0)
        await world.end()
    }

    @Test("a writer that cannot be read leaves a flush incomplete, delays nobody, and is told once until that changes")
    func unreadableWriter() async throws {
        let storage = MemoryStorage()
        let foreign = try DeliveryWorld(storage: storage)
        let name = "\(foreign.journal.writer)"
        foreign.leave(4)
        let clock = ManualClock()
        clock.advance(by: .seconds(1))
        let world = try DeliveryWorld(storage: storage, clock: clock, tending: .seconds(1))
        world.storage.fail(.names, with: .denied, paths: name)
        world.storage.fail(.lock, with: .denied, paths: name)
        world.record(5)
        world.begin()
        let report = await world.flush(timeout: .seconds(60), sleepers: 1)
        #expect(world.collector.rows == 5)
        #expect(!report.isComplete)
        #expect(report.uncounted.count == 1)
        #expect(report.uncounted.first?.path.contains(name) == true)
        #expect(report.destinations["collector"]?.delivered == 5)
        await world.pass(.seconds(30), sleepers: 1)
        #expect(world.leftOut.count == 1)
        #expect(world.leftOut.first?.contains(name) == true)

        world.storage.heal()
        await world.pass(.seconds(36_000), sleepers: 1) { world.collector.rows == 9 }
        #expect(world.collector.rows == 9)
        #expect(await world.flush(timeout: .seconds(3_600), sleepers: 1).isComplete)

        world.storage.fail(.names, with: .denied, paths: name)
        #expect(world.leftOut.count == 1)
        await world.end()
    }

    @Test("an installation that cannot be opened for delivery is told once, and taken up when it can be")
    func election() async throws {
        let world = try DeliveryWorld()
        world.record(2)
        world.storage.fail(.contents, with: .denied, paths: "/settled")
        world.begin()
        await world.pass(.seconds(20), sleepers: 1)
        let told = world.notices.withLock { $0.filter { if case .journalFailed = $0 { true } else { false } } }
        #expect(told.count == 1)
        #expect(told.first?.description.contains("/app/settled") == true)
        world.storage.heal()
        await world.pass(.seconds(36_000), sleepers: 1) { world.collector.rows == 2 }
        #expect(world.collector.rows == 2)
        await world.end()
    }

    @Test("the journal that fails while a destination is served is told once until it works again")
    func failingReads() async throws {
        let world = try DeliveryWorld()
        world.begin()
        world.record(1)
        #expect(await world.flush(timeout: .seconds(3_600), sleepers: 1).isComplete)
        for round in 1...2 {
            world.storage.fail(.read, with: .inputOutput)
            world.storage.fail(.size, with: .inputOutput)
            world.record(3)
            await world.pass(.seconds(300), sleepers: 2)
            #expect(world.failures == round)
            world.storage.heal()
            await world.pass(.seconds(36_000), sleepers: 1) { world.collector.rows == 1 + 3 * round }
            #expect(world.collector.rows == 1 + 3 * round)
        }
        await world.end()
    }
}

extension DeliveryWorld {
    /// What was told of writers that are left out.
    fileprivate var leftOut: [String] {
        notices.withLock { $0.compactMap { if case .writerLeftOut(let message) = $0 { message } else { nil } } }
    }

    /// How often a destination's journal was told to fail.
    fileprivate var failures: Int {
        notices.withLock {
            $0.filter { if case .destination(_, .journalFailed) = $0 { true } else { false } }.count
        }
    }
}
