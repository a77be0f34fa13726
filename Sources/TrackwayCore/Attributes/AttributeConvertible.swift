// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// A type whose values can be attribute values.
///
/// Strings, numbers, Booleans, dates, UUIDs, URLs, and arrays and dictionaries of these conform. An enumeration with
/// raw values only needs to declare the conformance:
///
/// ```swift
/// enum Plan: String, AttributeConvertible { case free, pro }
/// let plan = Plan.pro
/// let attributes: Attributes = ["plan": plan]
/// ```
public protocol AttributeConvertible: Sendable {
    /// The value as an attribute; nil leaves the attribute out.
    ///
    /// The property is read on the recording thread, possibly more than once.
    var attributeValue: AttributeValue? { get }
}

extension AttributeValue: AttributeConvertible {
    /// The value itself.
    public var attributeValue: AttributeValue? { self }
}

extension Attributes: AttributeConvertible {
    /// An object.
    public var attributeValue: AttributeValue? { .object(self) }
}

extension String: AttributeConvertible {
    /// Text.
    public var attributeValue: AttributeValue? { .string(self) }
}

extension Substring: AttributeConvertible {
    /// Text.
    public var attributeValue: AttributeValue? { .string(String(self)) }
}

extension Bool: AttributeConvertible {
    /// True or false.
    public var attributeValue: AttributeValue? { .boolean(self) }
}

extension Double: AttributeConvertible {
    /// A floating-point number.
    public var attributeValue: AttributeValue? { .double(self) }
}

extension Float: AttributeConvertible {
    /// The shortest decimal number that reads back as this `Float`.
    ///
    /// For example `0.1`, not `0.10000000149011612`.
    public var attributeValue: AttributeValue? { .double(Double(description) ?? Double(self)) }
}

extension Timestamp: AttributeConvertible {
    /// A point in wall time.
    public var attributeValue: AttributeValue? { .date(self) }
}

extension Duration: AttributeConvertible {
    /// Whole milliseconds, truncated toward zero.
    public var attributeValue: AttributeValue? { .integer(wholeMilliseconds) }
}

extension Optional: AttributeConvertible where Wrapped: AttributeConvertible {
    /// The wrapped value as an attribute; nil leaves the attribute out.
    public var attributeValue: AttributeValue? { self?.attributeValue }
}

extension Array: AttributeConvertible where Element: AttributeConvertible {
    /// The values in order, without those that are nil.
    public var attributeValue: AttributeValue? { .array(compactMap(\.attributeValue)) }
}

extension Dictionary: AttributeConvertible where Key == String, Value: AttributeConvertible {
    /// An object, sorted by key, without members whose value is nil.
    public var attributeValue: AttributeValue? { .object(Attributes(self)) }
}

extension Attributes {
    /// Creates attributes from a dictionary, sorted by key.
    ///
    /// - Complexity: O(n log n).
    @inlinable
    public init(_ dictionary: [String: some AttributeConvertible]) {
        var pairs: [(String, AttributeValue)] = []
        pairs.reserveCapacity(dictionary.count)
        for (key, value) in dictionary {
            if let value = value.attributeValue { pairs.append((key, value)) }
        }
        Self.sort(&pairs)
        self.init(pairs: pairs)
    }
}

extension AttributeConvertible where Self: RawRepresentable, RawValue: AttributeConvertible {
    /// The raw value.
    public var attributeValue: AttributeValue? { rawValue.attributeValue }
}

extension AttributeConvertible where Self: BinaryInteger {
    /// The integer, or its decimal digits as a string if beyond `Int64`.
    ///
    /// Numbers beyond `Int64` are identifiers or hashes; rounding them to a double would silently make different
    /// numbers equal.
    @inlinable
    public var attributeValue: AttributeValue? {
        if let exact = Int64(exactly: self) { return .integer(exact) }
        return .string(String(self))
    }
}

extension AttributeValue {
    /// Creates a value from decimal digits.
    ///
    /// An integer that fits in `Int64` is exact. A larger integer becomes a string, as for Swift integers; any other
    /// number becomes the nearest double. Invalid input becomes NaN, which is reported and left out when the event is
    /// recorded.
    package init(decimal digits: String) {
        if let whole = Int64(digits) {
            self = .integer(whole)
        } else if let number = Double(digits), number.isFinite {
            let isWhole = digits.utf8.allSatisfy { (0x30...0x39).contains($0) || $0 == UInt8(ascii: "-") }
            self = isWhole ? .string(digits) : .double(number)
        } else {
            self = .double(.nan)
        }
    }
}

extension Int: AttributeConvertible {}
extension Int8: AttributeConvertible {}
extension Int16: AttributeConvertible {}
extension Int32: AttributeConvertible {}
extension Int64: AttributeConvertible {}
extension UInt: AttributeConvertible {}
extension UInt8: AttributeConvertible {}
extension UInt16: AttributeConvertible {}
extension UInt32: AttributeConvertible {}
extension UInt64: AttributeConvertible {}
