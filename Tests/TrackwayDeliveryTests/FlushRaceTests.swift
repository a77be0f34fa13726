// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import TrackwayEvents
import TrackwayTesting

@testable import TrackwayDelivery

@Suite("Flushes beside each other")
struct FlushRaceTests {
    @Test("a flush that ends gives up nothing that another has asked for", arguments: 0..<8)
    func besideEachOther(seed: Int) async throws {
        let world = try DeliveryWorld(seed: UInt64(seed))
        world.begin()
        world.record(1)
        #expect(await world.service.flush(timeout: .seconds(60)).isComplete)
        for round in 0..<100 {
            world.record(1)
            let complete = await withTaskGroup(of: Bool?.self) { group in
                // Those that end at once are the ones that give up.
                for _ in 0..<6 {
                    group.addTask {
                        _ = await world.service.flush(timeout: .zero)
                        return nil
                    }
                }
                for _ in 0..<2 {
                    group.addTask { await world.service.flush(timeout: .seconds(60)).isComplete }
                }
                var all = true
                for await isComplete in group { all = all && isComplete ?? true }
                return all
            }
            #expect(complete, "round \(round)")
        }
        #expect(world.collector.rows == 101)
        await world.end()
    }
}
