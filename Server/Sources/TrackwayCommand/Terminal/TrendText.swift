// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
internal import Foundation
internal import TrackwayEvents

/// A trend as the command reads it.
struct CollectorTrend: Sendable {
    /// One series.
    struct Series: Sendable {
        /// What its events have in common: `all`, `value`, `none` (they lack the attribute) or `other`.
        var kind: String
        /// The value, or how many others there are; empty for `all` and `none`.
        var group: String
        /// The numbers, interval by interval; nil where there is none.
        var values: [JSONValue?]
        /// The number of the whole time.
        var total: JSONValue?
        /// The same of the period before.
        var before: (values: [JSONValue?], total: JSONValue?)?
    }

    /// The zone's name.
    var zone: String
    /// How long the intervals are.
    var interval: String
    /// Where they begin and end.
    var edges: [Timestamp]
    /// The series.
    var series: [Series]

    /// Reads the collector's JSON; what is absent counts as nothing.
    init(_ json: JSONValue) {
        zone = json["zone"]?.string ?? "UTC"
        interval = json["interval"]?.string ?? ""
        edges = (json["edges"]?.array ?? []).compactMap { $0.integer.map(Timestamp.init(milliseconds:)) }
        series = (json["series"]?.array ?? []).map { series in
            let (values, total) = Self.numbers(series)
            var found = Series(kind: "all", group: "", values: values, total: total)
            if let others = series["other"]?.integer {
                (found.kind, found.group) = ("other", String(others))
            } else if let value = series["group"] {
                (found.kind, found.group) = value == .null ? ("none", "") : ("value", Self.text(value))
            }
            found.before = series["before"].map { Self.numbers($0) }
            return found
        }
    }

    private static func numbers(_ json: JSONValue) -> (values: [JSONValue?], total: JSONValue?) {
        ((json["values"]?.array ?? []).map { $0 == .null ? nil : $0 }, json["total"].flatMap { $0 == .null ? nil : $0 })
    }

    /// Text as it is, anything else as JSON.
    private static func text(_ value: JSONValue) -> String {
        value.string ?? String(decoding: value.json(), as: UTF8.self)
    }

    /// A heading, and a line for each series and interval. Times are UTC.
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

/// A trend for a person.
struct TrendText: Sendable {
    /// The longest group that is shown whole, in characters.
    private static let longestGroup = 24

    /// Colours.
    var style: Style
    /// The zone in which times are shown.
    var zone: TimeZone

    /// A heading, a line for each interval with a column for each series, and the totals.
    ///
    /// - Parameters:
    ///   - trend: the answer.
    ///   - names: the events' names; none for all.
    ///   - measure: what was counted, as it was asked for.
    func lines(_ trend: CollectorTrend, of names: [String], measure: String) -> [String] {
        guard let start = trend.edges.first, let end = trend.edges.last else {
            return ["The collector gave no intervals."]
        }
        let dates = DateLabels(style: style, zone: zone)
        let what = names.isEmpty ? "All events" : names.map(EventLineFormat.plain).joined(separator: ", ")
        let heading =
            "\(what): \(measure) by \(trend.interval), \(dates.moment(start)) – \(dates.moment(end)) (\(trend.zone))"
        guard !trend.series.isEmpty else { return [heading, "No such event in this time."] }
        let single = trend.series.count == 1 && trend.series[0].kind == "all" ? trend.series[0] : nil
        var columns: [(heading: String, alignment: Table.Alignment)] = [(trend.interval, .left)]
        columns += trend.series.map { (self.heading($0, measure), .right) }
        if single?.before != nil { columns.append(("before", .right)) }
        var table = Table(columns)
        for (index, edge) in trend.edges.dropLast().enumerated() {
            var cells = [dates.label(edge, trend.interval)] + trend.series.map { number(at: index, $0.values) }
            if let before = single?.before { cells.append(number(at: index, before.values)) }
            table.append(cells)
        }
        var totals = ["total"] + trend.series.map { number($0.total) }
        if let before = single?.before { totals.append(number(before.total)) }
        table.append(totals)
        if single == nil, trend.series.contains(where: { $0.before != nil }) {
            table.append(["before"] + trend.series.map { number($0.before?.total) })
        }
        return [heading] + table.lines(style: style)
    }

    private func heading(_ series: CollectorTrend.Series, _ measure: String) -> String {
        switch series.kind {
        case "value":
            let text = EventLineFormat.plain(series.group)
            return text.count > Self.longestGroup ? text.prefix(Self.longestGroup - 1) + "…" : text
        case "none": return "(none)"
        case "other": return "(\(series.group) others)"
        default: return measure
        }
    }

    private func number(at index: Int, _ values: [JSONValue?]) -> String {
        number(index < values.count ? values[index] : nil)
    }

    private func number(_ value: JSONValue?) -> String { AnswerTable.number(value) }
}
