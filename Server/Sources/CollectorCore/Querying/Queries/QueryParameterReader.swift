// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayCore

extension TrendQuery {
    private static let known: Set<String> = [
        "name", "where", "user", "installation", "run", "last", "from", "to", "zone", "week_start", "interval",
        "measure", "by", "buckets", "values", "top", "compare", "texts",
    ]

    /// Parses a query from URL parameters.
    ///
    /// `name`, `where` and `by` may occur several times, any other parameter once. An empty value counts as absent.
    ///
    /// - Parameters:
    ///   - parameters: names and values, unescaped.
    ///   - now: the default end of the time range.
    ///   - zones: a function that returns the offsets of time zones.
    /// - Throws: ``InvalidQueryError`` with the parameter, its value, and a hint.
    public init(
        parameters: [(name: String, value: String)],
        now: Timestamp,
        zones: ZoneDirectory
    ) throws(InvalidQueryError) {
        let reader = QueryParameterReader(parameters)
        try reader.allow(only: Self.known)
        let measure = try reader.measure() ?? .events
        let grouping = try reader.grouping()
        self.init(
            try reader.filter(names: "name", conditions: ["where"]),
            in: try reader.time(now: now, zones, atMost: QueryLimits.intervals),
            measure: measure,
            grouping: grouping,
            readsTextsAsNumbers: try reader.readsTextsAsNumbers(measure)
        )
    }
}

/// Parses the URL parameters of a query.
struct QueryParameterReader {
    /// The default length of the time range.
    private static let defaultLength = Duration.seconds(30 * 86_400)

    private let values: [String: [String]]
    private let names: [String]

    /// Creates a reader for unescaped URL parameters.
    ///
    /// An empty value counts as absent.
    init(_ parameters: [(name: String, value: String)]) {
        values = Dictionary(grouping: parameters.filter { !$0.value.isEmpty }, by: \.name)
            .mapValues { $0.map(\.value) }
        names = parameters.map(\.name)
    }

    /// Rejects unknown parameters.
    ///
    /// Otherwise a typo would silently change the query.
    func allow(only known: Set<String>) throws(InvalidQueryError) {
        guard let other = names.first(where: { !known.contains($0) }) else { return }
        throw InvalidQueryError(
            String(other.prefix(64)),
            "“\(other.prefix(64))” is not a parameter of this query; use \(known.sorted().joined(separator: ", "))."
        )
    }

    /// Returns all values of a parameter.
    func all(_ name: String) -> [String] { values[name] ?? [] }

    /// Parses the filter for events.
    ///
    /// - Parameters:
    ///   - names: the parameter with event names; nil for none.
    ///   - conditions: the parameters with conditions.
    func filter(names parameter: String? = nil, conditions: [String]) throws(InvalidQueryError) -> QueryFilter {
        var filter = QueryFilter()
        if let parameter {
            for name in all(parameter) where !filter.names.contains(where: { $0.utf8.elementsEqual(name.utf8) }) {
                filter.names.append(try limitedText(name, parameter, QueryLimits.nameBytes))
            }
            try checkCount(filter.names.count, parameter, QueryLimits.names)
        }
        for parameter in conditions { filter.conditions += try self.conditions(parameter) }
        if let user = try text("user") { filter.user = try limitedText(user, "user", QueryLimits.valueBytes) }
        if let text = try text("installation") {
            guard let id = InstallationID(text) else {
                throw InvalidQueryError("installation", "“\(text.prefix(64))” is not an installation id.")
            }
            filter.installation = id
        }
        if let run = try text("run") { filter.conditions.append(try RunTag.condition(run)) }
        return filter
    }

    /// Parses the conditions in a parameter.
    func conditions(_ parameter: String) throws(InvalidQueryError) -> [QueryCondition] {
        let texts = all(parameter)
        try checkCount(texts.count, parameter, QueryLimits.conditions)
        var conditions: [QueryCondition] = []
        for text in texts { conditions.append(try QueryCondition(text, parameter: parameter)) }
        return conditions
    }

    /// Parses the time range; the default is the last thirty days.
    ///
    /// - Parameter zones: a function that returns the offsets of the zone in which the days of `last` begin.
    func range(now: Timestamp, _ zones: ZoneDirectory) throws(InvalidQueryError) -> (from: Timestamp, to: Timestamp) {
        if let last = try last(now: now, zones) { return last }
        let to = try moment("to") ?? now
        let from = try moment("from") ?? to.advanced(by: .zero - Self.defaultLength)
        for (name, moment) in [("to", to), ("from", from)] where !Self.expected.contains(moment) {
            throw InvalidQueryError(name, "\(moment.milliseconds) ms is not between the years 1900 and 2200.")
        }
        guard from < to else {
            throw InvalidQueryError(
                try text("to") == nil ? "from" : "to",
                "The range from \(from) to \(to) is empty: “to” (default: now) must be later than “from”."
            )
        }
        return (from, to)
    }

    /// Parses the time range and its intervals.
    ///
    /// - Parameter limit: the maximum number of intervals.
    func time(
        now: Timestamp,
        _ zones: ZoneDirectory,
        atMost limit: Int
    ) throws(InvalidQueryError) -> QueryTimeRange {
        let interval = try choice("interval", QueryInterval.self) ?? .day
        let (from, to) = try range(now: now, zones)
        let isCompared = try compares()
        let tooManyIntervals = InvalidQueryError(
            "interval",
            "The range from \(from) to \(to) has more than \(limit) “\(interval.rawValue)” intervals: choose a "
                + "longer interval or a shorter range."
        )
        guard from.duration(to: to) <= .milliseconds(interval.longest * Int64(limit)) else { throw tooManyIntervals }
        // The previous period has the same length, and the clocks of two zones differ by at most a day.
        let start = from.advanced(by: to.duration(to: from)).advanced(by: .seconds(-40 * 86_400))
        let zone = try zone(zones, over: start..<to.advanced(by: .seconds(2 * 86_400)))
        let calendar = try text("last").flatMap { CalendarRange(rawValue: $0) }
        guard
            let time = QueryTimeRange(
                from: from,
                to: to,
                interval: interval,
                in: zone,
                comparing: isCompared,
                of: calendar
            ),
            time.count <= limit
        else { throw tooManyIntervals }
        return time
    }

    /// Parses a duration such as `30m`, `12h` or `7d`; nil when absent.
    ///
    /// The result is in milliseconds.
    func duration(_ name: String, upTo longest: Int64) throws(InvalidQueryError) -> Int64? {
        guard let text = try text(name) else { return nil }
        let units: [Character: Int64] = ["s": 1_000, "m": 60_000, "h": 3_600_000, "d": 86_400_000]
        guard let unit = text.last.flatMap({ units[$0] }), let count = Int64(text.dropLast()), count > 0 else {
            throw InvalidQueryError(name, "“\(text.prefix(64))” is not a duration: write 30s, 15m, 12h or 7d.")
        }
        let (length, overflows) = count.multipliedReportingOverflow(by: unit)
        guard !overflows, length <= longest else {
            throw InvalidQueryError(name, "“\(text.prefix(64))” is longer than \(longest / 86_400_000) days.")
        }
        return length
    }

    /// Parses the measure; nil when absent.
    func measure() throws(InvalidQueryError) -> TrendQuery.Measure? {
        guard let text = try text("measure") else { return nil }
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        switch (parts[0], parts.count) {
        case ("events", 1): return .events
        case ("users", 1): return .users
        case ("installations", 1): return .installations
        case ("groups", 2): return .groups(try groupType(parts[1], "measure"))
        case ("sum", 2): return .sum(try field(parts[1], "measure"))
        case ("average", 2): return .average(try field(parts[1], "measure"))
        case ("p95", 2): return .p95(try field(parts[1], "measure"))
        default:
            throw InvalidQueryError(
                "measure",
                "“\(text.prefix(64))” is not one of events, users, installations, groups:company, sum:total, "
                    + "average:total, p95:total."
            )
        }
    }

    /// Parses the grouping; nil for none.
    func grouping() throws(InvalidQueryError) -> TrendQuery.Grouping? {
        let top = try number("top", in: 1...QueryLimits.groups)
        let readsValuesAsTexts = try readsValuesAsTexts()
        let fields = try groupingFields()
        let buckets = try buckets()
        guard let field = fields.first else {
            guard buckets.isEmpty else {
                throw InvalidQueryError("buckets", "“buckets” are groups of numbers; name an attribute with “by”.")
            }
            guard top == nil else {
                throw InvalidQueryError("top", "“top” is the number of groups; name an attribute with “by”.")
            }
            guard !readsValuesAsTexts else {
                throw InvalidQueryError("values", "“values” applies to groups; name an attribute with “by”.")
            }
            return nil
        }
        return TrendQuery.Grouping(
            by: field,
            and: Array(fields.dropFirst()),
            buckets: buckets,
            top: top ?? QueryLimits.defaultGroups,
            readsValuesAsTexts: readsValuesAsTexts
        )
    }

    private func readsValuesAsTexts() throws(InvalidQueryError) -> Bool {
        guard let text = try text("values") else { return false }
        guard text == "texts" else {
            throw InvalidQueryError(
                "values",
                "“\(text.prefix(64))” is not “texts”, which groups values with the same text, such as 1 and \"1\"."
            )
        }
        return true
    }

    /// Whether strings count as the numbers they spell.
    ///
    /// Only a measure of a field can use this option.
    func readsTextsAsNumbers(_ measure: TrendQuery.Measure) throws(InvalidQueryError) -> Bool {
        guard let text = try text("texts") else { return false }
        guard text == "numbers" else {
            throw InvalidQueryError(
                "texts",
                "“\(text.prefix(64))” is not “numbers”, which converts strings such as \"12.50\" to numbers."
            )
        }
        guard measure.field != nil else {
            throw InvalidQueryError("texts", "“texts” requires a measure of an attribute, such as measure=sum:total.")
        }
        return true
    }

    private func compares() throws(InvalidQueryError) -> Bool {
        guard let text = try text("compare") else { return false }
        guard text == "before" else {
            throw InvalidQueryError("compare", "“\(text.prefix(64))” is not “before”, meaning the previous period.")
        }
        return true
    }

    /// The time range that the calendar supports.
    static let expected =
        Timestamp(milliseconds: -2_208_988_800_000)..<Timestamp(milliseconds: 7_258_118_400_000)

    /// Returns the value of a parameter that may occur once; nil when absent.
    func text(_ name: String) throws(InvalidQueryError) -> String? {
        let all = all(name)
        guard all.count <= 1 else {
            throw InvalidQueryError(name, "“\(name)” occurs \(all.count) times; this query takes it once.")
        }
        return all.first
    }

    private func field(_ text: Substring, _ name: String) throws(InvalidQueryError) -> QueryField {
        try QueryField(String(text), parameter: name)
    }

    /// Parses a time in Unix milliseconds or ISO 8601; nil when absent.
    func moment(_ name: String) throws(InvalidQueryError) -> Timestamp? {
        guard let text = try text(name) else { return nil }
        guard let moment = Int64(text).map(Timestamp.init(milliseconds:)) ?? Timestamp(iso8601: text) else {
            throw InvalidQueryError(
                name,
                "“\(text.prefix(64))” is not a time: write Unix milliseconds or 2026-11-21T06:38:00.000Z."
            )
        }
        return moment
    }

    /// Parses an integer; nil when absent.
    func number(_ name: String, in bounds: ClosedRange<Int>) throws(InvalidQueryError) -> Int? {
        guard let text = try text(name) else { return nil }
        guard let number = Int(text) else {
            throw InvalidQueryError(name, "“\(text.prefix(64))” is not a whole number.")
        }
        guard bounds.contains(number) else {
            throw InvalidQueryError(name, "\(number) is not between \(bounds.lowerBound) and \(bounds.upperBound).")
        }
        return number
    }

    /// Parses one of a fixed set of values; nil when absent.
    func choice<Choice: CaseIterable & RawRepresentable<String>>(
        _ name: String,
        _ type: Choice.Type
    ) throws(InvalidQueryError) -> Choice? {
        guard let text = try text(name) else { return nil }
        guard let choice = Choice(rawValue: text) else {
            let choices = type.allCases.map(\.rawValue).joined(separator: ", ")
            throw InvalidQueryError(name, "“\(text.prefix(64))” is not one of \(choices).")
        }
        return choice
    }

    /// Returns a string, or throws if the string is too long.
    func limitedText(_ text: String, _ name: String, _ limit: Int) throws(InvalidQueryError) -> String {
        guard text.utf8.count <= limit else {
            throw InvalidQueryError(
                name,
                "“\(text.prefix(64))…” has \(text.utf8.count) bytes; at most \(limit) are allowed."
            )
        }
        return text
    }

    /// Throws if a parameter occurs too many times.
    func checkCount(_ count: Int, _ name: String, _ limit: Int) throws(InvalidQueryError) {
        guard count <= limit else {
            throw InvalidQueryError(name, "“\(name)” occurs \(count) times; at most \(limit) are allowed.")
        }
    }
}
