// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayCore

/// The day on which weeks begin.
public enum WeekStart: String, Sendable, Hashable, CaseIterable {
    /// Monday, as in ISO 8601.
    case monday
    /// Sunday.
    case sunday
    /// Saturday.
    case saturday

    /// The number of days from the last such day before 1970 to January 1, 1970, a Thursday.
    var daysBeforeEpoch: Int64 {
        switch self {
        case .monday: 3
        case .sunday: 4
        case .saturday: 5
        }
    }
}

/// The collector's calendar, for queries that name no time zone or week start.
public struct ProjectCalendar: Sendable, Hashable {
    /// A parameter of a query.
    public typealias Parameter = (name: String, value: String)

    /// The IANA name of the time zone; nil if none is set, which means UTC.
    public var timeZone: String?
    /// The day on which weeks begin.
    public var weekStart: WeekStart

    /// Creates a calendar.
    public init(timeZone: String? = nil, weekStart: WeekStart = .monday) {
        self.timeZone = timeZone
        self.weekStart = weekStart
    }

    /// Returns a query's parameters with the calendar's values for those that the query lacks.
    ///
    /// - Parameter hasWeeks: whether the query takes `week_start`.
    public func completing(_ parameters: [Parameter], hasWeeks: Bool = true) -> [Parameter] {
        func lacks(_ name: String) -> Bool { !parameters.contains { $0.name == name && !$0.value.isEmpty } }
        var completed = parameters
        if let timeZone, lacks("zone") { completed.append(("zone", timeZone)) }
        if hasWeeks, weekStart != .monday, lacks("week_start") { completed.append(("week_start", weekStart.rawValue)) }
        return completed
    }
}

/// A time range such as `yesterday` or `this-week`, in days of a zone's calendar.
///
/// A range that has not ended extends to the present.
public enum CalendarRange: String, Sendable, Hashable, CaseIterable {
    /// The current day.
    case today
    /// The day before.
    case yesterday
    /// The current week.
    case thisWeek = "this-week"
    /// The week before.
    case lastWeek = "last-week"
    /// The current month.
    case thisMonth = "this-month"
    /// The month before.
    case lastMonth = "last-month"

    /// The interval of the calendar.
    public var interval: QueryInterval {
        switch self {
        case .today, .yesterday: .day
        case .thisWeek, .lastWeek: .week
        case .thisMonth, .lastMonth: .month
        }
    }

    /// Whether the range has not ended.
    var isOpen: Bool {
        switch self {
        case .today, .thisWeek, .thisMonth: true
        case .yesterday, .lastWeek, .lastMonth: false
        }
    }

    /// The names of all ranges, for error messages.
    static var names: String { allCases.map(\.rawValue).joined(separator: ", ") }

    /// Returns the range.
    ///
    /// - Parameters:
    ///   - now: the present.
    ///   - zone: the time zone; its offsets must cover ``needed(until:)``.
    func range(at now: Timestamp, in zone: ZoneOffsets) -> (from: Timestamp, to: Timestamp) {
        let start = interval.start(containing: now, in: zone)
        guard isOpen else { return (interval.start(before: start, in: zone), start) }
        // A range that begins exactly now has at least one millisecond.
        return (start, max(now, start.advanced(by: .milliseconds(1))))
    }

    /// Returns the time range for which a zone's offsets are needed.
    static func needed(until now: Timestamp) -> Range<Timestamp> {
        now.advanced(by: .seconds(-70 * 86_400))..<now.advanced(by: .seconds(2 * 86_400))
    }
}

/// The value `all` of `last`: from the day of the first event to the present.
///
/// The first event is known only to the store, so the range is resolved before the query is parsed.
public enum AllTimeRange {
    /// The value of `last`.
    public static let name = "all"

    /// Whether a query's parameters ask for all time.
    public static func isRequested(by parameters: [ProjectCalendar.Parameter]) -> Bool {
        parameters.contains { $0.name == "last" && $0.value == name }
    }

    /// Returns parameters with the range instead of `last`.
    ///
    /// - Parameters:
    ///   - parameters: parameters that contain `last` with the value ``name``.
    ///   - first: the time of the first event; nil for none.
    ///   - now: the end of the range.
    ///   - zones: a function that returns the offsets of time zones.
    /// - Throws: ``InvalidQueryError`` if `last` is repeated or combined with `from` or `to`, or the zone is invalid.
    public static func resolved(
        _ parameters: [ProjectCalendar.Parameter],
        first: Timestamp?,
        now: Timestamp,
        zones: ZoneDirectory
    ) throws(InvalidQueryError) -> [ProjectCalendar.Parameter] {
        let reader = QueryParameterReader(parameters)
        _ = try reader.text("last")
        try reader.checkLastIsAlone()
        // One event of a device with a wrong clock must not make the range too long.
        let limit = now.advanced(by: .seconds(-86_400 * RelativeRange.longestDays))
        let earliest = min(max(first ?? now, QueryParameterReader.expected.lowerBound, limit), now)
        let day = Duration.seconds(2 * 86_400)
        let zone = try reader.zone(zones, over: earliest.advanced(by: .zero - day)..<earliest.advanced(by: day))
        let start = QueryInterval.day.start(containing: earliest, in: zone)
        let end = max(now, start.advanced(by: .milliseconds(1)))
        return parameters.filter { $0.name != "last" } + [
            ("from", String(max(start, QueryParameterReader.expected.lowerBound).milliseconds)),
            ("to", String(end.milliseconds)),
        ]
    }
}
