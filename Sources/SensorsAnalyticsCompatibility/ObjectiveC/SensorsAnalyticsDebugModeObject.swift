// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if canImport(ObjectiveC)
public import Foundation
internal import TrackwayDestinations

/// ``TrackwayDestinations/SensorsAnalyticsDebugMode`` for Objective-C.
@objc(SensorsAnalyticsDebugMode)
public enum SensorsAnalyticsDebugModeObject: Int, Sendable {
    /// Events go to the back-end as usual.
    @objc(SensorsAnalyticsDebugOff) case off
    /// Events are checked one by one, and not kept by the back-end.
    @objc(SensorsAnalyticsDebugOnly) case only
    /// Events are checked one by one, and kept.
    @objc(SensorsAnalyticsDebugAndTrack) case andTrack

    /// The same for Swift.
    var debugMode: SensorsAnalyticsDebugMode {
        switch self {
        case .off: .off
        case .only: .only
        case .andTrack: .andTrack
        }
    }
}
#endif
