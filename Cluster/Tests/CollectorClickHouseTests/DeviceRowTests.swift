// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
internal import CollectorTesting
internal import Testing
internal import TrackwayEvents

@testable internal import CollectorClickHouse

@Suite("Rows of devices, names and contexts")
struct DeviceRowTests {
    /// Returns the rows of a stream with this number of batches.
    private static func rows(batches: Int) async -> InMemoryTables {
        let stream = StreamMemory()
        DeviceStream.fill(stream, seed: 11, batches: batches)
        let store = InMemoryTables()
        var cutting = BlockCutter.Limits()
        cutting.events = 90
        let forwarding = ForwardingRunner(
            stream.source,
            store: store,
            cutting: cutting,
            clock: SystemClock(),
            sleep: { _ in }
        )
        #expect(await forwarding.run(untilCaughtUp: true) == nil)
        return store
    }

    @Test("each event counts once for its device and once for its name, and snapshots have separate rows")
    func sums() async throws {
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
        for table in ColumnTable.ofInstallations {
            #expect(!store.rows(table).contains { InMemoryTables.installation($0) == erased })
        }
    }

    private static let moments: [(Int64, Int64)] = [
        (0, 0), (899_999, 0), (900_000, 1), (-1, -1), (-900_000, -1), (-900_001, -2), (.max, 10_248_191_152_060),
        (.min, -10_248_191_152_061),
    ]

    @Test("before 1970, a time belongs to the quarter hour that started before it", arguments: Self.moments)
    func quarters(time: Int64, quarter: Int64) {
        #expect(QuarterSQL.quarter(of: time) == quarter)
    }

    @Test("a device's position is parsed as it is written, and other texts are rejected")
    func places() throws {
        let place = DeviceCursor(time: Timestamp(milliseconds: -5), installation: SentBatch.installation(3))
        #expect(DeviceCursor(place.description) == place)
        for text in ["", "5", "5.3", "x.\(place.installation)", "5.\(place.installation).1", ".\(place.installation)"] {
            #expect(DeviceCursor(text) == nil)
        }
    }
}
