// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if canImport(ObjectiveC)
public import Foundation

/// The documented calls for Objective-C; ``ClickstreamAnalytics`` for what each does.
@objcMembers
public final class ClickstreamObjc: NSObject {
    /// Starts the SDK with the settings of `amplifyconfiguration.json`.
    public static func initSDK() throws {
        try ClickstreamAnalytics.initSDK()
    }

    /// Starts the SDK.
    @objc(initSDK:error:)
    public static func initSDK(_ configuration: ClickstreamConfiguration) throws {
        try ClickstreamAnalytics.initSDK(configuration)
    }

    /// Records an event.
    public static func recordEvent(_ eventName: String) {
        ClickstreamAnalytics.recordEvent(eventName)
    }

    /// Records an event with attributes.
    public static func recordEvent(_ eventName: String, _ attributes: NSDictionary) {
        ClickstreamAnalytics.recordEvent(eventName, ClickstreamAttribute(attributes))
    }

    /// Records an event with attributes and items.
    public static func recordEvent(_ eventName: String, _ attributes: NSDictionary, _ items: [NSDictionary]) {
        ClickstreamAnalytics.recordEvent(
            eventName,
            ClickstreamAttribute(attributes),
            items.map { ClickstreamAttribute($0) }
        )
    }

    /// Sends what waits.
    public static func flushEvents() {
        ClickstreamAnalytics.flushEvents()
    }

    /// Adds attributes to every event recorded from now on.
    public static func addGlobalAttributes(_ attributes: NSDictionary) {
        ClickstreamAnalytics.addGlobalAttributes(ClickstreamAttribute(attributes))
    }

    /// Takes attributes away from every event recorded from now on.
    public static func deleteGlobalAttributes(_ attributes: [String]) {
        ClickstreamAnalytics.shared.deleteGlobalAttributes(attributes)
    }

    /// Adds attributes to the user.
    public static func addUserAttributes(_ attributes: NSDictionary) {
        ClickstreamAnalytics.addUserAttributes(ClickstreamAttribute(attributes))
    }

    /// Says who is signed in.
    public static func setUserId(_ userId: String?) {
        ClickstreamAnalytics.setUserId(userId)
    }

    /// The SDK's configuration.
    public static func getClickstreamConfiguration() throws -> ClickstreamConfiguration {
        try ClickstreamAnalytics.getClickstreamConfiguration()
    }

    /// Records and sends nothing until ``enable()``.
    public static func disable() {
        ClickstreamAnalytics.disable()
    }

    /// Records and sends again.
    public static func enable() {
        ClickstreamAnalytics.enable()
    }
}

extension ClickstreamConfiguration {
    /// Attributes of every event from the first one on.
    @discardableResult
    @objc
    public func withInitialGlobalAttributesObjc(_ globalAttributes: NSDictionary) -> ClickstreamConfiguration {
        withInitialGlobalAttributes(ClickstreamAttribute(globalAttributes))
    }
}

extension ClickstreamAttribute {
    /// The entries with a name and a value of one of the format's types; others are left out.
    init(_ dictionary: NSDictionary) {
        self.init()
        for (key, value) in dictionary {
            guard let name = key as? String else { continue }
            switch value {
            case let text as String: self[name] = text
            case let number as NSDecimalNumber: self[name] = number.decimalValue
            case let number as NSNumber:
                // Every number can be read as truth, and 0 and 1 look like it: only the two constants are.
                if CFGetTypeID(number) == CFBooleanGetTypeID() {
                    self[name] = number.boolValue
                } else if CFNumberIsFloatType(number as CFNumber) {
                    self[name] = number.doubleValue
                } else {
                    self[name] = number.int64Value
                }
            default: continue
            }
        }
    }
}
#endif
