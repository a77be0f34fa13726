// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ClusterTesting
internal import CollectorCore
internal import CollectorSQLite
internal import CollectorTesting
internal import Foundation
internal import Testing
internal import TrackwayCore
internal import TrackwayJournal
internal import TrackwayTesting

@testable internal import CollectorClickHouse

/// Compares devices, names and plan results of ClickHouse with an SQLite index of the same stream.
@Suite(
    "Devices, names and the plan in ClickHouse and in an index",
    .enabled(if: NATSServerBinary.isEnabled, "Set TRACKWAY_ENGINE_TESTS=1 to run these tests separately from others."),
    .enabled(
        if: ClickHouseServer.path != nil,
        "clickhouse-server is not installed; `Scripts/bootstrap cluster` installs the Debian package."
    ),
    .serialized,
    .timeLimit(.minutes(3))
)
struct EngineDeviceTests {
    private static func run(seed: UInt64, _ body: @Sendable (ComparedStores) async throws -> Void) async throws {
        try await ComparedStores.run(blockEvents: 90, fill: { DeviceStream.fill($0, seed: seed) }, body)
    }

    @Test
    func `the index and ClickHouse return equal answers, even with duplicate rows and an incomplete block`()
        async throws
    {
        try await Self.run(seed: 1) { stores in
            try await Self.expectEqual(stores)
            try await Self.addDuplicateRows(stores)
            try await Self.expectEqual(stores)
        }
    }

    /// Writes duplicate rows and rows of an incomplete block.
    private static func addDuplicateRows(_ stores: ComparedStores) async throws {
        for table in [ColumnTable.events, .contexts, .devices, .descriptions, .snapshots, .names] {
            let names = table.columns.map(\.name)
            let list = names.joined(separator: ", ")
            let shifted = names.map { ["position", "block"].contains($0) ? "\($0) + 100000" : $0 }.joined(
                separator: ", "
            )
            for columns in [list, shifted] {
                _ = try await stores.server.query(
                    "INSERT INTO \(table.rawValue) (\(list)) SELECT \(columns) FROM \(table.rawValue) WHERE block < 6"
                )
            }
        }
        // Write a block's counts from before an erasure, as a suspended forwarder would.
        let names = ColumnTable.names.columns.map(\.name).joined(separator: ", ")
        let recounted = try await stores.server.query("SELECT count() FROM names WHERE version > 0")
        #expect(recounted != "0\n")
        _ = try await stores.server.query(
            "INSERT INTO names (\(names)) SELECT name, quarter, block, events + 5, first - 1, last + 1, place, 0 FROM names "
                + "WHERE version > 0"
        )
    }

    private static func expectEqual(_ stores: ComparedStores) async throws {
        try await expectEqualDevices(stores)
        try await expectEqualCatalogs(stores)
        try await expectEqualDescriptions(stores)
    }

    private static func expectEqualDevices(_ stores: ComparedStores) async throws {
        let all = try await stores.index.devices(matching: DeviceQuery(limit: 200))
        #expect(all.count == Int(DeviceStream.erased) - 1)
        #expect(all.contains { $0.propertyChanges > 9 } && all.contains { $0.states > 9 && $0.user != nil })
        #expect(try await stores.columns.devices(matching: DeviceQuery(limit: 200)) == all)
        #expect(try await stores.columns.devices(matching: DeviceQuery(limit: 0)).isEmpty)
        for limit in [1, 4] {
            var after: DeviceCursor?
            var seen: [StoredDevice] = []
            while true {
                let page = try await stores.columns.devices(matching: DeviceQuery(after: after, limit: limit))
                seen += page
                guard let last = page.last else { break }
                after = DeviceCursor(last.place.description)
            }
            #expect(seen == all)
        }
        for number in DeviceStream.installations {
            let installation = SentBatch.installation(number)
            for limit in [0, 3, 200] {
                let expected = try await stores.index.device(installation, limit: limit)
                #expect(try await stores.columns.device(installation, limit: limit) == expected, "\(number), \(limit)")
                #expect((expected == nil) == (number == DeviceStream.erased))
            }
        }
        #expect(try await stores.columns.device(SentBatch.installation(99), limit: 1) == nil)
        // Only the latest snapshots are compared if there are too many.
        let history = try #require(try await stores.columns.device(SentBatch.installation(1), limit: 200))
        let short = try #require(
            try await stores.columns.device(SentBatch.installation(1), limit: 200, comparing: 4)
        )
        #expect(short.properties == history.properties && short.steps == Array(history.steps.prefix(short.steps.count)))
        #expect(short.device.propertyChanges < history.device.propertyChanges)
    }

    /// A time zone whose midnight is not on a quarter hour.
    private static let oddZone = ZoneOffsets(name: "Test/Odd", first: -(4 * 3_600 + 56 * 60 + 2), changes: [])

    private static func expectEqualCatalogs(_ stores: ComparedStores) async throws {
        let end = DeviceStream.start + 60 * 21_600_000
        var counted: Int64 = 0
        for zone in [.utc, RandomQueries.zone, oddZone] {
            for now in [DeviceStream.start + 1_234_567, DeviceStream.start + 9 * 86_400_000, end] {
                let days = try #require(CatalogDays(around: Timestamp(milliseconds: now), in: zone))
                let query = CatalogQuery(limit: 200, days: days)
                let expected = try await stores.index.catalog(matching: query)
                #expect(try await stores.columns.catalog(matching: query) == expected)
                counted += expected.entries.reduce(0) { $0 + $1.today }
                #expect(expected.names >= 10)
            }
        }
        #expect(counted > 50)
        let days = try #require(CatalogDays(around: Timestamp(milliseconds: end), in: .utc))
        for order in CatalogQuery.Order.allCases {
            var query = CatalogQuery(order: order, limit: 4, days: days)
            while true {
                let page = try await stores.index.catalog(matching: query)
                #expect(try await stores.columns.catalog(matching: query) == page, "\(query)")
                guard page.entries.count == query.limit, let last = page.entries.last else { break }
                query.after = last.place(in: order)
            }
        }
        for (search, prefix) in [
            ("BU", nil), ("it's %", nil), ("名", nil), ("", nil), ("\\", nil), ("U", "b"), (nil, "Bu"), (nil, ""),
        ] {
            var query = CatalogQuery(limit: 50, days: days)
            (query.search, query.prefix) = (search, prefix)
            let answers = (
                try await stores.columns.catalog(matching: query), try await stores.index.catalog(matching: query)
            )
            #expect(answers.0 == answers.1, "\(query)")
        }
    }

    private static func expectEqualDescriptions(_ stores: ComparedStores) async throws {
        let days = try #require(CatalogDays(around: Timestamp(milliseconds: DeviceStream.start), in: .utc))
        for name in DeviceStream.names + ["_device_properties", "_app_state", "_installation_erased", "nothing", ""] {
            let expected = try await stores.index.description(of: name, days: days)
            #expect(try await stores.columns.description(of: name, days: days) == expected, "\(name)")
        }
        // The numbers of events, attributes and values are limited.
        var limits = EventDescription.Limits()
        limits.events = 25
        limits.attributes = 3
        limits.values = 2
        limits.shown = 2
        let index = try SQLiteEventStore(
            path: stores.index.path,
            descriptionLimits: limits
        )
        defer { #expect(throws: Never.self) { try index.close() } }
        for name in ["buy", "view", "_app_state"] {
            let expected = try #require(try await index.description(of: name, days: days))
            #expect(expected.read == 25)
            #expect(try await stores.columns.description(of: name, days: days, limits: limits) == expected, "\(name)")
        }
    }

    // MARK: Plan

    @Test
    func `the index and ClickHouse count the same plan violations`() async throws {
        let checker = PlanChecker(try #require(PlanParseResult(Array(DeviceStream.plan.utf8)).plan))
        try await Self.run(seed: 3) { stores in
            let columns = ClickHouseEventStore(stores.client, origin: { "INTAKE_0 of today" }, plan: checker)
            #expect(try await stores.columns.planCounts(since: nil) == PlanCounts())
            #expect(try await stores.columns.violations(matching: ViolationQuery()) == Violations())
            try await Self.withIndex(checker, seed: 3) { index in
                let all = try await index.violations(matching: ViolationQuery())
                #expect(all.groups.count > 20 && (all.era?.unplanned ?? 0) > 100)
                let day = DeviceStream.start / 86_400_000
                for since in [nil, day + 10, day + 90] {
                    let expected = try await index.planCounts(since: since)
                    #expect(try await columns.planCounts(since: since) == expected)
                    for query in [
                        ViolationQuery(since: since), ViolationQuery(name: "buy", since: since, limit: 3),
                        ViolationQuery(code: .type, since: since),
                        ViolationQuery(name: "it's %_", code: .unplanned, limit: 0),
                    ] {
                        let expected = try await index.violations(matching: query)
                        #expect(try await columns.violations(matching: query) == expected, "\(query)")
                    }
                }
            }
            // Only the latest events are inspected, and the result states the time of the earliest of them.
            let partial = try #require(try await columns.inspection(200)).counts(since: nil)
            let complete = try #require(try await columns.inspection(.max)).counts(since: nil)
            let (late, early) = (try #require(partial.era?.since), try #require(complete.era?.since))
            #expect(late > early && partial.era?.until == complete.era?.until)
            #expect((partial.era?.events ?? 0) < (complete.era?.events ?? 0))
        }
    }

    /// Runs `body` with an index of the same stream that checks events against a plan.
    private static func withIndex(
        _ checker: PlanChecker,
        seed: UInt64,
        _ body: (SQLiteEventStore) async throws -> Void
    ) async throws {
        let stream = InMemoryStream()
        DeviceStream.fill(stream, seed: seed)
        let folder = FileManager.default.temporaryDirectory.path + "/trackway-plan-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let index = try SQLiteEventStore(path: folder + "/index.sqlite", timeout: .zero)
        defer { try? index.close() }
        let indexer = Indexer(stream: stream, store: index, plan: checker)
        indexer.markDurable(upTo: LogPosition(stream: 0, sequence: stream.highest + 1))
        try await indexer.catchUp()
        try await body(index)
    }

    // MARK: Names

    private static func fillWithNames(_ stream: InMemoryStream) {
        for batch in UInt64(0)..<12 {
            let lines = (batch * 900..<batch * 900 + 900).map { number in
                #"{"id":"\#(SentBatch.id(number))","name":"n\#(number)","time":\#(DeviceStream.start + Int64(number)),"attributes":{}}"#
            }
            let header = #"{"received":\#(DeviceStream.start),"key":"dev","encoding":"identity","rejected":[]}"#
            stream.append(Array((header + "\n" + lines.joined(separator: "\n")).utf8))
        }
    }

    @Test
    func `if there are too many names, only the first ones are counted separately`() async throws {
        try await ComparedStores.run(blockEvents: 900, fill: Self.fillWithNames) { stores in
            let days = try #require(CatalogDays(around: Timestamp(milliseconds: DeviceStream.start), in: .utc))
            for order in CatalogQuery.Order.allCases {
                let query = CatalogQuery(order: order, limit: 20, days: days)
                let expected = try await stores.index.catalog(matching: query)
                #expect(expected.names == EventCatalog.maxNames && expected.others == 800)
                #expect(try await stores.columns.catalog(matching: query) == expected)
            }
            for name in ["n9999", "n10000"] {
                let expected = try #require(try await stores.index.description(of: name, days: days))
                #expect((expected.entry == nil) == (name == "n10000"))
                #expect(try await stores.columns.description(of: name, days: days) == expected)
            }
        }
    }
}
