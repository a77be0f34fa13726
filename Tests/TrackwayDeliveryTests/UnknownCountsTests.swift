// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import TrackwayCore
import TrackwayJournal
import TrackwayTesting

@testable import TrackwayDelivery

@Suite("Unknown counts are not zero")
struct UnknownCountsTests {
    private static let exhausted = StorageFault(.other, number: 24)

    @Test(arguments: [StorageFault(.other, number: 24), .denied, .inputOutput])
    func `a flush is never complete while the journal cannot be counted, whichever process delivers`(
        _ fault: StorageFault
    ) async throws {
        let environment = try DeliveryEnvironment()
        environment.record(5)
        // No process is elected while no file can be opened.
        for operation in [StorageOperation.names, .contents, .lock, .size, .read] {
            environment.storage.fail(operation, with: fault)
        }
        environment.begin()
        let report = await environment.flush(timeout: .seconds(2))
        #expect(!report.isComplete)
        #expect(!report.uncounted.isEmpty)
        #expect(report.uncounted.first?.path.hasPrefix("/app") == true)
        #expect(report.destinations["collector"]?.pendingReason != nil)
        #expect(environment.collector.rows == 0)
        environment.storage.clearFaults()
        let second = await environment.flush(timeout: .seconds(120))
        #expect(second.isComplete)
        #expect(environment.collector.rows == 5)
        await environment.end()
    }

    @Test(arguments: [true, false])
    func `while the clock does not advance, a flush tries the election only a few times`(isAnotherElected: Bool)
        async throws
    {
        let environment = try DeliveryEnvironment()
        environment.record(5)
        let deliveryLock = isAnotherElected ? try environment.storage.base.lock("/app/deliver.lock") : nil
        if !isAnotherElected { environment.storage.fail(.lock, with: Self.exhausted) }
        environment.begin()
        let flush = environment.task { await environment.service.flush(timeout: .seconds(3_600)) }
        await environment.waitUntilIdle()
        #expect(environment.storage.count(of: .lock) < 20)
        deliveryLock?.release()
        environment.storage.clearFaults()
        await environment.pass(.seconds(3_600)) { environment.collector.rows == 5 }
        #expect(await flush.value.isComplete)
        await environment.end()
    }

    @Test
    func `even during active delivery, a flush is incomplete while nothing can be counted`() async throws {
        let environment = try DeliveryEnvironment()
        environment.begin()
        environment.record(5)
        #expect(await environment.flush(timeout: .seconds(3_600)).isComplete)
        environment.record(3)
        for operation in [StorageOperation.names, .contents, .lock, .size, .read] {
            environment.storage.fail(operation, with: Self.exhausted)
        }
        let report = await environment.flush(timeout: .seconds(2))
        #expect(!report.isComplete)
        #expect(!report.uncounted.isEmpty)
        environment.storage.clearFaults()
        #expect(await environment.flush(timeout: .seconds(3_600)).isComplete)
        #expect(environment.collector.rows == 8)
        #expect(environment.collector.duplicates == 0)
        await environment.end()
    }

    @Test
    func `an unreadable writer makes flush incomplete, does not delay others, and is reported once until it recovers`()
        async throws
    {
        let storage = MemoryStorage()
        let foreign = try DeliveryEnvironment(storage: storage)
        let name = "\(foreign.journal.writer)"
        foreign.leave(4)
        let clock = ManualClock()
        clock.advance(by: .seconds(1))
        let environment = try DeliveryEnvironment(storage: storage, clock: clock, maintenanceInterval: .seconds(1))
        environment.storage.fail(.names, with: .denied, paths: name)
        environment.storage.fail(.lock, with: .denied, paths: name)
        environment.record(5)
        environment.begin()
        let report = await environment.flush(timeout: .seconds(60))
        #expect(environment.collector.rows == 5)
        #expect(!report.isComplete)
        #expect(report.uncounted.count == 1)
        #expect(report.uncounted.first?.path.contains(name) == true)
        #expect(report.destinations["collector"]?.delivered == 5)
        await environment.pass(.seconds(30))
        #expect(environment.skippedWriters.count == 1)
        #expect(environment.skippedWriters.first?.contains(name) == true)

        environment.storage.clearFaults()
        await environment.pass(.seconds(36_000)) { environment.collector.rows == 9 }
        #expect(environment.collector.rows == 9)
        #expect(await environment.flush(timeout: .seconds(3_600)).isComplete)

        environment.storage.fail(.names, with: .denied, paths: name)
        #expect(environment.skippedWriters.count == 1)
        await environment.end()
    }

    @Test
    func `an installation that cannot be opened for delivery is reported once, and its events are sent once it can be`()
        async throws
    {
        let environment = try DeliveryEnvironment()
        environment.record(2)
        environment.storage.fail(.contents, with: .denied, paths: "/settled")
        environment.begin()
        await environment.pass(.seconds(20))
        let reported = environment.notices.withLock {
            $0.filter { if case .journalFailed = $0 { true } else { false } }
        }
        #expect(reported.count == 1)
        #expect(reported.first?.description.contains("/app/settled") == true)
        environment.storage.clearFaults()
        await environment.pass(.seconds(36_000)) { environment.collector.rows == 2 }
        #expect(environment.collector.rows == 2)
        await environment.end()
    }

    @Test
    func `a journal failure during delivery is reported once until the journal recovers`() async throws {
        let environment = try DeliveryEnvironment()
        environment.begin()
        environment.record(1)
        #expect(await environment.flush(timeout: .seconds(3_600)).isComplete)
        for round in 1...2 {
            environment.storage.fail(.read, with: .inputOutput)
            environment.storage.fail(.size, with: .inputOutput)
            environment.record(3)
            await environment.pass(.seconds(300))
            #expect(environment.failures == round)
            environment.storage.clearFaults()
            await environment.pass(.seconds(36_000)) { environment.collector.rows == 1 + 3 * round }
            #expect(environment.collector.rows == 1 + 3 * round)
        }
        await environment.end()
    }
}

extension DeliveryEnvironment {
    /// The reported messages about skipped writers.
    fileprivate var skippedWriters: [String] {
        notices.withLock { $0.compactMap { if case .writerSkipped(let message) = $0 { message } else { nil } } }
    }

    /// The number of reported journal failures of destinations.
    fileprivate var failures: Int {
        notices.withLock {
            $0.filter { if case .destination(_, .journalFailed) = $0 { true } else { false } }.count
        }
    }
}
