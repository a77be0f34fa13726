// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import Foundation
internal import TrackwayCore

/// A query result as a table with a heading, or as CSV.
struct ResultTable: Sendable {
    /// The heading above the table.
    var heading: String
    /// The table's columns.
    var columns: [(heading: String, alignment: Table.Alignment)] = []
    /// The rows of formatted cells.
    var rows: [[String]] = []
    /// The CSV lines, heading first, with exact numbers and times in UTC.
    var csv: [String] = []
    /// The message shown instead of an empty table.
    var nothing = "No results in this period."

    /// Returns the lines of the table.
    func lines(style: Style) -> [String] {
        guard !rows.isEmpty else { return [heading, nothing] }
        var table = Table(columns)
        for row in rows { table.append(row) }
        return [heading] + table.lines(style: style)
    }

    /// Formats a number as `1,204` or `12.50`, or a missing number as a dash.
    static func number(_ value: JSONValue?) -> String {
        if let whole = value?.integer { return whole.grouped }
        guard let value = value?.double else { return "–" }
        // Larger numbers have no meaningful hundredths.
        guard abs(value) < 1e13 else { return "\(value)" }
        let hundredths = Int64((value * 100).rounded())
        let fraction = String(hundredths.magnitude % 100)
        let whole = (hundredths.magnitude / 100).grouped
        return (hundredths < 0 ? "-" : "") + whole + "." + String(repeating: "0", count: 2 - fraction.count) + fraction
    }

    /// Formats a share as `25.0%`, or as a dash if the whole is zero.
    static func share(_ part: Int64, of whole: Int64) -> String {
        guard whole > 0 else { return "–" }
        let tenths = Int64((Double(part) / Double(whole) * 1_000).rounded())
        return "\(tenths / 10).\(tenths % 10)%"
    }

    /// Truncates a name to the width of a column.
    static func name(_ text: String, longest: Int = 24) -> String {
        let text = EventLineFormat.plain(text)
        return text.count > longest ? text.prefix(longest - 1) + "…" : text
    }

    /// Returns a group's label, which is distinct from all other labels.
    ///
    /// A string that looks like a label, or like a value of another type, is quoted.
    ///
    /// - Parameter isText: Whether the value is a string rather than another JSON type.
    static func quotedIfAmbiguous(_ text: String, isText: Bool) -> String {
        guard isText else { return text }
        let isAmbiguous =
            text.isEmpty || ["(", "\"", "[", "{"].contains(where: text.hasPrefix) || ["true", "false"].contains(text)
            || QueryValue.text(Array(text.utf8)).spelledNumber != nil
        return isAmbiguous ? "\"\(text)\"" : text
    }

    /// Returns a group's label, kind, and text.
    static func group(_ series: JSONValue) -> (label: String, kind: String, text: String) {
        if let others = series["other"]?.integer { return ("(\(others) others)", "other", String(others)) }
        guard let value = series["group"] else { return ("", "all", "") }
        guard value != .null else { return ("(none)", "none", "") }
        let text = value.string ?? String(decoding: value.json(), as: UTF8.self)
        return (name(quotedIfAmbiguous(text, isText: value.string != nil)), "value", text)
    }
}

/// Formats times as row headings.
struct DateLabels: Sendable {
    /// The text style.
    var style: Style
    /// The time zone for displayed times.
    var zone: TimeZone

    /// Formats a time as `2026-11-21 06:38`.
    func moment(_ time: Timestamp) -> String {
        String(EventLineFormat(style: style, zone: zone).date(time).prefix(16))
    }

    /// Formats the beginning of an interval in the shortest unambiguous form.
    ///
    /// For a range that begins in the middle of an interval, the exact time is shown.
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
    /// Returns the times in a list of milliseconds; empty for other values.
    func moments(_ name: String) -> [Timestamp] {
        (self[name]?.array ?? []).compactMap { $0.integer.map(Timestamp.init(milliseconds:)) }
    }

    /// Returns the integers in a list; empty for other values.
    func integers(_ name: String) -> [Int64] {
        (self[name]?.array ?? []).compactMap(\.integer)
    }
}
