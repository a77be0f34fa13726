// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import TrackwayCore
import TrackwayTesting

@testable import TrackwayDelivery

@Suite("Concurrent flushes")
struct FlushRaceTests {
    @Test(arguments: 0..<8)
    func `a flush that ends does not cancel what another has requested`(seed: Int) async throws {
        let environment = try DeliveryEnvironment(seed: UInt64(seed))
        environment.begin()
        environment.record(1)
        #expect(await environment.service.flush(timeout: .seconds(60)).isComplete)
        for round in 0..<100 {
            environment.record(1)
            let complete = await withTaskGroup(of: Bool?.self) { group in
                // The flushes with a zero timeout give up immediately.
                for _ in 0..<6 {
                    group.addTask {
                        _ = await environment.service.flush(timeout: .zero)
                        return nil
                    }
                }
                for _ in 0..<2 {
                    group.addTask { await environment.service.flush(timeout: .seconds(60)).isComplete }
                }
                var all = true
                for await isComplete in group { all = all && isComplete ?? true }
                return all
            }
            #expect(complete, "round \(round)")
        }
        #expect(environment.collector.rows == 101)
        await environment.end()
    }
}
