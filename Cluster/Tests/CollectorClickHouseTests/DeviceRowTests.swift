// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
internal import CollectorTesting
internal import Testing
internal import TrackwayEvents

@testable internal import CollectorClickHouse

@Suite("Rows of devices, names and contexts")
struct DeviceRowTests {
    /// The rows of a stream in which nobody is erased, or in which somebody is.
    private static func rows(batches: Int) async -> TableMemory {
        let stream = StreamMemory()
        DeviceStream.fill(stream, seed: 11, batches: batches)
        let store = TableMemory()
        var cutting = BlockCutter.Limits()
        cutting.events = 90
        let forwarding = StreamForwarding(
            stream.source,
            store: store,
            cutting: cutting,
            clock: SystemClock(),
            sleep: { _ in }
        )
        #expect(await forwarding.run(untilCaughtUp: true) == nil)
        return store
    }

    @Test("each event is counted once for its device and once for its name, and snapshots have rows of their own")
    func sums() async throws {
        let store = await Self.rows(batches: 40)
        let events = store.rows(.events)
        #expect(events.count > 500)
        var ofDevices: [InstallationID: Int] = [:]
        var snapshots = 0
        for event in events {
            let installation = try #require(TableMemory.installation(event))
            guard installation != InstallationID(high: 0, low: 0) else { continue }
            ofDevices[installation, default: 0] += 1
            if ["_device_properties", "_app_state"].contains(TableMemory.text(event, "name")) { snapshots += 1 }
        }
        var counted: [InstallationID: Int] = [:]
        for row in store.rows(.devices) {
            counted[try #require(TableMemory.installation(row)), default: 0] += TableMemory.count(row, "events")
        }
        #expect(counted == ofDevices && store.rows(.snapshots).count == snapshots && snapshots > 100)
        // The counts of names forget nobody by themselves: whoever removes rows has them counted anew.
        let names = store.rows(.names).reduce(0) { $0 + TableMemory.count($1, "events") }
        #expect(names > events.count)
        #expect(store.rows(.names).allSatisfy { TableMemory.count($0, "version") == 0 })
        let erased = SentBatch.installation(DeviceStream.erased)
        for table in ColumnTable.ofInstallations {
            #expect(!store.rows(table).contains { TableMemory.installation($0) == erased })
        }
    }

    private static let moments: [(Int64, Int64)] = [
        (0, 0), (899_999, 0), (900_000, 1), (-1, -1), (-900_000, -1), (-900_001, -2), (.max, 10_248_191_152_060),
        (.min, -10_248_191_152_061),
    ]

    @Test("of a time before 1970 the quarter of an hour is the one that began before it", arguments: Self.moments)
    func quarters(time: Int64, quarter: Int64) {
        #expect(QuarterSQL.quarter(of: time) == quarter)
    }

    @Test("the place of a device is read as it is written, and nothing else is")
    func places() throws {
        let place = DevicePlace(time: Timestamp(milliseconds: -5), installation: SentBatch.installation(3))
        #expect(DevicePlace(place.description) == place)
        for text in ["", "5", "5.3", "x.\(place.installation)", "5.\(place.installation).1", ".\(place.installation)"] {
            #expect(DevicePlace(text) == nil)
        }
    }
}
