// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import ClickstreamCompatibility
import Foundation
import SAPUsageCompatibility
import SensorsAnalyticsCompatibility
import SiftCompatibility
import SparkChamberCompatibility
import Trackway
import TrackwayLocation
import TrackwayMotion
import TrackwaySwiftUI
import TrackwayTriggers
import TrackwayUIKit

/// Calls each product, as an app that depends on the package does.
public struct Consumer {
    /// The instance that events are recorded with.
    public let analytics: Analytics

    /// Creates an instance that stores its events in a folder.
    ///
    /// - Throws: The errors of `Analytics.init(_:)`.
    public init(in folder: URL) throws {
        var configuration = Configuration(
            appID: "consumer",
            destinations: [.collector(URL(fileURLWithPath: "/nowhere"), writeKey: "dev")],
            consent: .granted
        )
        configuration.storage.folder = folder
        analytics = try Analytics(configuration)
    }

    /// Calls each compatibility module without starting it.
    @MainActor
    public static func calls() -> [String] {
        [
            "\(ClickstreamConfiguration().withAppId("consumer"))",
            SAConfigOptions(serverURL: "https://example.com/sa?project=default", launchOptions: nil).serverURL,
            SiftEvent(type: "consumed", path: "/", fields: nil).type ?? "",
            Usage.defaultTargetID,
            "\(SparkEvent(trigger: .didAppear, action: nil).trigger)",
            "\(TriggerEvent(.didAppear) { _ in })",
        ]
    }
}
