// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import Foundation
internal import Trackway
public import TrackwayCore

/// A property value: a string, number, Boolean, date, or list of these.
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
    /// The values in order.
    public var attributeValue: AttributeValue? { .array(compactMap(\.attributeValue)) }
}

extension Set: SensorsAnalyticsPropertyValue where Element: SensorsAnalyticsPropertyValue {
    /// The values in arbitrary order.
    public var attributeValue: AttributeValue? { .array(compactMap(\.attributeValue)) }
}

/// Named values of an event, a user or an item.
public typealias SensorsAnalyticsProperties = [String: any SensorsAnalyticsPropertyValue]

extension Attributes {
    /// Creates attributes from properties; equal properties result in the same order.
    init(_ properties: SensorsAnalyticsProperties?) {
        self.init(
            uniquing: (properties ?? [:]).sorted { $0.key < $1.key }.compactMap { key, value in
                value.attributeValue.map { (key, $0) }
            }
        )
    }
}
