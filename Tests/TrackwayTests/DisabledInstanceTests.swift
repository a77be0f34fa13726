// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Foundation
import Testing
import Trackway
import TrackwayCore
import TrackwayTesting

@Suite("The disabled instance")
struct DisabledInstanceTests {
    @Test
    func `the disabled instance accepts every call, records nothing, and cannot be enabled`() async throws {
        let analytics = Analytics.disabled
        #expect(analytics === Analytics.disabled)
        #expect(!analytics.isEnabled)
        let receipt = analytics.record("tap", ["number": 1])
        #expect(receipt.outcome == .dropped(.disabled) && !receipt.isRecorded)
        analytics.isEnabled = true
        analytics.setConsent(.granted)
        #expect(!analytics.isEnabled)
        analytics.identify("carl", traits: ["plan": "pro"])
        analytics.screen("Home")
        analytics.group("company", id: "acme")
        #expect(analytics.record("tap").outcome == .dropped(.disabled))
        #expect(analytics.ledger().recorded == 0)
        let report = await analytics.flush(timeout: .zero)
        #expect(report.destinations.values.allSatisfy { $0.delivered == 0 && $0.pending == 0 })
        await #expect(throws: TrackwayError.self) { try await analytics.recordDurably("purchase") }
    }

    @Test
    func `start returns a working instance for a valid configuration`() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("start-\(UUID())")
        defer { try? FileManager.default.removeItem(at: folder) }
        var configuration = InMemoryAnalytics.usualConfiguration
        configuration.storage.folder = folder
        configuration.delivery.transport = ScriptedTransport()
        configuration.lifecycle.isObserved = false
        let analytics = Analytics.start(configuration)
        #expect(analytics !== Analytics.disabled)
        #expect(analytics.record("tap").outcome == .recorded(.kernel))
    }

    @Test(arguments: [("", "invalid_app_id"), ("shopping", "no_destinations")])
    func `start reports an invalid configuration once and returns the disabled instance`(appID: String, code: String) {
        let diagnostics = Locked<[Diagnostic]>([])
        var configuration = Configuration(
            appID: appID,
            destinations: appID.isEmpty ? [.local("exports")] : [],
            consent: .granted
        )
        configuration.onDiagnostic = { diagnostic in diagnostics.withLock { $0.append(diagnostic) } }
        let analytics = Analytics.start(configuration)
        #expect(analytics === Analytics.disabled)
        #expect(diagnostics.withLock { $0.map(\.code) } == [.notStarted])
        #expect(diagnostics.withLock { $0.first?.value } == code)
    }
}
