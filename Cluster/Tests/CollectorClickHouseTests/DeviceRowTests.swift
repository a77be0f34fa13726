// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import CollectorTesting
internal import Testing
internal import TrackwayCore

@testable internal import CollectorClickHouse

@Suite("Rows of devices, names and contexts")
struct DeviceRowTests {
    /// Returns the rows of a stream with this number of batches.
    private static func rows(batches: Int) async -> InMemoryTables {
        let stream = InMemoryStream()
        DeviceStream.fill(stream, seed: 11, batches: batches)
        let store = InMemoryTables()
        var limits = BlockCutter.Limits()
        limits.events = 90
        let forwarding = ForwardingRunner(
            stream.source,
            store: store,
            blockLimits: limits,
            clock: SystemClock(),
            sleep: { _ in }
        )
        #expect(await forwarding.run(untilCaughtUp: true) == nil)
        return store
    }

    @Test
    func `each event counts once for its device and once for its name, and snapshots have separate rows`() async throws
    {
        let store = await Self.rows(batches: 40)
        let events = store.rows(.events)
        #expect(events.count > 500)
        var ofDevices: [InstallationID: Int] = [:]
        var snapshots = 0
        for event in events {
            let installation = try #require(InMemoryTables.installation(event))
            guard installation != InstallationID(high: 0, low: 0) else { continue }
            ofDevices[installation, default: 0] += 1
            if ["_device_properties", "_app_state"].contains(InMemoryTables.text(event, "name")) { snapshots += 1 }
        }
        var counted: [InstallationID: Int] = [:]
        for row in store.rows(.devices) {
            counted[try #require(InMemoryTables.installation(row)), default: 0] += InMemoryTables.count(row, "events")
        }
        #expect(counted == ofDevices && store.rows(.snapshots).count == snapshots && snapshots > 100)
        // Counts of names are not reduced automatically: code that deletes rows has them counted again.
        let names = store.rows(.names).reduce(0) { $0 + InMemoryTables.count($1, "events") }
        #expect(names > events.count)
        #expect(store.rows(.names).allSatisfy { InMemoryTables.count($0, "version") == 0 })
        let erased = SentBatch.installation(DeviceStream.erased)
        for table in ColumnTable.installationTables {
            #expect(!store.rows(table).contains { InMemoryTables.installation($0) == erased })
        }
    }

    private static let quarterCases: [(Int64, Int64)] = [
        (0, 0), (899_999, 0), (900_000, 1), (-1, -1), (-900_000, -1), (-900_001, -2), (.max, 10_248_191_152_060),
        (.min, -10_248_191_152_061),
    ]

    @Test(arguments: Self.quarterCases)
    func `before 1970, a time belongs to the quarter hour that started before it`(time: Int64, quarter: Int64) {
        #expect(QuarterSQL.quarter(of: time) == quarter)
    }

    @Test
    func `a device's position is parsed in its written format, and other texts are rejected`() throws {
        let position = DeviceCursor(time: Timestamp(milliseconds: -5), installation: SentBatch.installation(3))
        #expect(DeviceCursor(position.description) == position)
        for text in [
            "", "5", "5.3", "x.\(position.installation)", "5.\(position.installation).1", ".\(position.installation)",
        ] {
            #expect(DeviceCursor(text) == nil)
        }
    }
}
