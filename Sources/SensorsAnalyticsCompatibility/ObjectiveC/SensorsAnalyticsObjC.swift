// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if canImport(ObjectiveC)
public import Foundation
internal import Trackway
internal import TrackwayDestinations
internal import TrackwayCore

/// ``SensorsAnalyticsSDK`` for Objective-C.
@objc(SensorsAnalyticsSDK)
public final class SensorsAnalyticsSDKObject: NSObject {
    let sdk: SensorsAnalyticsSDK

    private init(_ sdk: SensorsAnalyticsSDK) {
        self.sdk = sdk
    }

    /// Starts the SDK; see ``SensorsAnalyticsSDK/start(configOptions:debugMode:)``.
    @objc public static func start(configOptions: SAConfigOptionsObject?) {
        SensorsAnalyticsSDK.start(configOptions: configOptions?.options)
    }

    /// Starts the SDK in a debug mode.
    @objc public static func start(
        configOptions: SAConfigOptionsObject?,
        debugMode: SensorsAnalyticsDebugModeObject
    ) {
        SensorsAnalyticsSDK.start(configOptions: configOptions?.options, debugMode: debugMode.debugMode)
    }

    /// The SDK; nil before it is started and while disabled remotely.
    @objc public static func sharedInstance() -> SensorsAnalyticsSDKObject? {
        SensorsAnalyticsSDK.sharedInstance().map { SensorsAnalyticsSDKObject($0) }
    }

    /// Records an event.
    @objc public func track(_ event: String) {
        sdk.track(event)
    }

    /// Records an event with properties.
    @objc public func track(_ event: String, withProperties properties: NSDictionary?) {
        sdk.track(event, withProperties: Self.properties(properties))
    }

    /// Records an event with the given origin.
    @objc public func track(_ event: String, withTrackType type: SensorsAnalyticsTrackTypeObject) {
        sdk.track(event, withTrackType: type.trackType)
    }

    /// Records an event with properties and the given origin.
    @objc public func track(
        _ event: String,
        withProperties properties: NSDictionary?,
        withTrackType type: SensorsAnalyticsTrackTypeObject
    ) {
        sdk.track(event, withProperties: Self.properties(properties), withTrackType: type.trackType)
    }

    // MARK: Values

    /// Returns the entries with a string key and a supported value.
    ///
    /// Other entries are left out.
    static func properties(_ dictionary: NSDictionary?) -> SensorsAnalyticsProperties {
        var properties: SensorsAnalyticsProperties = [:]
        for (key, value) in dictionary ?? [:] {
            guard let key = key as? String, let value = attribute(value) else { continue }
            properties[key] = value
        }
        return properties
    }

    /// Returns properties that contain one name and value.
    static func properties(_ name: String, _ value: Any) -> SensorsAnalyticsProperties {
        attribute(value).map { [name: $0] } ?? [:]
    }

    /// Returns properties as a dictionary of Foundation values.
    static func dictionary(_ properties: SensorsAnalyticsProperties) -> NSDictionary {
        dictionary(properties.lazy.compactMap { key, value in value.attributeValue.map { (key, $0) } })
    }

    private static func dictionary(_ pairs: some Sequence<(String, AttributeValue)>) -> NSDictionary {
        let dictionary = NSMutableDictionary()
        for (key, value) in pairs { dictionary[key] = object(value) }
        return dictionary
    }

    private static func object(_ value: AttributeValue) -> Any {
        switch value {
        case .string(let text): text
        case .integer(let number): NSNumber(value: number)
        case .double(let number): NSNumber(value: number)
        case .boolean(let truth): NSNumber(value: truth)
        case .date(let date): Date(timeIntervalSince1970: Double(date.milliseconds) / 1_000)
        case .array(let values): values.map { object($0) }
        case .object(let attributes): dictionary(attributes.lazy.map { ($0.key, $0.value) })
        }
    }

    private static func attribute(_ value: Any) -> AttributeValue? {
        switch value {
        case let text as String: return .string(text)
        case let date as Date: return date.attributeValue
        case let number as NSNumber:
            if CFGetTypeID(number) == CFBooleanGetTypeID() { return .boolean(number.boolValue) }
            return Int64(exactly: number).map { .integer($0) } ?? AttributeValue(decimal: number.stringValue)
        case let list as NSArray: return .array(list.compactMap { attribute($0) })
        case let set as NSSet: return .array(set.allObjects.compactMap { attribute($0) })
        default: return nil
        }
    }
}

/// ``SensorsAnalyticsTrackType`` for Objective-C.
@objc(SensorsAnalyticsTrackType)
public enum SensorsAnalyticsTrackTypeObject: Int, Sendable {
    /// The app's own code.
    @objc(SensorsAnalyticsTrackTypeCode) case code
    /// Automatic tracking on the app's behalf.
    @objc(SensorsAnalyticsTrackTypeAuto) case auto

    /// The corresponding Swift value.
    var trackType: SensorsAnalyticsTrackType {
        switch self {
        case .code: .code
        case .auto: .auto
        }
    }
}

/// ``TrackwayDestinations/SensorsAnalyticsDebugMode`` for Objective-C.
@objc(SensorsAnalyticsDebugMode)
public enum SensorsAnalyticsDebugModeObject: Int, Sendable {
    /// Events are sent to the back end as usual.
    @objc(SensorsAnalyticsDebugOff) case off
    /// Events are checked one by one, and not stored.
    @objc(SensorsAnalyticsDebugOnly) case only
    /// Events are checked one by one, and stored.
    @objc(SensorsAnalyticsDebugAndTrack) case andTrack

    /// The value for Swift.
    var debugMode: SensorsAnalyticsDebugMode {
        switch self {
        case .off: .off
        case .only: .only
        case .andTrack: .andTrack
        }
    }
}

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
