// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayCore

/// A duration in readable form.
///
/// Examples are `250 ms`, `3.2 s`, `1 min 17 s`, and `2 h 5 min`.
public struct TimeSpan: Sendable, Hashable {
    /// The duration in milliseconds.
    public var milliseconds: Int64

    /// Creates a time span of the given duration.
    public init(milliseconds: Int64) {
        self.milliseconds = milliseconds
    }

    /// Creates the time span between two times, clamped on overflow.
    public init(from start: Timestamp, to end: Timestamp) {
        let (length, isOver) = end.milliseconds.subtractingReportingOverflow(start.milliseconds)
        milliseconds = isOver ? (end < start ? .min : .max) : length
    }

    /// The duration as text, in at most two units.
    public var text: String {
        // Leave half a second for rounding, because the received number may be arbitrarily large.
        let length = min(max(0, milliseconds), .max - 500)
        if length < 1_000 { return "\(length) ms" }
        if length < 59_950 { return "\((length + 50) / 1_000).\((length + 50) % 1_000 / 100) s" }
        let seconds = (length + 500) / 1_000
        if seconds < 3_600 { return Self.pair(seconds / 60, "min", seconds % 60, "s") }
        if seconds < 86_400 { return Self.pair(seconds / 3_600, "h", seconds % 3_600 / 60, "min") }
        return Self.pair(seconds / 86_400, "d", seconds % 86_400 / 3_600, "h")
    }

    private static func pair(_ large: Int64, _ unit: String, _ small: Int64, _ part: String) -> String {
        small == 0 ? "\(large) \(unit)" : "\(large) \(unit) \(small) \(part)"
    }
}

extension BinaryInteger {
    /// The number with thousands separators: `1,204,331`.
    public var grouped: String {
        let digits = String(magnitude)
        var text = ""
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index) % 3 == 0 { text.append(",") }
            text.append(digit)
        }
        return self < 0 ? "-" + text : text
    }
}
