// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
internal import Foundation
internal import TrackwayEvents

/// An answer as a table with a heading, or as comma-separated values.
struct AnswerTable: Sendable {
    /// What stands above the table.
    var heading: String
    /// The table's columns.
    var columns: [(heading: String, alignment: Table.Alignment)] = []
    /// Its rows, for a person.
    var rows: [[String]] = []
    /// Lines of comma-separated values, the heading first: exact numbers, times in UTC.
    var csv: [String] = []
    /// What is said instead of a table without rows.
    var nothing = "Nothing of the kind in this time."

    /// The lines for a person.
    func lines(style: Style) -> [String] {
        guard !rows.isEmpty else { return [heading, nothing] }
        var table = Table(columns)
        for row in rows { table.append(row) }
        return [heading] + table.lines(style: style)
    }

    /// `1,204` or `12.50`; a dash where there is none.
    static func number(_ value: JSONValue?) -> String {
        if let whole = value?.integer { return whole.grouped }
        guard let value = value?.double else { return "–" }
        // Beyond this, hundredths are none.
        guard abs(value) < 1e13 else { return "\(value)" }
        let hundredths = Int64((value * 100).rounded())
        let fraction = String(hundredths.magnitude % 100)
        let whole = (hundredths.magnitude / 100).grouped
        return (hundredths < 0 ? "-" : "") + whole + "." + String(repeating: "0", count: 2 - fraction.count) + fraction
    }

    /// `25.0 %`; a dash of nothing.
    static func share(_ part: Int64, of whole: Int64) -> String {
        guard whole > 0 else { return "–" }
        let tenths = Int64((Double(part) / Double(whole) * 1_000).rounded())
        return "\(tenths / 10).\(tenths % 10) %"
    }

    /// A name that fits into a column.
    static func name(_ text: String, longest: Int = 24) -> String {
        let text = EventLineFormat.plain(text)
        return text.count > longest ? text.prefix(longest - 1) + "…" : text
    }

    /// Returns a value as the label of a group, different from the labels of all other groups.
    ///
    /// A text that looks like a label, or like a value that is not a text, is put into quotation marks.
    ///
    /// - Parameter isText: Whether the value is a text, and not JSON of another type.
    static func unmistakable(_ text: String, isText: Bool) -> String {
        guard isText else { return text }
        let isMistakable =
            text.isEmpty || ["(", "\"", "[", "{"].contains(where: text.hasPrefix) || ["true", "false"].contains(text)
            || QuestionValue.text(Array(text.utf8)).spelledNumber != nil
        return isMistakable ? "\"\(text)\"" : text
    }

    /// A group as a person reads it, and as two values: its kind and its text.
    static func group(_ series: JSONValue) -> (label: String, kind: String, text: String) {
        if let others = series["other"]?.integer { return ("(\(others) others)", "other", String(others)) }
        guard let value = series["group"] else { return ("", "all", "") }
        guard value != .null else { return ("(none)", "none", "") }
        let text = value.string ?? String(decoding: value.json(), as: UTF8.self)
        return (name(unmistakable(text, isText: value.string != nil)), "value", text)
    }
}

/// Times as headings of rows.
struct DateLabels: Sendable {
    /// Colours.
    var style: Style
    /// The zone in which times are shown.
    var zone: TimeZone

    /// `2026-11-21 06:38`.
    func moment(_ time: Timestamp) -> String {
        String(EventLineFormat(style: style, zone: zone).date(time).prefix(16))
    }

    /// The beginning of an interval, as short as it is unmistakable: what begins in the middle shows where.
    func label(_ time: Timestamp, _ interval: String) -> String {
        let text = EventLineFormat(style: style, zone: zone).date(time)
        guard interval != "minute", interval != "hour", text.hasSuffix(" 00:00:00") else {
            return String(text.prefix(16))
        }
        if interval == "year", text.dropFirst(5).hasPrefix("01-01") { return String(text.prefix(4)) }
        let isMonthly = ["month", "quarter", "year"].contains(interval) && text.dropFirst(8).hasPrefix("01")
        return String(isMonthly ? text.prefix(7) : text.prefix(10))
    }
}

extension JSONValue {
    /// The moments of a list of milliseconds; none of anything else.
    func moments(_ name: String) -> [Timestamp] {
        (self[name]?.array ?? []).compactMap { $0.integer.map(Timestamp.init(milliseconds:)) }
    }

    /// The whole numbers of a list; none of anything else.
    func integers(_ name: String) -> [Int64] {
        (self[name]?.array ?? []).compactMap(\.integer)
    }
}
