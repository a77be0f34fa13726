// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Consumer
import Foundation
import Testing
import Trackway

@Suite("What depends on the package")
struct ConsumerTests {
    @Test("records durably, and the next process finds it")
    func recorded() async throws {
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

    @Test("calls every compatibility module")
    @MainActor
    func calls() {
        #expect(Consumer.calls().allSatisfy { !$0.isEmpty })
    }
}
