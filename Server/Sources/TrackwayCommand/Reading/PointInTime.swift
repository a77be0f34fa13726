// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore

/// A point in time as a person types it: `2026-11-21`, `2026-11-21T06:38:00Z`, milliseconds since 1970, or `2h` (ago).
struct PointInTime: Sendable, Hashable {
    /// The timestamp of the point in time.
    var timestamp: Timestamp

    /// Parses a point in time.
    ///
    /// Dates without a zone are UTC.
    ///
    /// - Parameters:
    ///   - text: The text to parse.
    ///   - now: The time from which `30s`, `15m`, `2h`, and `7d` count back.
    /// - Throws: ``CommandFailure`` `usage` with the valid formats.
    init(_ text: String, now: Timestamp) throws(CommandFailure) {
        guard let timestamp = Self.ago(text, now: now) ?? Self.absolute(text) else {
            throw CommandFailure(
                .usage,
                "“\(text)” is not a point in time",
                remedy:
                    "write 2026-11-21, 2026-11-21T06:38:00Z, 1795243080000 (ms), or 30s, 15m, 2h, 7d ago"
            )
        }
        self.timestamp = timestamp
    }

    private static func ago(_ text: String, now: Timestamp) -> Timestamp? {
        let seconds: Int64
        switch text.last {
        case "s": seconds = 1
        case "m": seconds = 60
        case "h": seconds = 3600
        case "d": seconds = 86_400
        default: return nil
        }
        guard let count = Int64(text.dropLast()), (0...1_000_000).contains(count) else { return nil }
        return now.advanced(by: .seconds(-count * seconds))
    }

    /// Parses a date, a time or milliseconds; nil if the text is neither.
    static func absolute(_ text: String) -> Timestamp? {
        if let milliseconds = Int64(text), text.count >= 9 { return Timestamp(milliseconds: milliseconds) }
        let full =
            switch text.count {
            case 10: text + "T00:00:00.000Z"
            case 16: text + ":00.000Z"
            case 19: text + ".000Z"
            case 20 where text.hasSuffix("Z"): String(text.dropLast()) + ".000Z"
            default: text
            }
        return Timestamp(iso8601: full)
    }
}
