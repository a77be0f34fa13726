// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore

/// A time range that ends now, in whole days, hours or minutes.
///
/// `30d` is today and the preceding 29 days.
struct RelativeRange: Sendable, Hashable {
    /// The unit of a relative range.
    enum Unit: Character, Sendable, Hashable {
        /// Days of a zone's calendar.
        case day = "d"
        /// Full hours.
        case hour = "h"
        /// Full minutes.
        case minute = "m"

        /// The usual length in milliseconds.
        var length: Int64 {
            switch self {
            case .day: QueryInterval.dayLength
            case .hour: 3_600_000
            case .minute: 60_000
            }
        }
    }

    /// The number of units, including the current one; at least 1.
    let count: Int64
    /// The unit.
    let unit: Unit

    /// The maximum length of a range, in days.
    static let longestDays: Int64 = 3_660

    /// Parses `30d`, `24h` or `90m`.
    ///
    /// - Throws: ``InvalidQueryError`` for the parameter `last`.
    init(_ text: String) throws(InvalidQueryError) {
        let digits = text.dropLast()
        guard let unit = text.last.flatMap(Unit.init), digits.utf8.allSatisfy({ (48...57).contains($0) }),
            let count = Int64(digits), count > 0
        else {
            throw InvalidQueryError(
                "last",
                "“\(text.prefix(64))” is not a time range: write 90m, 24h or 30d, which include the current one, or one of "
                    + "\(CalendarRange.names)."
            )
        }
        guard count <= Self.longestDays * QueryInterval.dayLength / unit.length else {
            throw InvalidQueryError("last", "“\(text.prefix(64))” is longer than \(Self.longestDays) days.")
        }
        self.count = count
        self.unit = unit
    }

    /// Returns the start of the range.
    ///
    /// - Parameters:
    ///   - now: the end of the range.
    ///   - zone: the time zone of the days; its offsets must cover ``needed(until:)``.
    func start(until now: Timestamp, in zone: ZoneOffsets) -> Timestamp {
        switch unit {
        case .hour, .minute:
            Timestamp(milliseconds: floored(now.milliseconds, to: unit.length) - (count - 1) * unit.length)
        case .day:
            // At exactly midnight, the new day has already begun.
            zone.instant(local: floored(zone.local(now), to: unit.length) - (count - 1) * unit.length)
        }
    }

    /// Returns the time range for which a zone's offsets are needed.
    func needed(until now: Timestamp) -> Range<Timestamp> {
        now.advanced(by: .milliseconds(-(count + 3) * unit.length))..<now.advanced(by: .seconds(2 * 86_400))
    }
}

extension QueryParameterReader {
    /// Parses the time range in `last`; nil when absent.
    func last(now: Timestamp, _ zones: ZoneDirectory) throws(InvalidQueryError) -> (from: Timestamp, to: Timestamp)? {
        guard let text = try text("last") else { return nil }
        try checkLastIsAlone()
        if let range = CalendarRange(rawValue: text) {
            return range.range(at: now, in: try zone(zones, over: CalendarRange.needed(until: now)))
        }
        guard text != AllTimeRange.name else {
            throw InvalidQueryError(
                "last",
                "“all” is not available here: write “from” with a date, or a range such as 90d."
            )
        }
        let range = try RelativeRange(text)
        let start = range.start(until: now, in: try zone(zones, over: range.needed(until: now)))
        guard start < now else {
            // The only minute, hour or day of the range starts exactly now, so the range would be empty.
            return (Timestamp(milliseconds: now.milliseconds - 1), now)
        }
        return (start, now)
    }

    /// Throws if `last` is combined with another range.
    func checkLastIsAlone() throws(InvalidQueryError) {
        for other in ["from", "to"] {
            guard try text(other) != nil else { continue }
            throw InvalidQueryError(
                "last",
                "“last” counts back from now and cannot be combined with “\(other)”; omit one of them."
            )
        }
    }

    /// Returns the time zone of the query, with the day on which its weeks begin.
    ///
    /// - Parameter range: the time range that the offsets must cover.
    func zone(_ zones: ZoneDirectory, over range: Range<Timestamp>) throws(InvalidQueryError) -> ZoneOffsets {
        let name = try text("zone") ?? "UTC"
        guard var zone = name.utf8.count <= 64 ? zones(name, range) : nil else {
            throw InvalidQueryError(
                "zone",
                "“\(name.prefix(64))” is not the name of a time zone, such as Europe/Berlin or UTC."
            )
        }
        zone.weekStart = try choice("week_start", WeekStart.self) ?? .monday
        return zone
    }
}
