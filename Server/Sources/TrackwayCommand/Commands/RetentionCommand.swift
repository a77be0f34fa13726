// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import ArgumentParser
internal import CollectorCore
internal import TrackwayCore

/// Shows user retention.
struct RetentionCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "retention",
        abstract: "Show user retention.",
        discussion: """
            Users belong to the interval of their first matching event. A row shows how
            many of them returned in the same interval (0, later than that event), in the
            next one (1), and so on. The last interval may be incomplete.

            With --people, lists the users of one row (a date or time in its interval,
            or its number from 0), or those of them who returned: row/number.

            EXAMPLES
              # Show daily retention over any events.
              trackway retention
              # Show weekly retention after signing up.
              trackway retention --first sign_up --interval week --last 90d
              # Count users again in every interval in which they view an item.
              trackway retention --first view_item --return purchase --cohort each
              # List the users of that day who returned the day after.
              trackway retention --people 2026-11-21/1
            """
    )

    @OptionGroup var collector: CollectorOptions
    @OptionGroup var question: QueryOptions

    @Option(parsing: .singleValue, help: "Event that adds users to a cohort. Default: any. May be repeated.")
    var first: [String] = []

    @Option(
        name: .customLong("return"),
        parsing: .singleValue,
        help: "Event that counts as a return. Default: any."
    )
    var returning: [String] = []

    @Option(name: .customLong("where"), parsing: .singleValue, help: "Condition for events. May be repeated.")
    var conditions: [String] = []

    @Option(parsing: .singleValue, help: "Condition for the first event.")
    var firstWhere: [String] = []

    @Option(parsing: .singleValue, help: "Condition for the event that counts as a return.")
    var returnWhere: [String] = []

    @Option(help: "Interval: day, week, or month (minute or hour for short ranges); at most 100.")
    var interval = QueryInterval.day

    @Option(
        help: "Cohort: first (interval of a user's first such event ever), or each (every interval with such an event)."
    )
    var cohort = RetentionQuery.Cohort.first

    @Option(help: "What to count: person, or group:company for groups of that type.")
    var unit: String?

    @OptionGroup var list: PeopleOptions

    /// Returns the query parameters for the collector.
    func query(now: Timestamp) throws(CommandFailure) -> [(name: String, value: String)] {
        var query: [(name: String, value: String)] = []
        for (name, values) in [
            ("first", first), ("return", returning), ("where", conditions), ("where.first", firstWhere),
            ("where.return", returnWhere),
        ] {
            query += values.map { (name, $0) }
        }
        query += [("interval", interval.rawValue), ("zone", question.zoneName), ("cohort", cohort.rawValue)]
        if let unit { query.append(("unit", unit)) }
        return query + (try question.range(now: now))
    }

    /// Queries the collector and prints the result.
    func run() async throws {
        let query = try query(now: SystemClock().now().wall)
        guard try await !list.list(.retention, query, question, of: collector) else { return }
        try await question.ask("/v1/retention", query, of: collector) { Self.table($0, $1) }
    }

    /// Returns a table with a row of retention rates for each cohort.
    static func table(_ answer: JSONValue, _ dates: DateLabels) -> ResultTable {
        let (edges, interval) = (answer.moments("edges"), answer["interval"]?.string ?? "")
        let cohorts = answer["cohorts"]?.array ?? []
        var table = ResultTable(heading: "Retention by \(interval) (\(answer["zone"]?.string ?? "UTC"))")
        table.columns = [(interval, .left), ("users", .right)] + cohorts.indices.map { (String($0), .right) }
        table.csv = ["start,end,people,interval,returned"]
        for (index, cohort) in cohorts.enumerated() where index + 1 < edges.count {
            let people = cohort["people"]?.integer ?? 0
            let returned = cohort.integers("returned")
            table.rows.append(
                [dates.label(edges[index], interval), people.grouped]
                    + returned.map { ResultTable.share($0, of: people) }
            )
            for (later, count) in returned.enumerated() {
                table.csv.append("\(edges[index].iso8601),\(edges[index + 1].iso8601),\(people),\(later),\(count)")
            }
        }
        return table
    }
}

extension RetentionQuery.Cohort: ExpressibleByArgument {}
