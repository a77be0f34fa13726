// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import Foundation
internal import Trackway
public import TrackwayEvents

/// A value that a property can have: text, a number, true or false, a date, or a list of these.
public protocol SensorsAnalyticsPropertyValue: Sendable {
    /// The value as Trackway records it.
    var attributeValue: AttributeValue? { get }
}

extension AttributeValue: SensorsAnalyticsPropertyValue {}
extension String: SensorsAnalyticsPropertyValue {}
extension Substring: SensorsAnalyticsPropertyValue {}
extension Bool: SensorsAnalyticsPropertyValue {}
extension Int: SensorsAnalyticsPropertyValue {}
extension Int8: SensorsAnalyticsPropertyValue {}
extension Int16: SensorsAnalyticsPropertyValue {}
extension Int32: SensorsAnalyticsPropertyValue {}
extension Int64: SensorsAnalyticsPropertyValue {}
extension UInt: SensorsAnalyticsPropertyValue {}
extension UInt8: SensorsAnalyticsPropertyValue {}
extension UInt16: SensorsAnalyticsPropertyValue {}
extension UInt32: SensorsAnalyticsPropertyValue {}
extension UInt64: SensorsAnalyticsPropertyValue {}
extension Double: SensorsAnalyticsPropertyValue {}
extension Float: SensorsAnalyticsPropertyValue {}
extension Date: SensorsAnalyticsPropertyValue {}

extension Decimal: SensorsAnalyticsPropertyValue {}

extension Array: SensorsAnalyticsPropertyValue where Element: SensorsAnalyticsPropertyValue {
    /// Values in order.
    public var attributeValue: AttributeValue? { .array(compactMap(\.attributeValue)) }
}

extension Set: SensorsAnalyticsPropertyValue where Element: SensorsAnalyticsPropertyValue {
    /// Values, in no order that means anything.
    public var attributeValue: AttributeValue? { .array(compactMap(\.attributeValue)) }
}

/// Named values of an event, a user or a thing.
public typealias SensorsAnalyticsProperties = [String: any SensorsAnalyticsPropertyValue]

extension Attributes {
    /// Properties by name; the same ones give the same order.
    init(_ properties: SensorsAnalyticsProperties?) {
        self.init(
            uniquing: (properties ?? [:]).sorted { $0.key < $1.key }.compactMap { key, value in
                value.attributeValue.map { (key, $0) }
            }
        )
    }
}
