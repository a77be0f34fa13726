// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import Trackway
import TrackwayTesting

@Suite("Recording, end to end in memory")
struct AnalyticsSmokeTests {
    @Test("what is recorded is stored, delivered and counted")
    func journey() async throws {
        let memory = try InMemoryAnalytics()
        let receipt = memory.analytics.record("buy", ["total": 12.5])
        #expect(receipt.durability == .kernel)
        #expect(receipt.sequence == 1)
        let stored = memory.events(named: "buy")
        #expect(stored.map(\.id) == [receipt.id])
        let report = await memory.analytics.flush()
        #expect(report.isComplete)
        #expect(memory.transport.delivered(named: "buy").map(\.id) == [receipt.id])
        let ledger = memory.analytics.ledger()
        #expect(ledger.recorded == 1)
        #expect(ledger.destinations["collector"]?.delivered == 1)
        #expect(ledger.isBalanced)
    }
}
