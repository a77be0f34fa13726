// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import Foundation
internal import Trackway
public import TrackwayCore

/// Named values of an event, a user or an item.
public typealias ClickstreamAttribute = [String: any AnalyticsPropertyValue]

/// A value that an attribute can have.
///
/// The value is a `String`, `Int`, `Int64`, `Double`, `Bool` or `Decimal`.
public protocol AnalyticsPropertyValue: Sendable {
    /// The value as Trackway records it.
    var attributeValue: AttributeValue? { get }
}

extension String: AnalyticsPropertyValue {}
extension Int: AnalyticsPropertyValue {}
extension Int64: AnalyticsPropertyValue {}
extension Double: AnalyticsPropertyValue {}
extension Bool: AnalyticsPropertyValue {}

extension Decimal: AnalyticsPropertyValue {}

extension Attributes {
    /// Creates Trackway's attributes.
    ///
    /// The attributes are sorted, because a dictionary has no order: if there are too many, the same ones are left out
    /// every time.
    init(_ attributes: ClickstreamAttribute) {
        self.init(
            uniquing: attributes.sorted { $0.key < $1.key }.compactMap { key, value in
                value.attributeValue.map { (key, $0) }
            }
        )
    }
}

extension Item {
    /// Creates Trackway's item.
    ///
    /// An item without an ID gets an empty ID, and is left out with a diagnostic when it is recorded.
    init(_ attributes: ClickstreamAttribute) {
        var rest = attributes
        let id = rest.removeValue(forKey: ClickstreamAnalytics.Item.ITEM_ID)?.attributeValue?.text ?? ""
        let name = rest.removeValue(forKey: ClickstreamAnalytics.Item.ITEM_NAME)?.attributeValue?.text
        self.init(id: id, name: name, Attributes(rest))
    }
}

extension AttributeValue {
    /// The value as a string.
    ///
    /// Item IDs are often numbers in an app, and strings on the wire.
    fileprivate var text: String {
        switch self {
        case .string(let text): text
        case .integer(let number): String(number)
        case .double(let number): number.description
        case .boolean(let truth): String(truth)
        case .date, .array, .object: ""  // Types that this format does not have.
        }
    }
}
