// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorClickHouse
internal import TrackwayCommand
internal import TrackwayCore

/// Formats expired events for people and for programs.
///
/// Weeks start on Thursdays, in UTC.
enum ExpiryText {
    /// Returns lines about each expired week, the retained period, and any obstacle.
    static func lines(_ report: ExpiryReport, style: Style) -> [String] {
        var lines: [String] = []
        if report.expired.isEmpty {
            lines.append(report.isDryRun ? "No week would expire." : "No week expired.")
        } else {
            var table = Table([("week from", .left), ("events", .right), ("on disk", .right)])
            for week in report.expired {
                table.append([date(week), week.rows.grouped, ClusterText.size(Int64(clamping: week.bytes))])
            }
            lines += table.lines(style: style)
            lines.append(
                "\(count(report.expired)) with \(report.expired.reduce(0) { $0 + $1.rows }.grouped) events "
                    + (report.isDryRun ? "would expire." : "expired.")
            )
        }
        if let start = report.retainedSince {
            lines.append("Events that arrived on or after \(date(start)) \(report.isDryRun ? "would be" : "are") kept.")
        } else if report.isSuccess {
            lines.append("All events are kept.")
        }
        if !report.futureWeeks.isEmpty {
            lines.append(
                """
                \(count(report.futureWeeks)) \(report.futureWeeks.count == 1 ? "has" : "have") events in \
                the future, the last from \(report.futureWeeks.last.map { date($0) } ?? "")
                """ + ": a collector's clock was wrong. These weeks expire once they are old enough."
            )
        }
        return lines + reasons(report)
    }

    /// Returns the obstacles to the expiry, one sentence each.
    static func reasons(_ report: ExpiryReport) -> [String] {
        (report.fault.map { [$0.description] } ?? []) + (report.failure.map { [$0] } ?? [])
    }

    /// Returns the report as JSON.
    static func json(_ report: ExpiryReport) -> JSONValue {
        .members(
            ("expired", .array(report.expired.map(json))),
            ("kept_from", report.retainedSince.map { .integer($0.milliseconds) } ?? .null),
            ("dry_run", .boolean(report.isDryRun)),
            ("ahead", .array(report.futureWeeks.map(json))),
            ("fault", report.fault.map { .string(name($0)) } ?? .null),
            ("trouble", reasons(report).first.map { .string($0) } ?? .null)
        )
    }

    private static func name(_ fault: ExpiryPlanner.Fault) -> String {
        switch fault {
        case .clockDifference: "clocks"
        case .futureWeek: "record"
        }
    }

    private static func json(_ week: StoredWeek) -> JSONValue {
        .members(
            ("from", .integer(ExpiryPlanner.start(ofWeek: week.number).milliseconds)),
            ("events", .integer(Int64(clamping: week.rows))),
            ("bytes", .integer(Int64(clamping: week.bytes)))
        )
    }

    private static func count(_ weeks: [StoredWeek]) -> String { weeks.count == 1 ? "1 week" : "\(weeks.count) weeks" }

    private static func date(_ week: StoredWeek) -> String { date(ExpiryPlanner.start(ofWeek: week.number)) }

    /// Formats a date, such as `2026-05-28`.
    static func date(_ timestamp: Timestamp) -> String { String(timestamp.iso8601.prefix(10)) }
}
