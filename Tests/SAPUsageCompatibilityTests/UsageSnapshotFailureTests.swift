// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
internal import Testing
internal import Trackway
internal import TrackwayCore
internal import TrackwayJournal
internal import TrackwayTesting

@testable internal import SAPUsageCompatibility

@Suite("Snapshots with failed reads")
struct UsageSnapshotFailureTests {
    private let app = UsageApp()

    private func store(_ count: Int, _ app: UsageApp) throws -> UsageStore {
        let store = try app.store()
        for number in 0..<count {
            store.store(record: UsageRecord(.event("\(number)"), date: Date(timeIntervalSince1970: 1)), for: "t")
        }
        return store
    }

    @Test(
        arguments: [StorageOperation.read, .names, .contents, .size],
        [0, 1, 2, 3, 5, 8, 13, 21]
    )
    func `the document's four steps lose no record, whichever read fails`(_ operation: StorageOperation, _ after: Int)
        throws
    {
        let count = TestScale.count(900, full: 3_000)
        let store = try store(count, app)
        var uploaded: [String] = []
        for attempt in 0..<2 {
            let snapshot = try #require(store.snapshot(for: "t") as? UsageSnapshot)
            if attempt == 0 { app.memory.storage.fail(operation, with: .inputOutput, after: after, times: 3) }
            snapshot.records { record in
                uploaded.append(record.event.description)
                return true
            }
            app.memory.storage.clearFaults()
            let isWhole = snapshot.failure == nil
            snapshot.removeRecords()
            #expect(isWhole == (snapshot.failure == nil))
            #expect(store.snapshot(for: "t").recordCount() == count - uploaded.count)
        }
        #expect(uploaded == (0..<count).map { "\($0)" })
        #expect(store.snapshot(for: "t").recordCount() == 0)
    }

    @Test
    func `withheld records, date limits and a body that stops early cause no losses`() throws {
        let store = try store(1_500, app)
        let lateDate = Date(timeIntervalSince1970: 1_000)
        store.store(record: UsageRecord(.event("late"), date: lateDate), for: "t")
        for number in 1_500..<3_000 {
            store.store(record: UsageRecord(.event("\(number)"), date: Date(timeIntervalSince1970: 1)), for: "t")
        }
        let snapshot = try #require(store.snapshot(for: "t", till: Date(timeIntervalSince1970: 1)) as? UsageSnapshot)
        var seen: [String] = []
        app.memory.storage.fail(.read, with: .inputOutput, after: 2)
        snapshot.records { record in
            seen.append(record.event.description)
            return true
        }
        app.memory.storage.clearFaults()
        snapshot.removeRecords()
        #expect(snapshot.failure != nil)
        #expect(seen.count < 3_000)
        var expected: [String] = (seen.count..<3_000).map { "\($0)" }
        expected.insert("late", at: 1_500 - seen.count)
        #expect(app.events(store, "t") == expected)
        // A body that stops early has read what it needs, so all records of the snapshot are removed.
        let remaining = store.snapshot(for: "t")
        remaining.records { _ in false }
        remaining.removeRecords()
        #expect(store.snapshot(for: "t").recordCount() == 0)
    }

    @Test
    func `a snapshot that cannot be created is empty, reports the reason and removes nothing`() throws {
        let store = try store(10, app)
        app.memory.storage.fail(.names, with: .inputOutput)
        let snapshot = try #require(store.snapshot(for: "t") as? UsageSnapshot)
        app.memory.storage.clearFaults()
        #expect(snapshot.failure != nil)
        #expect(snapshot.all.isEmpty)
        snapshot.removeRecords()
        #expect(store.snapshot(for: "t").recordCount() == 10)
    }

    @Test
    func `records removed through another snapshot do not count as read`() throws {
        let store = try store(100, app)
        let first = try #require(store.snapshot(for: "t") as? UsageSnapshot)
        let second = store.snapshot(for: "t")
        store.store(record: UsageRecord(.event("more")), for: "t")
        second.removeRecords()
        #expect(first.all.isEmpty)
        first.removeRecords()
        #expect(first.failure == nil)
        #expect(app.events(store, "t") == ["more"])
    }
}
