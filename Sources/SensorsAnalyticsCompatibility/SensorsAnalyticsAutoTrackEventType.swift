// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// Which events are recorded without a call.
public struct SensorsAnalyticsAutoTrackEventType: OptionSet, Sendable, Hashable {
    /// The bits.
    public let rawValue: UInt

    /// A set of these bits.
    public init(rawValue: UInt) {
        self.rawValue = rawValue
    }

    /// The app was started: `$AppStart`, or `$AppStartPassively` in the background.
    public static let eventTypeAppStart = SensorsAnalyticsAutoTrackEventType(rawValue: 1)
    /// The app left the foreground: `$AppEnd`.
    public static let eventTypeAppEnd = SensorsAnalyticsAutoTrackEventType(rawValue: 2)
    /// An element was clicked: `$AppClick`.
    public static let eventTypeAppClick = SensorsAnalyticsAutoTrackEventType(rawValue: 4)
    /// A screen was shown: `$AppViewScreen`.
    public static let eventTypeAppViewScreen = SensorsAnalyticsAutoTrackEventType(rawValue: 8)
}
