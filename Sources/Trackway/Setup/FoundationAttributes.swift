// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayCore

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension Timestamp {
    /// Creates a timestamp from a Foundation date, to the millisecond.
    ///
    /// A date outside the range of 64-bit milliseconds becomes the nearest timestamp in that range. A date that is not
    /// a number becomes the beginning of 1970.
    public init(_ date: Date) {
        let milliseconds = (date.timeIntervalSince1970 * 1000).rounded()
        // NaN compares false with everything and becomes 0.
        if milliseconds >= 9.2e18 {
            self.init(milliseconds: .max)
        } else if milliseconds <= -9.2e18 {
            self.init(milliseconds: .min)
        } else {
            self.init(milliseconds: milliseconds.isNaN ? 0 : Int64(milliseconds))
        }
    }
}

extension Date: AttributeConvertible {
    /// The date as an attribute, to the millisecond.
    ///
    /// A date that is not a number becomes NaN, which is reported and left out when the event is recorded.
    public var attributeValue: AttributeValue? {
        timeIntervalSince1970.isNaN ? .double(.nan) : .date(Timestamp(self))
    }
}

extension UUID: AttributeConvertible {
    /// The UUID as uppercase text, as Foundation writes it.
    public var attributeValue: AttributeValue? { .string(uuidString) }
}

extension URL: AttributeConvertible {
    /// The entire URL as text.
    public var attributeValue: AttributeValue? { .string(absoluteString) }
}

extension Decimal: AttributeConvertible {
    /// The decimal as a number with the same digits.
    ///
    /// A whole number beyond `Int64` becomes text, so that no digit is lost.
    public var attributeValue: AttributeValue? { AttributeValue(decimal: description) }
}

extension AttributeValue {
    /// Returns an attribute value for a date, to the millisecond.
    public static func date(_ date: Date) -> AttributeValue {
        .date(Timestamp(date))
    }
}
