// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import ArgumentParser
internal import Collector
internal import TrackwayEvents

/// Shows who comes back.
struct RetentionCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "retention",
        abstract: "See who comes back.",
        discussion: """
            People belong to the interval of their first event of the kind; a row tells
            how many of them came back in the same interval (0, later than that event),
            in the next one (1), and so on. The last interval may not be over yet.

            EXAMPLES
              # Anything, then anything, day by day.
              trackway retention
              trackway retention --first sign_up --interval week --last 90d
              trackway retention --first view_item --return purchase --cohort each
            """
    )

    @OptionGroup var collector: CollectorOptions
    @OptionGroup var question: QuestionOptions

    @Option(parsing: .singleValue, help: "The event that brings people into a cohort. Default: any. May be repeated.")
    var first: [String] = []

    @Option(
        name: .customLong("return"),
        parsing: .singleValue,
        help: "The event that counts as coming back. Default: any."
    )
    var returning: [String] = []

    @Option(name: .customLong("where"), parsing: .singleValue, help: "Only events for which this holds.")
    var conditions: [String] = []

    @Option(parsing: .singleValue, help: "What must hold of the first event.")
    var firstWhere: [String] = []

    @Option(parsing: .singleValue, help: "What must hold of the event that counts as coming back.")
    var returnWhere: [String] = []

    @Option(help: "day, week or month (minute and hour for short times); at most a hundred.")
    var interval = QuestionInterval.day

    @Option(help: "first: the cohort of the first such event ever. each: every interval with one.")
    var cohort = RetentionQuestion.Cohort.first

    /// The question as the collector understands it.
    func query(now: Timestamp) throws(CommandFailure) -> [(name: String, value: String)] {
        var query: [(name: String, value: String)] = []
        for (name, values) in [
            ("first", first), ("return", returning), ("where", conditions), ("where.first", firstWhere),
            ("where.return", returnWhere),
        ] {
            query += values.map { (name, $0) }
        }
        query += [("interval", interval.rawValue), ("zone", question.zoneName), ("cohort", cohort.rawValue)]
        return query + (try question.range(now: now))
    }

    /// Asks and prints.
    func run() async throws {
        let query = try query(now: SystemClock().now().wall)
        try await question.ask("/v1/retention", query, of: collector) { Self.table($0, $1) }
    }

    /// A row for each cohort with its shares.
    static func table(_ answer: JSONValue, _ dates: DateLabels) -> AnswerTable {
        let (edges, interval) = (answer.moments("edges"), answer["interval"]?.string ?? "")
        let cohorts = answer["cohorts"]?.array ?? []
        var table = AnswerTable(heading: "Who comes back, by \(interval) (\(answer["zone"]?.string ?? "UTC"))")
        table.columns = [(interval, .left), ("people", .right)] + cohorts.indices.map { (String($0), .right) }
        table.csv = ["start,end,people,interval,returned"]
        for (index, cohort) in cohorts.enumerated() where index + 1 < edges.count {
            let people = cohort["people"]?.integer ?? 0
            let returned = cohort.integers("returned")
            table.rows.append(
                [dates.label(edges[index], interval), people.grouped]
                    + returned.map { AnswerTable.share($0, of: people) }
            )
            for (later, count) in returned.enumerated() {
                table.csv.append("\(edges[index].iso8601),\(edges[index + 1].iso8601),\(people),\(later),\(count)")
            }
        }
        return table
    }
}

extension RetentionQuestion.Cohort: ExpressibleByArgument {}
