// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Foundation
import SwiftUI
import Testing
import Trackway
import TrackwayCore
import TrackwaySwiftUI

/// Views in Xcode previews.
@MainActor
@Suite(.serialized)
struct PreviewTests {
    @Test func aPreviewOfTrackedViewsRecordsNothing() async throws {
        setenv("XCODE_RUNNING_FOR_PREVIEWS", "1", 1)
        defer { unsetenv("XCODE_RUNNING_FOR_PREVIEWS") }
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("previews-\(UUID())/app")
        let diagnostics = Locked<[Diagnostic]>([])
        var configuration = Configuration(
            appID: "shop",
            destinations: [.collector(try #require(URL(string: "http://127.0.0.1:9")), writeKey: "dev")],
            consent: .granted
        )
        configuration.storage.folder = folder
        configuration.onDiagnostic = { diagnostic in diagnostics.withLock { $0.append(diagnostic) } }
        let analytics = try Analytics(configuration)
        let screen = SimulatedScreen(Text("offer").trackTap("offer").trackScreen("Offer").analytics(analytics))
        screen.appear()
        #expect(screen.tap("offer"))
        _ = await analytics.flush(timeout: .seconds(1))
        screen.disappear()
        await analytics.shutdown(timeout: .zero)
        #expect(!FileManager.default.fileExists(atPath: folder.deletingLastPathComponent().path))
        #expect(diagnostics.withLock { $0 }.map(\.code) == [.previewed])
    }
}
