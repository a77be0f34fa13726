// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// A point in the time since boot, time asleep included; it never goes back while the device runs.
///
/// Two points compare only within one boot; the boot's identity travels in the context record.
public struct MonotonicTime: Sendable, Hashable, Comparable {
    /// Milliseconds since boot.
    public var milliseconds: Int64

    /// The point that many milliseconds after boot.
    @inlinable
    public init(milliseconds: Int64) {
        self.milliseconds = milliseconds
    }

    /// The point `duration` later, stopping at the ends of the range instead of overflowing.
    public func advanced(by duration: Duration) -> MonotonicTime {
        MonotonicTime(milliseconds: milliseconds.saturatingAdd(duration.wholeMilliseconds))
    }

    /// How much later `other` is; negative when it is earlier.
    public func duration(to other: MonotonicTime) -> Duration {
        .milliseconds(other.milliseconds.saturatingSubtract(milliseconds))
    }

    /// True when the left point is earlier.
    @inlinable
    public static func < (left: Self, right: Self) -> Bool { left.milliseconds < right.milliseconds }
}

extension MonotonicTime: Codable {
    /// Reads the milliseconds as one number.
    public init(from decoder: any Decoder) throws {
        milliseconds = try decoder.singleValueContainer().decode(Int64.self)
    }

    /// Writes the milliseconds as one number.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(milliseconds)
    }
}

extension Duration {
    /// The duration in whole milliseconds, cut towards zero, stopping at the ends of `Int64`.
    public var wholeMilliseconds: Int64 {
        let (seconds, attoseconds) = components
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1000)
        if overflow { return seconds < 0 ? .min : .max }
        return product.saturatingAdd(attoseconds / 1_000_000_000_000_000)
    }
}

extension Int64 {
    /// The sum, or the nearest end of the range.
    func saturatingAdd(_ other: Int64) -> Int64 {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? (other < 0 ? .min : .max) : sum
    }

    /// The difference, or the nearest end of the range.
    func saturatingSubtract(_ other: Int64) -> Int64 {
        let (difference, overflow) = subtractingReportingOverflow(other)
        return overflow ? (other < 0 ? .max : .min) : difference
    }
}
