// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ArgumentParser
internal import Collector
internal import TrackwayEvents

/// What counts as being active, and when.
struct ActivityOptions: ParsableArguments {
    @OptionGroup var collector: CollectorOptions
    @OptionGroup var question: QuestionOptions

    @Argument(help: "The names of the events that count as being active. Default: all.")
    var names: [String] = []

    @Option(name: .customLong("where"), parsing: .singleValue, help: "Only events for which this holds.")
    var conditions: [String] = []

    @Option(help: "minute, hour, day, week or month.")
    var interval = QuestionInterval.day

    /// The question as the collector understands it.
    func query(now: Timestamp) throws(CommandFailure) -> [(name: String, value: String)] {
        var query = names.map { (name: "name", value: $0) } + conditions.map { (name: "where", value: $0) }
        query += [("interval", interval.rawValue), ("zone", question.zoneName)]
        return query + (try question.range(now: now))
    }
}

/// Shows who is new, comes back or stays away.
struct LifecycleCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "lifecycle",
        abstract: "See who is new, comes back or stays away.",
        discussion: """
            New: active for the first time ever. Returning: active in the interval
            before as well. Resurrected: not active in the interval before, but earlier.
            Dormant: active in the interval before, and not in this one.

            EXAMPLES
              trackway lifecycle --interval week --last 90d
              trackway lifecycle purchase --interval month --last 365d
            """
    )

    @OptionGroup var activity: ActivityOptions

    /// Asks and prints.
    func run() async throws {
        let query = try activity.query(now: SystemClock().now().wall)
        try await activity.question.ask("/v1/lifecycle", query, of: activity.collector) { Self.table($0, $1) }
    }

    private static let kinds = ["new", "returning", "resurrected", "dormant"]

    /// A row for each interval.
    static func table(_ answer: JSONValue, _ dates: DateLabels) -> AnswerTable {
        let (edges, interval) = (answer.moments("edges"), answer["interval"]?.string ?? "")
        var table = AnswerTable(heading: "People by \(interval) (\(answer["zone"]?.string ?? "UTC"))")
        table.columns = [(interval, .left)] + kinds.map { ($0, .right) }
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

/// Shows in how many intervals people are active.
struct StickinessCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stickiness",
        abstract: "See on how many days people are active.",
        discussion: """
            EXAMPLES
              trackway stickiness --last 7d
              trackway stickiness purchase --interval week --last 84d
            """
    )

    @OptionGroup var activity: ActivityOptions

    /// Asks and prints.
    func run() async throws {
        let query = try activity.query(now: SystemClock().now().wall)
        try await activity.question.ask("/v1/stickiness", query, of: activity.collector) { answer, _ in
            Self.table(answer)
        }
    }

    /// A row for each number of intervals.
    static func table(_ answer: JSONValue) -> AnswerTable {
        let (people, interval) = (answer.integers("people"), answer["interval"]?.string ?? "")
        let all = people.reduce(0, +)
        var table = AnswerTable(heading: "In how many times “\(interval)” people were active, \(all.grouped) in all")
        table.columns = [("times", .right), ("people", .right), ("of all", .right), ("so often or more", .right)]
        table.csv = ["intervals,people"]
        var rest = all
        for (index, count) in people.enumerated() {
            table.rows.append([
                String(index + 1), count.grouped, AnswerTable.share(count, of: all), AnswerTable.share(rest, of: all),
            ])
            table.csv.append("\(index + 1),\(count)")
            rest -= count
        }
        return table
    }
}
