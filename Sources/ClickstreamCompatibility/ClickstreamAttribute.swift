// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayEvents

/// Named values of an event, a user or an item.
public typealias ClickstreamAttribute = [String: any AnalyticsPropertyValue]

/// A value that an attribute can have: `String`, `Int`, `Int64`, `Double`, `Bool` or `Decimal`.
public protocol AnalyticsPropertyValue: Sendable {
    /// The value as Trackway records it.
    var attributeValue: AttributeValue { get }
}

extension String: AnalyticsPropertyValue {}
extension Int: AnalyticsPropertyValue {}
extension Int64: AnalyticsPropertyValue {}
extension Double: AnalyticsPropertyValue {}
extension Bool: AnalyticsPropertyValue {}
