// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// A point in wall time: milliseconds since 1970-01-01T00:00:00Z, as the device's clock showed it.
///
/// Wall clocks jump. Durations, order and expiry use ``MonotonicTime``.
public struct Timestamp: Sendable, Hashable, Comparable {
    /// Milliseconds since 1970-01-01T00:00:00Z; negative before it.
    public var milliseconds: Int64

    /// The point that many milliseconds after 1970-01-01T00:00:00Z.
    @inlinable
    public init(milliseconds: Int64) {
        self.milliseconds = milliseconds
    }

    /// The point `duration` later, stopping at the ends of the range instead of overflowing.
    public func advanced(by duration: Duration) -> Timestamp {
        Timestamp(milliseconds: milliseconds.saturatingAdd(duration.wholeMilliseconds))
    }

    /// How much later `other` is; negative when it is earlier.
    public func duration(to other: Timestamp) -> Duration {
        .milliseconds(other.milliseconds.saturatingSubtract(milliseconds))
    }

    /// True when the left point is earlier.
    @inlinable
    public static func < (left: Self, right: Self) -> Bool { left.milliseconds < right.milliseconds }
}

extension Timestamp: Codable {
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
