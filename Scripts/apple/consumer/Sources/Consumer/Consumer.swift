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

/// What an app that has the package as a dependency writes: a call of each product.
public struct Consumer {
    /// The front door.
    public let analytics: Analytics

    /// Opens analytics in a folder.
    ///
    /// - Throws: What `Analytics` throws.
    public init(in folder: URL) throws {
        var configuration = Configuration(
            appID: "consumer",
            destinations: [.collector(URL(fileURLWithPath: "/nowhere"), writeKey: "dev")]
        )
        configuration.storage.folder = folder
        analytics = try Analytics(configuration)
    }

    /// A call of each compatibility module that makes nothing start.
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
