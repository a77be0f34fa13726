// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if canImport(ObjectiveC)
// `@objc` is an error in a file that does not import Foundation itself.
internal import Foundation

/// ``SensorsAnalyticsAutoTrackEventType`` for Objective-C, where values are combined with `|`.
@objc(SensorsAnalyticsAutoTrackEventType)
public enum SensorsAnalyticsAutoTrackEventTypeObject: UInt, Sendable {
    /// The app was started: `$AppStart`, or `$AppStartPassively` in the background.
    @objc(SensorsAnalyticsEventTypeAppStart) case appStart = 1
    /// The app left the foreground: `$AppEnd`.
    @objc(SensorsAnalyticsEventTypeAppEnd) case appEnd = 2
    /// An element was clicked: `$AppClick`.
    @objc(SensorsAnalyticsEventTypeAppClick) case appClick = 4
    /// A screen was shown: `$AppViewScreen`.
    @objc(SensorsAnalyticsEventTypeAppViewScreen) case appViewScreen = 8
}
#endif
