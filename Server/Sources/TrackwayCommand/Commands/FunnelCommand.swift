// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ArgumentParser
internal import CollectorCore
internal import TrackwayCore

/// Shows conversion through a sequence of events.
struct FunnelCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "funnel",
        abstract: "Show conversion through a sequence of events.",
        discussion: """
            Counts the users who had the first event in the period, and how many of
            them had each following event after it, in this order, all within the
            window. Other events may occur in between.

            With --people, lists the users who reached one step (from 1) and no further,
            or, with /reached after its number, all who reached it.

            EXAMPLES
              # Show the conversion from viewing to buying.
              trackway funnel view_item add_to_cart purchase
              # Group by app version, within one hour.
              trackway funnel view_item purchase --window 1h --by context.app.version
              # Count only large purchases.
              trackway funnel view_item purchase --step-where '2:total>=100' --last 90d
              # List users who viewed an item but did not buy one.
              trackway funnel view_item purchase --people 1
              # Save the users who bought one.
              trackway funnel view_item purchase --people 2/reached --csv >buyers.csv
            """
    )

    @OptionGroup var collector: CollectorOptions
    @OptionGroup var question: QueryOptions

    @Argument(help: "Event names in order, 1 to 10.")
    var steps: [String]

    @Option(name: .customLong("where"), parsing: .singleValue, help: "Condition for the events of all steps.")
    var conditions: [String] = []

    @Option(parsing: .singleValue, help: "Condition for one step: its number, a colon, and the condition.")
    var stepWhere: [String] = []

    @Option(help: "Only events of this user.")
    var user: String?

    @Option(help: "Only events of this installation.")
    var installation: String?

    @Option(help: "What to count: person, or group:company for groups of that type.")
    var unit: String?

    @Option(help: "Maximum time from the first step to the last, such as 30m, 12h, or 7d.")
    var window = "7d"

    @Option(
        parsing: .singleValue,
        help: "Attribute of the first step, or member of its context, to group by. May occur up to three times."
    )
    var by: [String] = []

    @Option(help: "With --by: limits between groups of numbers of the first attribute, such as 10,50,100.")
    var buckets: String?

    @Flag(help: "With --by: group values that have the same text, such as 1 and \"1\".")
    var valuesAsTexts = false

    @Option(help: "Number of groups, 1 to 100; all other values form one more group. Default: 10.")
    var top: Int?

    @OptionGroup var list: PeopleOptions

    @Option(help: "With --people and --by: value of the group, or other.")
    var group: String?

    /// Checks the combination of options.
    func validate() throws {
        guard top == nil || !by.isEmpty else { throw ValidationError("--top requires --by") }
        guard buckets == nil || !by.isEmpty else { throw ValidationError("--buckets requires --by") }
        guard !valuesAsTexts || !by.isEmpty else { throw ValidationError("--values-as-texts requires --by") }
        guard group == nil || (!by.isEmpty && list.people != nil) else {
            throw ValidationError("--group requires --people and --by")
        }
        for text in stepWhere {
            guard let step = Self.step(text)?.step, (1...steps.count).contains(step) else {
                throw ValidationError(
                    "--step-where “\(text)”: write a step's number, a colon, and a condition: 2:total>=10"
                )
            }
        }
    }

    private static func step(_ text: String) -> (step: Int, condition: String)? {
        let parts = text.split(separator: ":", maxSplits: 1)
        guard parts.count == 2, let step = Int(parts[0]) else { return nil }
        return (step, String(parts[1]))
    }

    /// Returns the query parameters for the collector.
    func query(now: Timestamp) throws(CommandFailure) -> [(name: String, value: String)] {
        var query = steps.map { (name: "step", value: $0) } + conditions.map { (name: "where", value: $0) }
        for (step, condition) in stepWhere.compactMap(Self.step) { query.append(("where.\(step)", condition)) }
        query.append(("window", window))
        for (name, value) in [
            ("user", user), ("installation", installation), ("buckets", buckets),
            ("unit", unit), ("values", valuesAsTexts ? "texts" : nil), ("top", top.map(String.init)),
        ] {
            if let value { query.append((name, value)) }
        }
        query += by.map { (name: "by", value: $0) }
        return query + (try question.range(now: now))
    }

    /// Queries the collector and prints the result.
    func run() async throws {
        let query = try query(now: SystemClock().now().wall)
        guard try await !list.list(.funnels, query, group: group, question, of: collector) else { return }
        try await question.ask("/v1/funnels", query, of: collector) { Self.table($0, $1) }
    }

    /// Returns a table with a row for each step of each group.
    static func table(_ answer: JSONValue, _ dates: DateLabels) -> ResultTable {
        let names = (answer["steps"]?.array ?? []).compactMap(\.string)
        let series = answer["series"]?.array ?? []
        let isDivided = series.contains { ResultTable.group($0).kind != "all" }
        var table = ResultTable(heading: heading(answer, dates))
        table.columns =
            (isDivided ? [("group", .left)] : []) + [
                ("step", .left), ("users", .right), ("of first step", .right), ("of previous step", .right),
                ("median time", .right), ("since first step", .right),
            ]
        table.csv = ["kind,group,step,name,people,median_ms,median_total_ms"]
        for series in series {
            let group = ResultTable.group(series)
            let steps = series["steps"]?.array ?? []
            let people = steps.map { $0["people"]?.integer ?? 0 }
            for (index, step) in steps.enumerated() where index < names.count {
                let medians = ["median", "median_total"].map { step[$0]?.integer }
                var row = isDivided ? [index == 0 ? group.label : ""] : []
                row += ["\(index + 1) " + ResultTable.name(names[index]), people[index].grouped]
                row.append(ResultTable.share(people[index], of: people[0]))
                row.append(index == 0 ? "" : ResultTable.share(people[index], of: people[index - 1]))
                row += medians.map { $0.map { TimeSpan(milliseconds: $0).text } ?? "" }
                table.rows.append(row)
                let cells = [
                    group.kind, UsageReportRow.quoted(group.text), String(index + 1),
                    UsageReportRow.quoted(names[index]),
                    String(people[index]),
                ]
                table.csv.append((cells + medians.map { $0.map(String.init) ?? "" }).joined(separator: ","))
            }
        }
        return table
    }

    private static func heading(_ answer: JSONValue, _ dates: DateLabels) -> String {
        let names = (answer["steps"]?.array ?? []).compactMap(\.string).map { ResultTable.name($0) }
        func moment(_ name: String) -> String {
            answer[name]?.integer.map { dates.moment(Timestamp(milliseconds: $0)) } ?? "–"
        }
        let window = TimeSpan(milliseconds: answer["window"]?.integer ?? 0).text
        return names.joined(separator: " → ") + ", \(moment("from")) – \(moment("to")), within \(window)"
    }
}
