// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Foundation
import Testing
import Trackway
import TrackwayCore
import TrackwayTesting

@Suite("Stack depth of app closures")
struct ClosureDepthTests {
    @Test
    func `the 1000th call of the dynamic attributes provider has the same stack depth as the second`() throws {
        let depths = Locked<[Int]>([])
        let memory = try InMemoryAnalytics()
        memory.analytics.setGlobalAttributesProvider {
            depths.withLock { $0.append(Thread.callStackReturnAddresses.count) }
            return ["theme": "dark"]
        }
        for _ in 0..<1_000 { memory.analytics.record("tick") }
        let seen = depths.withLock { $0 }
        #expect(seen.count == 1_000)
        #expect(Set(seen.dropFirst()).count == 1)
    }

    @Test
    func `the 500th call of the diagnostics handler has the same stack depth as the second`() throws {
        let depths = Locked<[Int]>([])
        var configuration = InMemoryAnalytics.usualConfiguration
        configuration.onDiagnostic = { _ in
            depths.withLock { $0.append(Thread.callStackReturnAddresses.count) }
        }
        let memory = try InMemoryAnalytics(configuration)
        for _ in 0..<500 { memory.analytics.record("") }
        let seen = depths.withLock { $0 }
        #expect(seen.count == 500)
        #expect(Set(seen.dropFirst()).count == 1)
    }
}
