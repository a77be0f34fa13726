// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Trackway
internal import TrackwayEvents

extension SensorsAnalyticsSDK {
    /// Records an event.
    public func track(_ event: String) {
        track(event, withProperties: nil)
    }

    /// Records an event with properties.
    public func track(_ event: String, withProperties properties: SensorsAnalyticsProperties?) {
        track(event, withProperties: properties, withTrackType: .code)
    }

    /// Records an event, saying who asked for it.
    public func track(_ event: String, withTrackType type: SensorsAnalyticsTrackType) {
        track(event, withProperties: nil, withTrackType: type)
    }

    /// Records an event with properties, saying who asked for it.
    public func track(
        _ event: String,
        withProperties properties: SensorsAnalyticsProperties?,
        withTrackType type: SensorsAnalyticsTrackType
    ) {
        var attributes = Attributes(properties)
        if type == .auto { attributes["$lib_method"] = "autoTrack" }
        record(event, attributes)
    }

    /// Sends what waits, in the background.
    public func flush() {
        let analytics = analytics
        // Nobody waits for this call; `analytics.flush()` is there for those who do.
        Task { _ = await analytics.flush() }
    }

    /// Drops what waits to be sent.
    public func deleteAll() {
        let analytics = analytics
        Task { await analytics.discardWaiting(for: SAConfigOptions.destinationID) }
    }

    /// Records for the compatibility module's own destination only.
    func record(_ name: String, _ attributes: Attributes = [:]) {
        analytics.record(name, attributes, to: [SAConfigOptions.destinationID])
    }
}
