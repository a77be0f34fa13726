// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayEvents

/// A stretch of time as people read it: `250 ms`, `3.2 s`, `1 min 17 s`, `2 h 5 min`.
public struct TimeSpan: Sendable, Hashable {
    /// Its length.
    public var milliseconds: Int64

    /// A stretch of this length.
    public init(milliseconds: Int64) {
        self.milliseconds = milliseconds
    }

    /// What lies between two moments, however far apart.
    public init(from start: Timestamp, to end: Timestamp) {
        let (length, isOver) = end.milliseconds.subtractingReportingOverflow(start.milliseconds)
        milliseconds = isOver ? (end < start ? .min : .max) : length
    }

    /// Two steps at most.
    public var text: String {
        // Half a second less than the largest number, for rounding: any number may have been sent.
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
    /// The number for a person: `1,204,331`.
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
