// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// A wall time: milliseconds since 1970-01-01T00:00:00Z, by the device's clock.
///
/// The wall clock can jump. Durations, order and expiry use ``MonotonicTime``.
public struct Timestamp: Sendable, Hashable, Comparable {
    /// Milliseconds since 1970-01-01T00:00:00Z; negative for earlier times.
    public var milliseconds: Int64

    /// Creates a time from the milliseconds since 1970-01-01T00:00:00Z.
    @inlinable
    public init(milliseconds: Int64) {
        self.milliseconds = milliseconds
    }

    /// Returns the time `duration` later, clamped to the range instead of overflowing.
    public func advanced(by duration: Duration) -> Timestamp {
        Timestamp(milliseconds: milliseconds.saturatingAdd(duration.wholeMilliseconds))
    }

    /// Returns how much later `other` is; negative if it is earlier.
    public func duration(to other: Timestamp) -> Duration {
        .milliseconds(other.milliseconds.saturatingSubtract(milliseconds))
    }

    /// Whether the left time is earlier.
    @inlinable
    public static func < (left: Self, right: Self) -> Bool { left.milliseconds < right.milliseconds }
}

extension Timestamp: Codable {
    /// Decodes the milliseconds from one number.
    public init(from decoder: any Decoder) throws {
        milliseconds = try decoder.singleValueContainer().decode(Int64.self)
    }

    /// Encodes the milliseconds as one number.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(milliseconds)
    }
}

extension Timestamp: LosslessStringConvertible {
    /// The range of the 24-character form: the years 0000 to 9999.
    public static let representableRange =
        Timestamp(milliseconds: -62_167_219_200_000)...Timestamp(milliseconds: 253_402_300_799_999)

    /// The length of the form `2026-11-21T06:38:00.000Z`.
    static let textLength = 24

    /// Parses exactly the form `2026-11-21T06:38:00.000Z`.
    ///
    /// Returns nil for anything else, and for dates that do not exist.
    public init?(iso8601 text: some StringProtocol) {
        var text = String(text)
        guard let value = text.withUTF8({ Timestamp(iso8601: UnsafeRawBufferPointer($0)) }) else { return nil }
        self = value
    }

    /// Parses exactly the form `2026-11-21T06:38:00.000Z` from UTF-8 bytes.
    ///
    /// Returns nil for anything else.
    public init?(iso8601 text: UnsafeRawBufferPointer) {
        guard text.count == Self.textLength, text[10] == UInt8(ascii: "T"), text[23] == UInt8(ascii: "Z"),
            text[4] == UInt8(ascii: "-"), text[7] == UInt8(ascii: "-"), text[13] == UInt8(ascii: ":"),
            text[16] == UInt8(ascii: ":"), text[19] == UInt8(ascii: ".")
        else { return nil }
        guard let century = Self.twoDigits(text, 0), let yearOfCentury = Self.twoDigits(text, 2),
            let month = Self.twoDigits(text, 5), let day = Self.twoDigits(text, 8),
            let hour = Self.twoDigits(text, 11), let minute = Self.twoDigits(text, 14),
            let second = Self.twoDigits(text, 17), let hundredths = Self.twoDigits(text, 20),
            text[22] &- 0x30 < 10
        else { return nil }
        let year = century * 100 + yearOfCentury
        guard (1...12).contains(month), day >= 1, day <= Self.days(inMonth: month, of: year), hour < 24, minute < 60,
            second < 60
        else { return nil }
        let seconds = ((Self.days(toYear: year, month: month, day: day) * 24 + hour) * 60 + minute) * 60 + second
        milliseconds = seconds * 1000 + hundredths * 10 + Int64(text[22] &- 0x30)
    }

    /// The 24-character form in UTC.
    ///
    /// A time outside ``representableRange`` is clamped to that range.
    public var iso8601: String {
        String(unsafeUninitializedCapacity: Self.textLength) { buffer in
            guard let start = buffer.baseAddress else { return 0 }
            let clamped = min(max(self, Self.representableRange.lowerBound), Self.representableRange.upperBound)
            clamped.writeText(to: UnsafeMutableRawPointer(start))
            return Self.textLength
        }
    }

    /// The 24-character form.
    public var description: String { iso8601 }

    /// Parses the 24-character form.
    public init?(_ description: String) {
        self.init(iso8601: description)
    }

    /// Writes the 24 characters at `target`, which must have space for them.
    ///
    /// The time must be in ``representableRange``.
    func writeText(to target: UnsafeMutableRawPointer) {
        let (days, rest) = Self.divideFloor(milliseconds, by: 86_400_000)
        let (year, month, day) = Self.civil(fromDays: days)
        let seconds = rest / 1000
        let thousandths = rest % 1000
        Decimal.writeTwo(UInt32(truncatingIfNeeded: year / 100), to: target)
        Decimal.writeTwo(UInt32(truncatingIfNeeded: year % 100), to: target + 2)
        target.storeBytes(of: UInt8(ascii: "-"), toByteOffset: 4, as: UInt8.self)
        Decimal.writeTwo(UInt32(truncatingIfNeeded: month), to: target + 5)
        target.storeBytes(of: UInt8(ascii: "-"), toByteOffset: 7, as: UInt8.self)
        Decimal.writeTwo(UInt32(truncatingIfNeeded: day), to: target + 8)
        target.storeBytes(of: UInt8(ascii: "T"), toByteOffset: 10, as: UInt8.self)
        Decimal.writeTwo(UInt32(truncatingIfNeeded: seconds / 3600), to: target + 11)
        target.storeBytes(of: UInt8(ascii: ":"), toByteOffset: 13, as: UInt8.self)
        Decimal.writeTwo(UInt32(truncatingIfNeeded: seconds / 60 % 60), to: target + 14)
        target.storeBytes(of: UInt8(ascii: ":"), toByteOffset: 16, as: UInt8.self)
        Decimal.writeTwo(UInt32(truncatingIfNeeded: seconds % 60), to: target + 17)
        target.storeBytes(of: UInt8(ascii: "."), toByteOffset: 19, as: UInt8.self)
        Decimal.writeTwo(UInt32(truncatingIfNeeded: thousandths / 10), to: target + 20)
        target.storeBytes(of: 0x30 | UInt8(truncatingIfNeeded: thousandths % 10), toByteOffset: 22, as: UInt8.self)
        target.storeBytes(of: UInt8(ascii: "Z"), toByteOffset: 23, as: UInt8.self)
    }

    private static func twoDigits(_ text: UnsafeRawBufferPointer, _ offset: Int) -> Int64? {
        let tens = text[offset] &- 0x30
        let ones = text[offset + 1] &- 0x30
        guard tens < 10, ones < 10 else { return nil }
        return Int64(tens) * 10 + Int64(ones)
    }

    private static func divideFloor(_ value: Int64, by divisor: Int64) -> (quotient: Int64, remainder: Int64) {
        let (quotient, remainder) = value.quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }

    private static func days(inMonth month: Int64, of year: Int64) -> Int64 {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// Returns the days since 1970-01-01 in the proleptic Gregorian calendar.
    ///
    /// Years start in March here, so that the leap day is the last day of the year and the month lengths repeat every
    /// five months (153 days).
    private static func days(toYear year: Int64, month: Int64, day: Int64) -> Int64 {
        let shifted = month <= 2 ? year - 1 : year
        let era = divideFloor(shifted, by: 400).quotient
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    private static func civil(fromDays days: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let (era, dayOfEra) = divideFloor(days + 719_468, by: 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shifted = (5 * dayOfYear + 2) / 153
        let month = shifted < 10 ? shifted + 3 : shifted - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shifted + 2) / 5 + 1)
    }
}
