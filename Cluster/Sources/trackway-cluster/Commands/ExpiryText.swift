// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorClickHouse
internal import TrackwayCommand
internal import TrackwayEvents

/// What is told of events that went by age, for people and for programs. Weeks begin on Thursdays, in UTC.
enum ExpiryText {
    /// A line for each week, what is kept, and what is in the way.
    static func lines(_ report: ExpiryReport, style: Style) -> [String] {
        var lines: [String] = []
        if report.expired.isEmpty {
            lines.append(report.isTrial ? "No week would go." : "No week went.")
        } else {
            var table = Table([("week from", .left), ("events", .right), ("on the disk", .right)])
            for week in report.expired {
                table.append([date(week), week.rows.grouped, EngineText.size(Int64(clamping: week.bytes))])
            }
            lines += table.lines(style: style)
            lines.append(
                "\(count(report.expired)) with \(report.expired.reduce(0) { $0 + $1.rows }.grouped) events "
                    + (report.isTrial ? "would go." : "went.")
            )
        }
        if let kept = report.keptFrom {
            lines.append("Events \(report.isTrial ? "would be" : "are") kept that arrived from \(date(kept)) on.")
        } else if report.isGood {
            lines.append("All events are kept.")
        }
        if !report.ahead.isEmpty {
            lines.append(
                "\(count(report.ahead)) with events \(report.ahead.count == 1 ? "is" : "are") yet to come, the last from "
                    + "\(report.ahead.last.map { date($0) } ?? "") on: a collector's clock was wrong. These go when they are old."
            )
        }
        return lines + reasons(report)
    }

    /// What is in the way, a sentence each.
    static func reasons(_ report: ExpiryReport) -> [String] {
        (report.fault.map { [$0.description] } ?? []) + (report.trouble.map { [$0] } ?? [])
    }

    /// The same as a value.
    static func json(_ report: ExpiryReport) -> JSONValue {
        .members(
            ("expired", .array(report.expired.map(json))),
            ("kept_from", report.keptFrom.map { .integer($0.milliseconds) } ?? .null),
            ("dry_run", .boolean(report.isTrial)),
            ("ahead", .array(report.ahead.map(json))),
            ("fault", report.fault.map { .string(name($0)) } ?? .null),
            ("trouble", reasons(report).first.map { .string($0) } ?? .null)
        )
    }

    private static func name(_ fault: TableExpiry.Fault) -> String {
        switch fault {
        case .clocks: "clocks"
        case .early: "record"
        }
    }

    private static func json(_ week: StoredWeek) -> JSONValue {
        .members(
            ("from", .integer(TableExpiry.beginning(of: week.number).milliseconds)),
            ("events", .integer(Int64(clamping: week.rows))),
            ("bytes", .integer(Int64(clamping: week.bytes)))
        )
    }

    private static func count(_ weeks: [StoredWeek]) -> String { weeks.count == 1 ? "1 week" : "\(weeks.count) weeks" }

    private static func date(_ week: StoredWeek) -> String { date(TableExpiry.beginning(of: week.number)) }

    /// `2026-05-28`.
    static func date(_ moment: Timestamp) -> String { String(moment.iso8601.prefix(10)) }
}
