// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayEvents

/// A value of an attribute or of the context, as questions compare and group it.
///
/// Texts are compared byte by byte, as the index does: two spellings of one letter are two texts.
public enum QuestionValue: Sendable, Hashable {
    /// Text, as UTF-8.
    case text([UInt8])
    /// A number. A whole number below 2⁶³ is always an integer here, however it was written.
    case number(JSONNumber)
    /// True or false.
    case boolean(Bool)
    /// A list or an object, as JSON. It exists, and equals nothing that can be asked for.
    case structure([UInt8])

    /// A value from JSON; nil for null, which counts as absent.
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

    /// The number, if it is one.
    public var number: JSONNumber? {
        if case .number(let number) = self { number } else { nil }
    }

    /// The number that a text spells exactly as JSON does, such as "12.50"; nil for any other value.
    ///
    /// - Complexity: O(bytes of the text).
    public var spelledNumber: JSONNumber? {
        // JSON allows spaces around a number, which a text may only have if it is not one.
        guard case .text(let bytes) = self, let first = bytes.first, let last = bytes.last,
            first == UInt8(ascii: "-") || Self.digits.contains(first), Self.digits.contains(last)
        else { return nil }
        // What cannot be parsed is no number: the text stays a text, and is counted as one.
        return switch try? JSONValue.parse(bytes) {
        case .integer(let number)?: .integer(number)
        case .double(let number)? where number.isFinite: JSONNumber.double(number).simplest
        default: nil
        }
    }

    private static let digits = UInt8(ascii: "0")...UInt8(ascii: "9")

    /// The value as text, in UTF-8: a text itself, and of any other value its JSON.
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

    /// Bytes in memory, roughly.
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
    /// The same number, as an integer if it is one.
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

    /// Whether this number is less than another, exactly: no rounding of whole numbers on the way.
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

/// A sum of numbers: exact for whole ones, whatever their order; others are added with their rounding errors kept track of.
public struct ExactSum: Sendable, Hashable {
    private var high: Int64 = 0
    private var low: UInt64 = 0
    private var doubles = 0.0
    private var rounding = 0.0
    private var isWhole = true

    /// Nothing yet: zero.
    public init() {}

    /// Adds a number.
    public mutating func add(_ number: JSONNumber) {
        switch number {
        case .integer(let value):
            // 128 bits in two's complement: no number of rows overflows it.
            let (sum, carry) = low.addingReportingOverflow(UInt64(bitPattern: value))
            low = sum
            high &+= (value < 0 ? -1 : 0) + (carry ? 1 : 0)
        case .double(let value):
            isWhole = false
            add(value)
        }
    }

    /// Adds a number several times.
    ///
    /// - Parameter times: how often; at least once.
    /// - Complexity: O(times), so that the sum is the one that adding it by itself gives.
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

    /// Neumaier's summation.
    private mutating func add(_ value: Double) {
        let sum = doubles + value
        rounding += abs(doubles) >= abs(value) ? (doubles - sum) + value : (value - sum) + doubles
        doubles = sum
    }

    /// The sum: an integer when only whole numbers were added and it is below 2⁶³.
    public var value: JSONNumber {
        let whole = Int64(bitPattern: low)
        if isWhole, high == whole >> 63 { return .integer(whole) }
        return .double(nearest)
    }

    /// The sum as a double.
    public var nearest: Double {
        let whole = Double(high) * 0x1p64 + Double(low)
        // A small negative sum is the difference of two large numbers here; that of the magnitudes is not.
        let exact = high < 0 ? -(Double(~high) * 0x1p64 + Double(~low) + 1) : whole
        return exact + (doubles.isFinite ? doubles + rounding : doubles)
    }
}

extension QuestionValue {
    /// An order of values, by their JSON text, no value first: groups with as many events come in the same order always.
    ///
    /// - Complexity: O(length of the values).
    public static func precedes(_ left: QuestionValue?, _ right: QuestionValue?) -> Bool {
        text(left).lexicographicallyPrecedes(text(right))
    }

    private static func text(_ value: QuestionValue?) -> [UInt8] {
        guard let value else { return [] }
        return JSONWriter.withThreadBuffer { writer in
            value.write(to: &writer)
            return writer.array()
        }
    }
}
