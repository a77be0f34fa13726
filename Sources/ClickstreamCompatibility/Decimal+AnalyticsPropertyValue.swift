// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import Foundation
public import TrackwayEvents

extension Decimal: AnalyticsPropertyValue {
    /// A whole number when it is one that fits, else the floating-point number with the same digits.
    public var attributeValue: AttributeValue {
        let text = description
        if let whole = Int64(text) { return .integer(whole) }
        return .double(Double(text) ?? .nan)
    }
}
