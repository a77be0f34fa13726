// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Foundation
import SensorsAnalyticsCompatibility
import Testing
import Trackway
import TrackwayCore
import TrackwayDestinationKit
import TrackwayTesting

/// A simulated device with the compatibility module, and the records that its back end receives.
struct SensorsFixture: Sendable {
    let device: SimulatedDevice
    private let sdkBox: Locked<SensorsAnalyticsSDK?>

    static let serverURL = "https://sa.test/sa?project=production"

    /// Creates a device with the app installed.
    ///
    /// - Parameters:
    ///   - types: The events recorded without a call.
    ///   - runsInBackground: False for an app that ends when the user leaves it.
    ///   - change: Sets further options of the app.
    ///   - setUp: Runs right after the app has started the SDK.
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
            // Tests of the remote configuration enable it.
            options.enableRemoteConfig = false
            change(options)
            return options
        }
        let sdkBox = Locked<SensorsAnalyticsSDK?>(nil)
        self.sdkBox = sdkBox
        device = SimulatedDevice(
            options().configuration(debugMode: debugMode),
            appVersion: "3.8.1",
            runsInBackground: runsInBackground
        ) { analytics in
            let sdk = SensorsAnalyticsSDK(analytics, options(), debugMode: debugMode)
            sdkBox.withLock { $0 = sdk }
            setUp(sdk)
        }
    }

    /// Returns a fixture whose app has been launched.
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
        get throws { try #require(sdkBox.withLock { $0 }) }
    }

    /// Sends pending events and returns all received records, in order.
    func received() async throws -> [SensorsRecord] {
        _ = await device.analytics?.flush()
        return try SensorsRecord.all(in: device.network.requests)
    }

    /// Returns the names of the events that the back end received.
    func eventSummaries() async throws -> [String] {
        try await received().map(\.summary)
    }
}
