// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ArgumentParser
internal import CollectorCore
internal import Foundation
internal import TrackwayCore

/// Shows rejected events.
struct RejectionsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rejections",
        abstract: "Show rejected events, or evaluate them again.",
        discussion: """
            Without a subcommand, shows groups with the options of `groups`.

            EXAMPLES
              # Show groups of events rejected in the last 7 days.
              trackway rejections
              # Print hourly counts of the last 12 hours.
              trackway rejections --last 12h --interval hour --csv
              # Show one rejected event with all stored details.
              trackway rejections show 3.88213.7
              # Admit those that pass now, after a rule was changed.
              trackway rejections replay --code old_rule
            """,
        subcommands: [RejectionsGroupsCommand.self, RejectionsShowCommand.self, RejectionsReplayCommand.self],
        defaultSubcommand: RejectionsGroupsCommand.self
    )
}

/// Shows groups of rejected events.
struct RejectionsGroupsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "groups",
        abstract: "Show rejected events by reason, field, event, and app version."
    )

    @OptionGroup var collector: CollectorOptions

    @Option(help: "Time range up to now, such as 30d, 12h, or 90m.")
    var last = "7d"

    @Option(help: "Interval of --json and --csv: minute, hour, day, week, or month.")
    var interval = QueryInterval.day

    @Option(help: "Time zone, such as Europe/Berlin. Default: this machine's.")
    var zone: String?

    @Option(help: "Maximum number of groups, 1 to 200.")
    var top = 20

    @Flag(help: "Print the collector's JSON.")
    var json = false

    @Flag(help: "Print comma-separated values: one line per group and interval.")
    var csv = false

    /// Checks the option values.
    func validate() throws {
        guard !json || !csv else { throw ValidationError("choose --json or --csv") }
        guard (1...FailedGroups.shown).contains(top) else {
            throw ValidationError("--top takes 1 to \(FailedGroups.shown)")
        }
        guard let unit = last.last, "smhd".contains(unit) else {
            throw ValidationError("“\(last)” is not a duration; write 30s, 15m, 2h, or 7d")
        }
    }

    /// Queries the collector and prints the result.
    func run() async throws {
        let now = SystemClock().now().wall
        let zone = zone ?? SystemZones.current
        let answer = try await CollectorClient(try collector.address()).get(
            "/v1/failed/groups",
            query: [
                ("from", String(try PointInTime(last, now: now).timestamp.milliseconds)),
                ("to", String(now.milliseconds)), ("interval", interval.rawValue), ("zone", zone),
                ("top", String(top)),
            ]
        )
        if json { return Console.standard.write(json: answer) }
        let text = RejectionsText(style: Console.standard.style, zone: TimeZone(identifier: zone) ?? .gmt)
        if csv {
            Console.standard.write(csv: text.csv(answer))
        } else {
            Console.standard.write(timed: text.lines(answer))
        }
    }
}

/// Shows one rejected event.
struct RejectionsShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show a rejected event or batch with all stored details."
    )

    @OptionGroup var collector: CollectorOptions

    @Argument(help: "Position, such as 3.88213.7.")
    var position: String

    @Flag(help: "Print the collector's JSON.")
    var json = false

    /// Checks the format of the position.
    func validate() throws {
        guard EventPosition(position) != nil else {
            throw ValidationError(
                "“\(position)” is not a position such as 3.88213.7, as shown by `trackway rejections`"
            )
        }
    }

    /// Queries the collector and prints the result.
    func run() async throws {
        let answer = try await CollectorClient(try collector.address())
            .get("/v1/failed", query: [("position", position)])
        if json { return Console.standard.write(json: answer) }
        Console.standard.write(timed: RejectionsText(style: Console.standard.style, zone: .current).details(answer))
    }
}

/// Formats rejected events as text or CSV.
struct RejectionsText: Sendable {
    /// The text style.
    var style: Style
    /// The time zone for displayed times.
    var zone: TimeZone

    /// Returns the lines: groups, events dropped on devices, and client reports.
    func lines(_ answer: JSONValue) -> [String] {
        let groups = answer["groups"]?.array ?? []
        var lines: [String] = []
        if groups.isEmpty {
            lines.append("No events were rejected in this period.")
        } else {
            var table = Table([
                ("rejected", .right), ("reason", .left), ("field", .left), ("event", .left), ("version", .left),
                ("first", .left), ("last", .left), ("sample", .left),
            ])
            for group in groups {
                table.append([
                    (group["count"]?.integer ?? 0).grouped, plain(group["code"]), plain(group["field"]),
                    short(group["name"]), plain(group["version"]), moment(group["first"]), moment(group["last"]),
                    plain(group["sample"]),
                ])
            }
            lines = table.lines(style: style)
            let others = answer["others"]?.integer ?? 0
            if others > 0 { lines += ["", "\(others.grouped) more in other groups; see --top"] }
            lines += ["", "For details: trackway rejections show \(plain(groups[0]["sample"]))"]
        }
        let lost = (answer["lost"]?.array ?? []).map {
            "\(plain($0["reason"])) \(($0["events"]?.integer ?? 0).grouped)"
        }
        if !lost.isEmpty { lines += ["", "dropped on devices in total: " + lost.joined(separator: ", ")] }
        let reports = (answer["reports"]?.array ?? []).map { report in
            "reported by clients: \(plain(report["code"])) \((report["events"]?.integer ?? 0).grouped) times, "
                + "most recently \(moment(report["last"])): \(plain(report["message"]))"
        }
        return lines + (reports.isEmpty ? [] : [""] + reports)
    }

    /// Returns CSV lines, one per group and interval.
    ///
    /// Times are UTC.
    func csv(_ answer: JSONValue) -> [String] {
        let edges = (answer["edges"]?.array ?? []).compactMap { $0.integer.map(Timestamp.init(milliseconds:)) }
        var lines = ["start,end,code,field,name,version,count"]
        for group in answer["groups"]?.array ?? [] {
            let values = group["values"]?.array ?? []
            let names = ["code", "field", "name", "version"].map { UsageReportRow.quoted(group[$0]?.string ?? "") }
            for (index, interval) in zip(edges, edges.dropFirst()).enumerated() where index < values.count {
                let cells = [interval.0.iso8601, interval.1.iso8601] + names + [String(values[index].integer ?? 0)]
                lines.append(cells.joined(separator: ","))
            }
        }
        return lines
    }

    /// Returns the lines of one rejected event.
    func details(_ answer: JSONValue) -> [String] {
        var reason = plain(answer["code"])
        if let field = answer["field"]?.string, !field.isEmpty { reason += " in \(plain(answer["field"]))" }
        var lines = [style.bold(reason), plain(answer["message"])]
        lines.append("arrived \(moment(answer["received"])) with the key \(plain(answer["key"]))")
        for key in ["name", "version"] {
            if answer[key]?.string != nil { lines.append("\(key): \(plain(answer[key]))") }
        }
        let (kept, all) = (answer["bytes"]?.integer ?? 0, answer["total_bytes"]?.integer ?? 0)
        if all > kept { lines.append("The first \(kept.grouped) of \(all.grouped) bytes are stored:") }
        let content = (answer["content"]?.string ?? "").split(separator: "\n", omittingEmptySubsequences: false)
        return lines + [""] + content.map { EventLineFormat.plain(String($0)) }
    }

    private func short(_ value: JSONValue?) -> String {
        let text = plain(value)
        return text.count > 48 ? text.prefix(47) + "…" : text
    }

    private func plain(_ value: JSONValue?) -> String { EventLineFormat.plain(value?.string ?? "") }

    private func moment(_ value: JSONValue?) -> String {
        guard let time = value?.integer else { return "" }
        return String(EventLineFormat(style: style, zone: zone).date(Timestamp(milliseconds: time)).prefix(16))
    }
}
