// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// A time since boot, including sleep.
///
/// The time never decreases while the device runs.
///
/// Two times are comparable only within one boot; the context record contains the boot id.
public struct MonotonicTime: Sendable, Hashable, Comparable {
    /// Milliseconds since boot.
    public var milliseconds: Int64

    /// Creates a time from the milliseconds since boot.
    @inlinable
    public init(milliseconds: Int64) {
        self.milliseconds = milliseconds
    }

    /// Returns the time `duration` later, clamped to the range instead of overflowing.
    public func advanced(by duration: Duration) -> MonotonicTime {
        MonotonicTime(milliseconds: milliseconds.saturatingAdd(duration.wholeMilliseconds))
    }

    /// Returns how much later `other` is; negative if it is earlier.
    public func duration(to other: MonotonicTime) -> Duration {
        .milliseconds(other.milliseconds.saturatingSubtract(milliseconds))
    }

    /// Whether the left time is earlier.
    @inlinable
    public static func < (left: Self, right: Self) -> Bool { left.milliseconds < right.milliseconds }
}

extension MonotonicTime: Codable {
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

extension Duration {
    /// The duration in whole milliseconds.
    ///
    /// The value is truncated toward zero, and clamped to the range of `Int64`.
    public var wholeMilliseconds: Int64 {
        let (seconds, attoseconds) = components
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1000)
        if overflow { return seconds < 0 ? .min : .max }
        return product.saturatingAdd(attoseconds / 1_000_000_000_000_000)
    }
}

extension Int64 {
    /// Returns the sum, clamped to the range of `Int64`.
    func saturatingAdd(_ other: Int64) -> Int64 {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? (other < 0 ? .min : .max) : sum
    }

    /// Returns the difference, clamped to the range of `Int64`.
    func saturatingSubtract(_ other: Int64) -> Int64 {
        let (difference, overflow) = subtractingReportingOverflow(other)
        return overflow ? (other < 0 ? .max : .min) : difference
    }
}
