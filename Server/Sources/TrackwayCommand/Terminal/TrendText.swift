// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import Foundation
internal import TrackwayCore

/// A trend, decoded from the collector's response.
struct CollectorTrend: Sendable {
    /// One series.
    struct Series: Sendable {
        /// The kind of group: `all`, `value`, `none` (events without the attribute), or `other`.
        var kind: String
        /// The value, or the number of other groups; empty for `all` and `none`.
        var group: String
        /// Whether the value is a string rather than another JSON type.
        var isText = false
        /// The result for each interval; nil for none.
        var values: [JSONValue?]
        /// The result for the whole period.
        var total: JSONValue?
        /// The event counts by type of the measured attribute; nil without such an attribute.
        var valueTypes: ValueTypeCounts?
        /// The results of the previous period.
        var before: (values: [JSONValue?], total: JSONValue?)?
    }

    /// The event counts by type of the measured attribute's value.
    struct ValueTypeCounts: Sendable, Hashable {
        var numbers: Int64 = 0
        var texts: Int64 = 0
        var others: Int64 = 0
        var missing: Int64 = 0

        /// The total number of events.
        var events: Int64 { numbers &+ texts &+ others &+ missing }

        func adding(_ other: ValueTypeCounts) -> ValueTypeCounts {
            ValueTypeCounts(
                numbers: numbers &+ other.numbers,
                texts: texts &+ other.texts,
                others: others &+ other.others,
                missing: missing &+ other.missing
            )
        }
    }

    /// The name of the time zone.
    var zone: String
    /// The length of the intervals.
    var interval: String
    /// The edges of the intervals.
    var edges: [Timestamp]
    /// The series.
    var series: [Series]
    /// The indices of intervals that are only partly in the range.
    var partial: Set<Int>

    /// Decodes the collector's JSON; absent members count as empty.
    init(_ json: JSONValue) {
        zone = json["zone"]?.string ?? "UTC"
        interval = json["interval"]?.string ?? ""
        partial = Set(json.integers("partial_intervals").map { Int(clamping: $0) })
        edges = (json["edges"]?.array ?? []).compactMap { $0.integer.map(Timestamp.init(milliseconds:)) }
        series = (json["series"]?.array ?? []).map { series in
            let (values, total) = Self.numbers(series)
            var entry = Series(kind: "all", group: "", values: values, total: total)
            if let others = series["other"]?.integer {
                (entry.kind, entry.group) = ("other", String(others))
            } else if let value = series["group"] {
                (entry.kind, entry.group) = value == .null ? ("none", "") : ("value", Self.text(value))
                entry.isText = value.string != nil
            }
            if let numbers = series["numbers"]?.integer {
                entry.valueTypes = ValueTypeCounts(
                    numbers: numbers,
                    texts: series["texts"]?.integer ?? 0,
                    others: series["others"]?.integer ?? 0,
                    missing: series["missing"]?.integer ?? 0
                )
            }
            entry.before = series["before"].map { Self.numbers($0) }
            return entry
        }
    }

    private static func numbers(_ json: JSONValue) -> (values: [JSONValue?], total: JSONValue?) {
        ((json["values"]?.array ?? []).map { $0 == .null ? nil : $0 }, json["total"].flatMap { $0 == .null ? nil : $0 })
    }

    /// Returns a string unchanged, and any other value as JSON.
    private static func text(_ value: JSONValue) -> String {
        value.string ?? String(decoding: value.json(), as: UTF8.self)
    }

    /// The CSV lines: a heading, and a line for each series and interval.
    ///
    /// Times are UTC.
    var csv: [String] {
        let isCompared = series.contains { $0.before != nil }
        var lines = ["start,end,kind,group,value" + (isCompared ? ",before" : "")]
        for series in series {
            for (index, interval) in zip(edges, edges.dropFirst()).enumerated() where index < series.values.count {
                var cells = [interval.0.iso8601, interval.1.iso8601, series.kind, UsageReportRow.quoted(series.group)]
                cells.append(series.values[index].map(Self.text) ?? "")
                if let before = series.before { cells.append(before.values[index].map(Self.text) ?? "") }
                lines.append(cells.joined(separator: ","))
            }
        }
        return lines
    }
}

/// Formats a trend as text.
struct TrendText: Sendable {
    /// The maximum length of a group's label, in characters.
    private static let longestGroup = 24

    /// The text style.
    var style: Style
    /// The time zone for displayed times.
    var zone: TimeZone

    /// Returns a heading, a table, and notes.
    ///
    /// The table has a row for each interval, a column for each series, and the totals.
    ///
    /// - Parameters:
    ///   - trend: The trend.
    ///   - names: The names of the events; empty for all.
    ///   - measure: The measure, as requested.
    func lines(_ trend: CollectorTrend, of names: [String], measure: String) -> [String] {
        guard let start = trend.edges.first, let end = trend.edges.last else {
            return ["The collector returned no intervals."]
        }
        let dates = DateLabels(style: style, zone: zone)
        let subject = names.isEmpty ? "All events" : names.map(EventLineFormat.plain).joined(separator: ", ")
        let heading =
            "\(subject): \(measure) by \(trend.interval), \(dates.moment(start)) – \(dates.moment(end)) (\(trend.zone))"
        guard !trend.series.isEmpty else { return [heading, "No such events in this period."] }
        let single = trend.series.count == 1 && trend.series[0].kind == "all" ? trend.series[0] : nil
        var columns: [(heading: String, alignment: Table.Alignment)] = [(trend.interval, .left)]
        columns += trend.series.map { (self.heading($0, measure), .right) }
        if single?.before != nil { columns.append(("before", .right)) }
        var table = Table(columns)
        for (index, edge) in trend.edges.dropLast().enumerated() {
            let label = dates.label(edge, trend.interval) + (trend.partial.contains(index) ? " (partial)" : "")
            var cells = [label] + trend.series.map { number(at: index, $0.values) }
            if let before = single?.before { cells.append(number(at: index, before.values)) }
            table.append(cells)
        }
        var totals = ["total"] + trend.series.map { number($0.total) }
        if let before = single?.before { totals.append(number(before.total)) }
        table.append(totals)
        if single == nil, trend.series.contains(where: { $0.before != nil }) {
            table.append(["before"] + trend.series.map { number($0.before?.total) })
        }
        return [heading] + table.lines(style: style) + ignoredEventsNote(trend)
    }

    /// Returns a note about events without a numeric value in the measured attribute.
    private func ignoredEventsNote(_ trend: CollectorTrend) -> [String] {
        let counts = trend.series.compactMap(\.valueTypes).reduce(CollectorTrend.ValueTypeCounts()) { $0.adding($1) }
        guard trend.series.contains(where: { $0.valueTypes != nil }), counts.events > counts.numbers else { return [] }
        let parts = [
            (counts.texts, "with text"), (counts.others, "with another type"),
            (counts.missing, "without the attribute"),
        ].filter { $0.0 > 0 }.map { "\($0.0.grouped) \($0.1)" }
        let ignored = counts.events - counts.numbers
        let sentence =
            "Ignored \(ignored.grouped) of \(counts.events.grouped) events (not a number): "
            + parts.joined(separator: ", ") + "."
        return ["", sentence]
            + (counts.texts > 0 ? ["To convert text such as \"12.50\" to numbers, pass --texts-as-numbers."] : [])
    }

    private func heading(_ series: CollectorTrend.Series, _ measure: String) -> String {
        switch series.kind {
        case "value":
            let text = ResultTable.quotedIfAmbiguous(EventLineFormat.plain(series.group), isText: series.isText)
            return text.count > Self.longestGroup ? text.prefix(Self.longestGroup - 1) + "…" : text
        case "none": return "(none)"
        case "other": return "(\(series.group) others)"
        default: return measure
        }
    }

    private func number(at index: Int, _ values: [JSONValue?]) -> String {
        number(index < values.count ? values[index] : nil)
    }

    private func number(_ value: JSONValue?) -> String { ResultTable.number(value) }
}
