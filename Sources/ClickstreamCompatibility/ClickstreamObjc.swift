// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if canImport(ObjectiveC)
public import Foundation

/// The Objective-C API; each method is documented in ``ClickstreamAnalytics``.
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

    /// Sends pending events.
    public static func flushEvents() {
        ClickstreamAnalytics.flushEvents()
    }

    /// Adds attributes to every event recorded from now on.
    public static func addGlobalAttributes(_ attributes: NSDictionary) {
        ClickstreamAnalytics.addGlobalAttributes(ClickstreamAttribute(attributes))
    }

    /// Removes attributes from every event recorded from now on.
    public static func deleteGlobalAttributes(_ attributes: [String]) {
        ClickstreamAnalytics.shared.deleteGlobalAttributes(attributes)
    }

    /// Adds attributes to the user.
    public static func addUserAttributes(_ attributes: NSDictionary) {
        ClickstreamAnalytics.addUserAttributes(ClickstreamAttribute(attributes))
    }

    /// Sets the signed-in user.
    public static func setUserId(_ userId: String?) {
        ClickstreamAnalytics.setUserId(userId)
    }

    /// The SDK's configuration.
    public static func getClickstreamConfiguration() throws -> ClickstreamConfiguration {
        try ClickstreamAnalytics.getClickstreamConfiguration()
    }

    /// Stops recording and sending until ``enable()``.
    public static func disable() {
        ClickstreamAnalytics.disable()
    }

    /// Resumes recording and sending.
    public static func enable() {
        ClickstreamAnalytics.enable()
    }
}

extension ClickstreamConfiguration {
    /// Attributes of every event, from the first one on.
    @discardableResult
    @objc
    public func withInitialGlobalAttributesObjc(_ globalAttributes: NSDictionary) -> ClickstreamConfiguration {
        withInitialGlobalAttributes(ClickstreamAttribute(globalAttributes))
    }
}

extension ClickstreamAttribute {
    /// Creates attributes from a dictionary.
    ///
    /// Entries without a string key or a supported value are left out.
    init(_ dictionary: NSDictionary) {
        self.init()
        for (key, value) in dictionary {
            guard let name = key as? String else { continue }
            switch value {
            case let text as String: self[name] = text
            case let number as NSDecimalNumber: self[name] = number.decimalValue
            case let number as NSNumber:
                // Every number converts to a Boolean. Only the two Boolean constants are treated as Booleans, not the
                // numbers 0 and 1.
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
