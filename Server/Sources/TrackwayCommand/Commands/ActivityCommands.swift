// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ArgumentParser
internal import CollectorCore
internal import TrackwayCore

/// Options that define activity and its time range.
struct ActivityOptions: ParsableArguments {
    @OptionGroup var collector: CollectorOptions
    @OptionGroup var question: QueryOptions
    @OptionGroup var list: PeopleOptions

    @Argument(help: "Names of events that count as activity. Default: all.")
    var names: [String] = []

    @Option(name: .customLong("where"), parsing: .singleValue, help: "Condition for events. May be repeated.")
    var conditions: [String] = []

    @Option(help: "Interval: minute, hour, day, week, or month.")
    var interval = QueryInterval.day

    @Option(help: "What to count: person, or group:company for groups of that type.")
    var unit: String?

    /// Returns the query parameters for the collector.
    func query(now: Timestamp) throws(CommandFailure) -> [(name: String, value: String)] {
        var query = names.map { (name: "name", value: $0) } + conditions.map { (name: "where", value: $0) }
        query += [("interval", interval.rawValue), ("zone", question.zoneName)]
        if let unit { query.append(("unit", unit)) }
        return query + (try question.range(now: now))
    }
}

/// Shows new, returning, reactivated, and dormant users.
struct LifecycleCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "lifecycle",
        abstract: "Show new, returning, reactivated, and dormant users.",
        discussion: """
            New: active for the first time ever. Returning: active in the previous
            interval too. Reactivated: active earlier, but not in the previous interval.
            Dormant: active in the previous interval, but not in this one.

            With --people, lists those in one state of one interval (a date or time in
            it, or its number from 0): new, returning, resurrected or dormant.

            EXAMPLES
              # Show weekly numbers of the last 90 days.
              trackway lifecycle --interval week --last 90d
              # Count only purchases as activity.
              trackway lifecycle purchase --interval month --last 365d
              # List the users who were active the day before, but not on this day.
              trackway lifecycle --people 2026-11-21/dormant
            """
    )

    @OptionGroup var activity: ActivityOptions

    /// Queries the collector and prints the result.
    func run() async throws {
        let query = try activity.query(now: SystemClock().now().wall)
        let isListed = try await activity.list.list(.lifecycle, query, activity.question, of: activity.collector)
        guard !isListed else { return }
        try await activity.question.ask("/v1/lifecycle", query, of: activity.collector) { Self.table($0, $1) }
    }

    /// The members of the response.
    private static let kinds = ["new", "returning", "resurrected", "dormant"]

    /// Returns a table with a row for each interval.
    static func table(_ answer: JSONValue, _ dates: DateLabels) -> ResultTable {
        let (edges, interval) = (answer.moments("edges"), answer["interval"]?.string ?? "")
        var table = ResultTable(heading: "Users by \(interval) (\(answer["zone"]?.string ?? "UTC"))")
        table.columns = [(interval, .left)] + kinds.map { ($0 == "resurrected" ? "reactivated" : $0, .right) }
        table.csv = ["start,end," + kinds.joined(separator: ",")]
        let counts = kinds.map { answer.integers($0) }
        for index in 0..<max(0, edges.count - 1) {
            let row = counts.map { index < $0.count ? $0[index] : 0 }
            table.rows.append([dates.label(edges[index], interval)] + row.map(\.grouped))
            table.csv.append(
                ([edges[index].iso8601, edges[index + 1].iso8601] + row.map(String.init)).joined(separator: ",")
            )
        }
        return table
    }
}

/// Shows the number of intervals in which users are active.
struct StickinessCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stickiness",
        abstract: "Show in how many intervals users are active.",
        discussion: """
            With --people, lists the users active in exactly this number of intervals.

            EXAMPLES
              # Count the active days of the last week.
              trackway stickiness --last 7d
              # Count the weeks with a purchase.
              trackway stickiness purchase --interval week --last 84d
              # List the users active on all of the last 7 days.
              trackway stickiness --last 7d --people 7
            """
    )

    @OptionGroup var activity: ActivityOptions

    /// Queries the collector and prints the result.
    func run() async throws {
        let query = try activity.query(now: SystemClock().now().wall)
        let isListed = try await activity.list.list(.stickiness, query, activity.question, of: activity.collector)
        guard !isListed else { return }
        try await activity.question.ask("/v1/stickiness", query, of: activity.collector) { answer, _ in
            Self.table(answer)
        }
    }

    /// Returns a table with a row for each number of intervals.
    static func table(_ answer: JSONValue) -> ResultTable {
        let (people, interval) = (answer.integers("people"), answer["interval"]?.string ?? "")
        let all = people.reduce(0, +)
        var table = ResultTable(heading: "Active intervals (\(interval)) per user, \(all.grouped) users in total")
        table.columns = [("intervals", .right), ("users", .right), ("share", .right), ("at least this many", .right)]
        table.csv = ["intervals,people"]
        var rest = all
        for (index, count) in people.enumerated() {
            table.rows.append([
                String(index + 1), count.grouped, ResultTable.share(count, of: all), ResultTable.share(rest, of: all),
            ])
            table.csv.append("\(index + 1),\(count)")
            rest -= count
        }
        return table
    }
}
