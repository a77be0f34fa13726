// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if canImport(ObjectiveC)
public import Foundation
internal import Trackway
internal import TrackwayEvents

/// ``SAConfigOptions`` for Objective-C.
@objc(SAConfigOptions)
public final class SAConfigOptionsObject: NSObject {
    let options: SAConfigOptions

    /// What is recorded without a call: values of ``SensorsAnalyticsAutoTrackEventTypeObject``, combined with `|`.
    @objc public var autoTrackEventType: UInt {
        get { options.autoTrackEventType.rawValue }
        set { options.autoTrackEventType = SensorsAnalyticsAutoTrackEventType(rawValue: newValue) }
    }

    /// Options for a back-end; nothing is read from the launch options.
    @objc public init(serverURL: String, launchOptions: NSDictionary?) {
        options = SAConfigOptions(serverURL: serverURL)
    }
}

/// ``SensorsAnalyticsSDK`` for Objective-C.
@objc(SensorsAnalyticsSDK)
public final class SensorsAnalyticsSDKObject: NSObject {
    private let sdk: SensorsAnalyticsSDK

    private init(_ sdk: SensorsAnalyticsSDK) {
        self.sdk = sdk
    }

    /// Starts the SDK; see ``SensorsAnalyticsSDK/start(configOptions:debugMode:)``.
    @objc public static func start(configOptions: SAConfigOptionsObject?) {
        SensorsAnalyticsSDK.start(configOptions: configOptions?.options)
    }

    /// The SDK; nil before it was started.
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

    /// Records an event, saying who asked for it.
    @objc public func track(_ event: String, withTrackType type: SensorsAnalyticsTrackTypeObject) {
        sdk.track(event, withTrackType: type.trackType)
    }

    /// Records an event with properties, saying who asked for it.
    @objc public func track(
        _ event: String,
        withProperties properties: NSDictionary?,
        withTrackType type: SensorsAnalyticsTrackTypeObject
    ) {
        sdk.track(event, withProperties: Self.properties(properties), withTrackType: type.trackType)
    }

    /// Adds properties to every event from now on.
    @objc public func registerSuperProperties(_ properties: NSDictionary) {
        sdk.registerSuperProperties(Self.properties(properties))
    }

    /// Starts a timer.
    @objc public func trackTimerStart(_ event: String) -> String? {
        sdk.trackTimerStart(event)
    }

    /// Ends a timer and records its event.
    @objc public func trackTimerEnd(_ event: String, withProperties properties: NSDictionary?) {
        sdk.trackTimerEnd(event, withProperties: Self.properties(properties))
    }

    /// Whether events of these kinds are not recorded by themselves.
    @objc public func isAutoTrackEventTypeIgnored(_ eventType: UInt) -> Bool {
        sdk.isAutoTrackEventTypeIgnored(SensorsAnalyticsAutoTrackEventType(rawValue: eventType))
    }

    /// Records the start of this process, if that is still to be done.
    @objc public func autoTrackAppStart() {
        sdk.autoTrackAppStart()
    }

    /// Says who uses the app.
    @objc public func login(_ loginId: String) {
        sdk.login(loginId)
    }

    /// Says that nobody is signed in any more.
    @objc public func logout() {
        sdk.logout()
    }

    /// Sends what waits.
    @objc public func flush() {
        sdk.flush()
    }

    private static func properties(_ dictionary: NSDictionary?) -> SensorsAnalyticsProperties {
        var properties: SensorsAnalyticsProperties = [:]
        for (key, value) in dictionary ?? [:] {
            guard let key = key as? String, let value = attribute(value) else { continue }
            properties[key] = value
        }
        return properties
    }

    private static func attribute(_ value: Any) -> AttributeValue? {
        switch value {
        case let text as String: return .string(text)
        case let date as Date: return date.attributeValue
        case let number as NSNumber:
            if CFGetTypeID(number) == CFBooleanGetTypeID() { return .boolean(number.boolValue) }
            return Int64(exactly: number).map { .integer($0) } ?? .double(number.doubleValue)
        case let list as NSArray: return .array(list.compactMap { attribute($0) })
        case let set as NSSet: return .array(set.allObjects.compactMap { attribute($0) })
        default: return nil
        }
    }
}
#endif
