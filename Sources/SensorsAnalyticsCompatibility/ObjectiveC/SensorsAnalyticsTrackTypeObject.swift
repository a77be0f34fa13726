// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if canImport(ObjectiveC)
// `@objc` is an error in a file that does not import Foundation itself.
internal import Foundation

/// ``SensorsAnalyticsTrackType`` for Objective-C.
@objc(SensorsAnalyticsTrackType)
public enum SensorsAnalyticsTrackTypeObject: Int, Sendable {
    /// The app.
    @objc(SensorsAnalyticsTrackTypeCode) case code
    /// What watches the app on its behalf.
    @objc(SensorsAnalyticsTrackTypeAuto) case auto

    /// The same for Swift.
    var trackType: SensorsAnalyticsTrackType {
        switch self {
        case .code: .code
        case .auto: .auto
        }
    }
}
#endif
