// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Consumer
import Foundation
import Testing
import Trackway

@Suite("A package that depends on the SDK")
struct ConsumerTests {
    @Test
    func `recorded events survive a restart`() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: folder) }
        do {
            let consumer = try Consumer(in: folder)
            consumer.analytics.record("consumed")
            _ = try await consumer.analytics.recordDurably("consumed_durably", ["value": 1])
            #expect(consumer.analytics.ledger().recorded >= 2)
            await consumer.analytics.shutdown(timeout: .seconds(1))
        }
        let next = try Consumer(in: folder)
        #expect(next.analytics.ledger().recorded >= 2)
    }

    @Test
    @MainActor
    func `every compatibility module can be called`() {
        #expect(Consumer.calls().allSatisfy { !$0.isEmpty })
    }
}
