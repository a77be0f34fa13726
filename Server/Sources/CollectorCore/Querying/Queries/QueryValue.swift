// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayCore

/// A value of an attribute or the context, as used in queries.
///
/// Strings are compared byte by byte, as in the index: two encodings of one character are different strings.
public enum QueryValue: Sendable, Hashable {
    /// Text, as UTF-8.
    case text([UInt8])
    /// A number.
    ///
    /// A whole number that fits in `Int64` is always `integer`, regardless of its notation.
    case number(JSONNumber)
    /// True or false.
    case boolean(Bool)
    /// A list or an object, as JSON.
    ///
    /// The value is present, but does not equal any text, number or boolean.
    case structure([UInt8])

    /// Creates a value from JSON; nil for null, which counts as absent.
    public init?(_ value: JSONValue) {
        switch value {
        case .null: return nil
        case .boolean(let flag): self = .boolean(flag)
        case .integer(let number): self = .number(.integer(number))
        case .double(let number): self = .number(JSONNumber.double(number).simplest)
        case .string(let text): self = .text(Array(text.utf8))
        case .array, .object: self = .structure(value.json())
        }
    }

    /// The number; nil for any other value.
    public var number: JSONNumber? {
        if case .number(let number) = self { number } else { nil }
    }

    /// The number that a string spells, such as "12.50".
    ///
    /// The string must be exactly a JSON number. Nil for any other value.
    ///
    /// - Complexity: O(bytes of the string).
    public var spelledNumber: JSONNumber? {
        // JSON allows spaces around a number; a string with spaces does not count as a number.
        guard case .text(let bytes) = self, let first = bytes.first, let last = bytes.last,
            first == UInt8(ascii: "-") || Self.digits.contains(first), Self.digits.contains(last)
        else { return nil }
        // A string that cannot be parsed as a number remains a string and counts as one.
        return switch try? JSONValue.parse(bytes) {
        case .integer(let number)?: .integer(number)
        case .double(let number)? where number.isFinite: JSONNumber.double(number).simplest
        default: nil
        }
    }

    private static let digits = UInt8(ascii: "0")...UInt8(ascii: "9")

    /// The value as UTF-8 text.
    ///
    /// A string is returned as is; any other value is returned as JSON.
    public var text: [UInt8] {
        switch self {
        case .text(let bytes), .structure(let bytes): return bytes
        case .number, .boolean:
            return JSONWriter.withThreadBuffer { writer in
                write(to: &writer)
                return writer.array()
            }
        }
    }

    /// The approximate number of bytes in memory.
    public var bytes: Int {
        switch self {
        case .text(let bytes), .structure(let bytes): 48 + bytes.count
        case .number, .boolean: 48
        }
    }

    /// Writes the value as JSON.
    public func write(to writer: inout JSONWriter) {
        switch self {
        case .text(let bytes): writer.string(String(decoding: bytes, as: UTF8.self))
        case .number(let number): number.write(to: &writer)
        case .boolean(let flag): writer.boolean(flag)
        case .structure(let json): writer.raw(json)
        }
    }
}

extension JSONNumber {
    /// The same number, as `integer` if `Int64` can represent it exactly.
    public var simplest: JSONNumber {
        if case .double(let value) = self, let whole = Int64(exactly: value) { .integer(whole) } else { self }
    }

    /// The nearest double.
    public var nearest: Double {
        switch self {
        case .integer(let value): Double(value)
        case .double(let value): value
        }
    }

    /// Whether this number is less than another.
    ///
    /// The comparison is exact: integers are not rounded.
    public func isLess(than other: JSONNumber) -> Bool {
        switch (self, other) {
        case (.integer(let left), .integer(let right)): return left < right
        case (.double(let left), .double(let right)): return left < right
        case (.integer(let left), .double(let right)):
            if right >= 0x1p63 { return true }
            if right < -0x1p63 { return false }
            let whole = Int64(right.rounded(.down))
            return left < whole || (left == whole && Double(whole) < right)
        case (.double(let left), .integer(let right)):
            if left >= 0x1p63 { return false }
            if left < -0x1p63 { return true }
            return Int64(left.rounded(.down)) < right
        }
    }

    /// Writes the number as JSON.
    public func write(to writer: inout JSONWriter) {
        switch self {
        case .integer(let value): writer.integer(value)
        case .double(let value): writer.double(value)
        }
    }
}

/// A sum of numbers that is exact for integers, in any order.
///
/// Other numbers are added with compensation for rounding errors.
public struct ExactSum: Sendable, Hashable {
    private var high: Int64 = 0
    private var low: UInt64 = 0
    private var doubles = 0.0
    private var rounding = 0.0
    private var isWhole = true

    /// Creates a sum of zero.
    public init() {}

    /// Adds a number.
    public mutating func add(_ number: JSONNumber) {
        switch number {
        case .integer(let value):
            // The sum is a 128-bit two's complement integer, which no possible number of rows can overflow.
            let (sum, carry) = low.addingReportingOverflow(UInt64(bitPattern: value))
            low = sum
            high &+= (value < 0 ? -1 : 0) + (carry ? 1 : 0)
        case .double(let value):
            isWhole = false
            add(value)
        }
    }

    /// Adds a number repeatedly.
    ///
    /// - Parameter times: the number of additions; at least one is made.
    /// - Complexity: O(times), so that the result equals that of individual additions.
    public mutating func add(_ number: JSONNumber, times: Int64) {
        for _ in 0..<max(times, 1) { add(number) }
    }

    /// Adds another sum.
    public mutating func add(_ other: ExactSum) {
        let (sum, carry) = low.addingReportingOverflow(other.low)
        low = sum
        high &+= other.high &+ (carry ? 1 : 0)
        guard !other.isWhole else { return }
        isWhole = false
        add(other.doubles)
        add(other.rounding)
    }

    /// Adds a number with Neumaier's summation.
    private mutating func add(_ value: Double) {
        let sum = doubles + value
        rounding += abs(doubles) >= abs(value) ? (doubles - sum) + value : (value - sum) + doubles
        doubles = sum
    }

    /// The sum.
    ///
    /// The sum is an integer when only integers were added and the sum fits in `Int64`.
    public var value: JSONNumber {
        let whole = Int64(bitPattern: low)
        if isWhole, high == whole >> 63 { return .integer(whole) }
        return .double(nearest)
    }

    /// The sum as a double.
    public var nearest: Double {
        let whole = Double(high) * 0x1p64 + Double(low)
        // Adding the two halves of a small negative sum would subtract two large numbers; use the magnitude instead.
        let exact = high < 0 ? -(Double(~high) * 0x1p64 + Double(~low) + 1) : whole
        return exact + (doubles.isFinite ? doubles + rounding : doubles)
    }
}

extension QueryValue {
    /// Orders values by their JSON text, absent values first.
    ///
    /// With this order, groups with equal numbers of events are listed in a stable order.
    ///
    /// - Complexity: O(length of the values).
    public static func precedes(_ left: QueryValue?, _ right: QueryValue?) -> Bool {
        text(left).lexicographicallyPrecedes(text(right))
    }

    private static func text(_ value: QueryValue?) -> [UInt8] {
        guard let value else { return [] }
        return JSONWriter.withThreadBuffer { writer in
            value.write(to: &writer)
            return writer.array()
        }
    }
}
