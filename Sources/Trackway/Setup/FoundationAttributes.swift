// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayEvents

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension Timestamp {
    /// The moment of a Foundation date, to the millisecond. A date that is not a number, or outside what 64 bits of
    /// milliseconds can hold, becomes the nearest moment they can.
    public init(_ date: Date) {
        let milliseconds = (date.timeIntervalSince1970 * 1000).rounded()
        // NaN compares false with everything and ends as the beginning of 1970.
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
    public var attributeValue: AttributeValue? { .date(Timestamp(self)) }
}

extension UUID: AttributeConvertible {
    /// The text form of the UUID, in upper case as Foundation writes it.
    public var attributeValue: AttributeValue? { .string(uuidString) }
}

extension URL: AttributeConvertible {
    /// The whole URL as text.
    public var attributeValue: AttributeValue? { .string(absoluteString) }
}

extension Decimal: AttributeConvertible {
    /// The number that the digits say; a whole number beyond `Int64` becomes text, so that no digit is lost.
    public var attributeValue: AttributeValue? { AttributeValue(decimal: description) }
}

extension AttributeValue {
    /// A date attribute, to the millisecond.
    public static func date(_ date: Date) -> AttributeValue {
        .date(Timestamp(date))
    }
}
