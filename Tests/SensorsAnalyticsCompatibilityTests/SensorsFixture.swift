// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Foundation
import SensorsAnalyticsCompatibility
import Testing
import Trackway
import TrackwayEvents
import TrackwayTesting
import TrackwayWire

/// An app on a simulated device that uses the compatibility module, and what its back-end receives.
struct SensorsFixture: Sendable {
    let device: SimulatedDevice
    private let face: Locked<SensorsAnalyticsSDK?>

    static let serverURL = "https://sa.test/sa?project=production"

    /// Makes a device on which the app is installed.
    ///
    /// - Parameters:
    ///   - types: what is recorded without a call.
    ///   - runsInBackground: false for an app that ends when the person leaves it.
    ///   - change: further options of the app.
    ///   - setUp: what the app does right after it started the SDK.
    init(
        _ types: SensorsAnalyticsAutoTrackEventType = [.eventTypeAppStart, .eventTypeAppEnd],
        debugMode: SensorsAnalyticsDebugMode = .off,
        runsInBackground: Bool = true,
        _ change: @escaping @Sendable (SAConfigOptions) -> Void = { _ in },
        setUp: @escaping @Sendable (SensorsAnalyticsSDK) -> Void = { _ in }
    ) {
        @Sendable func options() -> SAConfigOptions {
            let options = SAConfigOptions(serverURL: Self.serverURL, launchOptions: nil)
            options.autoTrackEventType = types
            // Tests of the remote configuration switch it on.
            options.enableRemoteConfig = false
            change(options)
            return options
        }
        let face = Locked<SensorsAnalyticsSDK?>(nil)
        self.face = face
        device = SimulatedDevice(
            options().configuration(debugMode: debugMode),
            appVersion: "3.8.1",
            runsInBackground: runsInBackground
        ) { analytics in
            let sdk = SensorsAnalyticsSDK(analytics, options(), debugMode: debugMode)
            face.withLock { $0 = sdk }
            setUp(sdk)
        }
    }

    /// A fixture whose app has been launched.
    static func launched(
        _ types: SensorsAnalyticsAutoTrackEventType = [],
        debugMode: SensorsAnalyticsDebugMode = .off,
        _ change: @escaping @Sendable (SAConfigOptions) -> Void = { _ in }
    ) async throws -> SensorsFixture {
        let fixture = SensorsFixture(types, debugMode: debugMode, change)
        try await fixture.device.launch()
        return fixture
    }

    /// The compatibility module in the running process.
    var sdk: SensorsAnalyticsSDK {
        get throws { try #require(face.withLock { $0 }) }
    }

    /// Every record the back-end received, in order, after sending what waits.
    func received() async throws -> [SensorsRecord] {
        _ = await device.analytics?.flush()
        return try SensorsRecord.all(in: device.network.requests)
    }

    /// The names of the events the back-end received.
    func story() async throws -> [String] {
        try await received().map(\.story)
    }
}
