// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import Trackway
import TrackwayCore
import TrackwayLifecycle
import TrackwayTesting

/// An app that enables screen capture but does not report its screens.
@Suite("Unreported screens")
struct UnreportedScreenTests {
    private let environment = InMemoryEnvironment()

    private func analytics(
        _ capture: CaptureOptions = [.screens],
        showsScreens: Bool = true,
        state: AppState = .inactive
    ) throws -> Analytics {
        var configuration = InMemoryAnalytics.usualConfiguration
        configuration.capture = capture
        configuration.run(in: environment)
        var dependencies = try environment.dependencies(for: configuration)
        dependencies.showsScreens = showsScreens
        dependencies.launch = LaunchConclusion(.user, in: state)
        return try Analytics(configuration, in: dependencies)
    }

    /// The number of `screenCaptureMissing` diagnostics after some time.
    private func reports() async -> Int {
        for _ in 0..<200 {
            environment.clock.advance(by: .milliseconds(500))
            await Task.yield()
        }
        return environment.diagnostics.count { $0.code == .screenCaptureMissing }
    }

    @Test(arguments: [AppState.active, .inactive, .background])
    func `unreported screens cause one diagnostic after the app becomes active`(state: AppState) async throws {
        let analytics = try analytics(state: state)
        if state != .active { #expect(await reports() == 0) }
        for _ in 0..<3 {
            analytics.lifecycleChanged(to: .didBecomeActive)
            analytics.lifecycleChanged(to: .willResignActive)
        }
        #expect(await reports() == 1)
        let remedy = environment.diagnostics.first { $0.code == .screenCaptureMissing }?.recoverySuggestion
        for call in ["analytics.captureUIKit()", ".trackScreen", "analytics.screen"] {
            #expect(remedy?.contains(call) == true, "the diagnostic names \(call)")
        }
    }

    @Test
    func `no diagnostic appears without screen capture, without a user interface, or if screens are reported`()
        async throws
    {
        let quiet = [
            try analytics(CaptureOptions()), try analytics(.launches), try analytics(showsScreens: false),
        ]
        for analytics in quiet { analytics.lifecycleChanged(to: .didBecomeActive) }
        let named = try analytics()
        named.lifecycleChanged(to: .didBecomeActive)
        named.screen("Home")
        let detector = ScreenDetector()
        let found = try analytics()
        found.lifecycle.screenTracker.register(detector: detector)
        found.lifecycleChanged(to: .didBecomeActive)
        let tracked = try analytics()
        tracked.lifecycleChanged(to: .didBecomeActive)
        tracked.lifecycle.screenTracker.screenAppeared(1, ScreenView(screen: .init(name: "Home"), isManual: true))
        #expect(await reports() == 0)
        // A finder that is created but not retained finds nothing.
        let forgotten = try analytics()
        forgotten.lifecycle.screenTracker.register(detector: ScreenDetector())
        forgotten.lifecycleChanged(to: .didBecomeActive)
        #expect(await reports() == 1)
        withExtendedLifetime((quiet, named, found, tracked, forgotten, detector)) {}
    }

    private final class ScreenDetector: Sendable {}
}
