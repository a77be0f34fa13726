// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import Trackway
import TrackwayCore
import TrackwayTesting

@Suite("Storage failures")
struct StorageFailureTests {
    @Test
    func `on a full disk, events are held, then dropped and counted, and no stored event is affected`() async throws {
        let memory = try InMemoryAnalytics(segmentBytes: 8_192)
        memory.analytics.record("stored")
        memory.storage.fail(.makeSegment, with: .noSpace)
        let text = String(repeating: "x", count: 1_000)
        let receipts = (0..<1_500).map { memory.analytics.record("later", ["n": $0, "text": text]) }
        #expect(receipts.contains { $0.durability == .memory })
        #expect(receipts.last?.isRecorded == false)
        #expect(receipts.last?.dropped == .storageFull)
        #expect(memory.events(named: "stored").count == 1)
        let codes = Set(memory.diagnostics.map(\.code))
        #expect(codes.isSuperset(of: [.storageFailing, .notKept]))
        let ledger = memory.analytics.ledger()
        #expect(ledger.isBalanced)
        // With space again, held events are written in order, and recording continues.
        memory.storage.clearFaults()
        // Not every recorded event causes a retry.
        var refused = 0
        while !memory.analytics.record("after").isRecorded { refused += 1 }
        #expect(refused <= 16)
        _ = await memory.analytics.flush()
        let delivered = memory.transport.delivered.map(\.event)
        #expect(delivered.first?.name == "stored")
        #expect(delivered.last?.name == "after")
        let durableIDs = receipts.filter { $0.durability != .none }.map(\.id)
        #expect(delivered.dropFirst().dropLast().map(\.id) == durableIDs)
        let account = try #require(memory.analytics.ledger().destinations["collector"])
        #expect(account.isBalanced)
        #expect(account.delivered == UInt64(durableIDs.count + 2))
        #expect(account.dropped == [.storageFull: UInt64(1_500 - durableIDs.count + refused)])
    }

    @Test
    func `durable recording on a full disk throws, and the event is still held`() async throws {
        let memory = try InMemoryAnalytics()
        memory.storage.fail(.makeSegment, with: .noSpace)
        // The journal keeps a segment in reserve, which these events use up.
        let text = String(repeating: "x", count: 8_000)
        while memory.analytics.record("filler", ["text": .string(text)]).durability == .kernel {}
        let error = await #expect(throws: TrackwayError.self) {
            try await memory.analytics.recordDurably("purchase")
        }
        #expect(error?.code == .notDurable)
        memory.storage.clearFaults()
        _ = await memory.analytics.flush()
        #expect(memory.transport.delivered(named: "purchase").count == 1)
    }

    @Test(arguments: [StorageOperation.makeFolder, .create, .lock])
    func `an inaccessible folder is an error at startup`(operation: StorageOperation) {
        let disk = FaultyStorage()
        disk.fail(operation, with: .denied)
        let error = #expect(throws: TrackwayError.self) { try InMemoryAnalytics(storage: disk) }
        #expect(error?.code == .storageUnavailable)
        #expect(error?.cause != nil)
    }

    @Test
    func `a currently unreadable identity is an error, and is unchanged afterward`() throws {
        let memory = try InMemoryAnalytics()
        memory.analytics.identify("ann")
        let disk = memory.storageAfterKill()
        disk.fail(.contents, with: .denied)
        #expect(throws: TrackwayError.self) { try InMemoryAnalytics(storage: disk) }
        disk.clearFaults()
        let next = try InMemoryAnalytics(storage: disk)
        #expect(next.analytics.installationID == memory.analytics.installationID)
        next.analytics.record("seen")
        #expect(next.events(named: "seen").first?.user == "ann")
    }

    @Test
    func `currently unreadable settings are an error at startup, so consent is never guessed`() throws {
        let memory = try InMemoryAnalytics()
        memory.analytics.setConsent(.denied)
        let disk = memory.storageAfterKill()
        disk.fail(.contents, with: .denied, paths: "/settings")
        let error = #expect(throws: TrackwayError.self) { try InMemoryAnalytics(storage: disk) }
        #expect(error?.code == .storageUnavailable)
        disk.clearFaults()
        #expect(try InMemoryAnalytics(storage: disk).analytics.consent == .denied)
    }

    @Test
    func `if the ledger is unreadable, the last counts are returned and the failure is reported`() async throws {
        let memory = try InMemoryAnalytics()
        memory.analytics.record("one")
        _ = await memory.analytics.flush()
        await memory.analytics.shutdown(timeout: .zero)
        let before = memory.analytics.ledger()
        #expect(before.recorded == 1)
        memory.storage.fail(.names, with: .inputOutput)
        memory.storage.fail(.contents, with: .inputOutput)
        let ledger = memory.analytics.ledger()
        #expect(ledger.recorded == before.recorded && ledger.destinations == before.destinations)
        #expect(ledger.uncounted.count == 1)
        #expect(memory.diagnostics.map(\.code).contains(.storageFailing))
    }
}
