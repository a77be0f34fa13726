// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Trackway
internal import TrackwayEvents

extension SensorsAnalyticsSDK {
    /// Tells which screen is shown: records `$AppViewScreen` with its address, and the address of the one before.
    public func trackViewScreen(_ url: String, withProperties properties: SensorsAnalyticsProperties?) {
        var attributes = Attributes(properties)
        attributes["$lib_method"] = "code"
        analytics.screen(attributes["$screen_name"]?.string ?? url, id: url, attributes)
    }

    /// The address of the screen that was shown last; nil before there was one.
    public func getLastScreenUrl() -> String? {
        let screen = analytics.recordedContext.screen
        return screen?.id ?? screen?.name
    }

    /// The address of the screen that is shown; nil before there was one.
    public func getCurrentScreenUrl() -> String? { getLastScreenUrl() }
}
