// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ArgumentParser
internal import CollectorCore
internal import Foundation
internal import TrackwayCore

/// Options of analytics commands, such as the time range and output format.
struct QueryOptions: ParsableArguments {
    @Option(
        help: """
            Time range up to now: 30d, 12h, or 90m; today, yesterday, this-week, last-week, this-month, last-month; all. \
            Default: 30d.
            """
    )
    var last: String?

    @Option(help: "Earliest time, inclusive. Dates and times without a zone are in --zone.")
    var from: String?

    @Option(help: "Latest time, exclusive. Default: now.")
    var to: String?

    @Option(help: "Time zone, such as Europe/Berlin. Default: this machine's.")
    var zone: String?

    @Flag(help: "Print the collector's JSON.")
    var json = false

    @Flag(help: "Print comma-separated values.")
    var csv = false

    /// Checks the combination of options.
    func validate() throws {
        guard !json || !csv else { throw ValidationError("choose --json or --csv") }
        guard last == nil || (from == nil && to == nil) else {
            throw ValidationError("choose --last, or --from and --to")
        }
    }

    /// The name of the time zone.
    var zoneName: String { zone ?? SystemZones.current }
    /// The time zone of displayed times; UTC if the name is unknown.
    var timeZone: TimeZone { TimeZone(identifier: zoneName) ?? .gmt }

    /// Returns the time range as query parameters.
    ///
    /// - Parameter now: The time from which `--last` counts back, and the default end.
    func range(now: Timestamp) throws(CommandFailure) -> [(name: String, value: String)] {
        if let last, last == AllTimeRange.name || CalendarRange(rawValue: last) != nil { return [("last", last)] }
        let to = try to.map { text throws(CommandFailure) in try moment(text, now: now) } ?? now
        var begin = to.advanced(by: .seconds(-30 * 86_400))
        if let from {
            begin = try moment(from, now: now)
        } else if let last {
            guard let unit = last.last, "smhd".contains(unit) else {
                throw CommandFailure(.usage, "“\(last)” is not a duration", remedy: "write 30s, 15m, 2h, or 7d")
            }
            begin = try PointInTime(last, now: now).timestamp
        }
        return [("from", String(begin.milliseconds)), ("to", String(to.milliseconds))]
    }

    /// Parses a point in time.
    ///
    /// Dates and times without a zone are in the query's zone.
    func moment(_ text: String, now: Timestamp) throws(CommandFailure) -> Timestamp {
        try Self.moment(text, now: now, zone: zoneName)
    }

    /// Parses a point in time.
    ///
    /// - Parameter zoneName: The zone of dates and times without one.
    static func moment(_ text: String, now: Timestamp, zone zoneName: String) throws(CommandFailure) -> Timestamp {
        let point = try PointInTime(text, now: now).timestamp
        guard text.contains("-"), !text.hasPrefix("-"), !text.hasSuffix("Z") else { return point }
        // The text was parsed as UTC but represents local time in the zone.
        let around = point.advanced(by: .seconds(-2 * 86_400))..<point.advanced(by: .seconds(2 * 86_400))
        guard let offsets = SystemZones.offsets(zoneName, around) else {
            throw CommandFailure(
                .usage,
                "“\(zoneName)” is not the name of a time zone",
                remedy: "write --zone Europe/Berlin, or --zone UTC"
            )
        }
        return offsets.instant(local: point.milliseconds)
    }

    /// Queries the collector and prints the result as JSON, CSV, or a table.
    func ask(
        _ path: String,
        _ query: [(name: String, value: String)],
        of collector: CollectorOptions,
        _ report: (JSONValue, DateLabels) -> ResultTable
    ) async throws {
        let answer = try await CollectorClient(try collector.address()).get(path, query: query)
        if json { return Console.standard.write(json: answer) }
        let style = Console.standard.style
        let zone = TimeZone(identifier: answer["zone"]?.string ?? zoneName) ?? .gmt
        let table = report(answer, DateLabels(style: style, zone: zone))
        if csv { Console.standard.write(csv: table.csv) } else { Console.standard.write(table.lines(style: style)) }
        answer.noteRetentionLimit()
    }
}

extension JSONValue {
    /// Prints a note on standard error if a response covers time before the retention limit.
    func noteRetentionLimit() {
        guard let retentionStart = self["kept_from"]?.integer else { return }
        let date = Timestamp(milliseconds: retentionStart).iso8601.prefix(10)
        Console.standard.note("Events that arrived before \(date) are no longer stored, and are missing here.")
    }
}
