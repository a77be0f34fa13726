// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Foundation
import Testing
import Trackway
import TrackwayCore
import TrackwayTesting

@Suite("Xcode previews")
struct PreviewTests {
    private let folder = FileManager.default.temporaryDirectory.appendingPathComponent("preview-\(UUID())/app")
    private let transport = ScriptedTransport()
    private let diagnostics = Locked<[Diagnostic]>([])

    private var configuration: Configuration {
        var configuration = InMemoryAnalytics.usualConfiguration
        configuration.capture = [.launches, .sessions, .screens, .engagement, .crashes]
        configuration.storage.folder = folder
        configuration.delivery.transport = transport
        configuration.snapshots = SnapshotOptions()
        configuration.onDiagnostic = { [diagnostics] diagnostic in diagnostics.withLock { $0.append(diagnostic) } }
        return configuration
    }

    @Test
    func `a preview process accepts every call, writes and sends nothing, and reports this once`() async throws {
        let dependencies = try Dependencies.live(configuration) { $0 == "XCODE_RUNNING_FOR_PREVIEWS" ? "1" : nil }
        let analytics = try Analytics(configuration, in: dependencies)
        analytics.identify("carl")
        analytics.setUserAttributes(["plan": "gold"])
        analytics.setGlobalAttributes(["shop": "1"])
        analytics.screen("Home")
        for number in 0..<100 { analytics.record("tap", ["number": .integer(Int64(number))]) }
        analytics.setConsent(.granted)
        analytics.isEnabled = false
        analytics.isEnabled = true
        #expect(analytics.ledger().recorded == 0)
        let report = await analytics.flush(timeout: .seconds(1))
        #expect(report.destinations.values.allSatisfy { $0.delivered == 0 })
        await analytics.shutdown(timeout: .zero)
        #expect(analytics.userID == "carl")
        #expect(!FileManager.default.fileExists(atPath: folder.deletingLastPathComponent().path))
        #expect(transport.requests.isEmpty)
        #expect(diagnostics.withLock { $0 }.map(\.code) == [.previewed])
    }

    @Test(arguments: [[:], ["XCODE_RUNNING_FOR_PREVIEWS": "0"], ["XCODE_RUNNING_FOR_PREVIEWS": ""]])
    func `a preview process is recognized only by its environment variable`(environment: [String: String]) {
        #expect(!Dependencies.isPreview { environment[$0] })
    }
}
