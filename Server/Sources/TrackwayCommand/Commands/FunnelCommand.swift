// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ArgumentParser
internal import Collector
internal import TrackwayEvents

/// Shows how far people come through steps.
struct FunnelCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "funnel",
        abstract: "See how far people come through steps.",
        discussion: """
            Counts the people who had the first event in the time, and how many of them
            had each further one behind it, in this order, all within the window. Other
            events may lie between.

            EXAMPLES
              trackway funnel view_item add_to_cart purchase
              trackway funnel view_item purchase --window 1h --by context.app.version
              trackway funnel view_item purchase --step-where '2:total>=100' --last 90d
              # Who looked and did not buy.
              trackway funnel view_item purchase --people 1
            """
    )

    @OptionGroup var collector: CollectorOptions
    @OptionGroup var question: QuestionOptions

    @Argument(help: "The names of the events, in their order; 1 to 10.")
    var steps: [String]

    @Option(name: .customLong("where"), parsing: .singleValue, help: "Only events for which this holds, in all steps.")
    var conditions: [String] = []

    @Option(parsing: .singleValue, help: "The same of one step's event: its number, a colon, and the condition.")
    var stepWhere: [String] = []

    @Option(help: "Only events of this user.")
    var user: String?

    @Option(help: "Only events of this installation.")
    var installation: String?

    @Option(help: "How long after the first step the last one may come, such as 30m, 12h or 7d.")
    var window = "7d"

    @Option(help: "Divide by the values of the first step's attribute, or of a member of the context.")
    var by: String?

    @Flag(help: "Group values with the same text, such as 1 and \"1\"; for --by.")
    var valuesAsTexts = false

    @Option(help: "How many values are told apart, 1 to 25; the rest is one group. Default: 10.")
    var top: Int?

    @Option(help: "List those who got to this step, counted from 1, and no further: at most a hundred.")
    var people: Int?

    /// Sees that the options fit together.
    func validate() throws {
        guard top == nil || by != nil else { throw ValidationError("--top is for --by") }
        guard !valuesAsTexts || by != nil else { throw ValidationError("--values-as-texts is for --by") }
        guard people == nil || !question.csv else { throw ValidationError("--people is not for --csv") }
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

    /// The question as the collector understands it.
    func query(now: Timestamp) throws(CommandFailure) -> [(name: String, value: String)] {
        var query = steps.map { (name: "step", value: $0) } + conditions.map { (name: "where", value: $0) }
        for (step, condition) in stepWhere.compactMap(Self.step) { query.append(("where.\(step)", condition)) }
        query.append(("window", window))
        for (name, value) in [
            ("user", user), ("installation", installation), ("by", by),
            ("values", valuesAsTexts ? "texts" : nil), ("top", top.map(String.init)),
            ("people", people.map(String.init)),
        ] {
            if let value { query.append((name, value)) }
        }
        return query + (try question.range(now: now))
    }

    /// Asks and prints.
    func run() async throws {
        let query = try query(now: SystemClock().now().wall)
        try await question.ask("/v1/funnels", query, of: collector) { answer, dates in
            people == nil ? Self.table(answer, dates) : Self.list(answer, dates)
        }
    }

    /// A row for each step of each group.
    static func table(_ answer: JSONValue, _ dates: DateLabels) -> AnswerTable {
        let names = (answer["steps"]?.array ?? []).compactMap(\.string)
        let series = answer["series"]?.array ?? []
        let isDivided = series.contains { AnswerTable.group($0).kind != "all" }
        var table = AnswerTable(heading: heading(answer, dates))
        table.columns =
            (isDivided ? [("group", .left)] : []) + [
                ("step", .left), ("people", .right), ("of all", .right), ("of the step before", .right),
                ("median time", .right), ("since the first", .right),
            ]
        table.csv = ["kind,group,step,name,people,median_ms,median_total_ms"]
        for series in series {
            let group = AnswerTable.group(series)
            let steps = series["steps"]?.array ?? []
            let people = steps.map { $0["people"]?.integer ?? 0 }
            for (index, step) in steps.enumerated() where index < names.count {
                let medians = ["median", "median_total"].map { step[$0]?.integer }
                var row = isDivided ? [index == 0 ? group.label : ""] : []
                row += ["\(index + 1) " + AnswerTable.name(names[index]), people[index].grouped]
                row.append(AnswerTable.share(people[index], of: people[0]))
                row.append(index == 0 ? "" : AnswerTable.share(people[index], of: people[index - 1]))
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

    /// A row for each person who stayed.
    static func list(_ answer: JSONValue, _ dates: DateLabels) -> AnswerTable {
        var table = AnswerTable(heading: heading(answer, dates))
        table.columns = [("last step", .left), ("person", .left)]
        table.nothing = "Nobody stayed there."
        for person in answer["people"]?.array ?? [] {
            let who =
                person["user"]?.string.map { "user " + EventLineFormat.plain($0) }
                ?? "installation \(person["installation"]?.string ?? "unknown")"
            let at = person["at"]?.integer.map { dates.moment(Timestamp(milliseconds: $0)) } ?? "–"
            table.rows.append([at, who])
        }
        return table
    }

    private static func heading(_ answer: JSONValue, _ dates: DateLabels) -> String {
        let names = (answer["steps"]?.array ?? []).compactMap(\.string).map { AnswerTable.name($0) }
        func moment(_ name: String) -> String {
            answer[name]?.integer.map { dates.moment(Timestamp(milliseconds: $0)) } ?? "–"
        }
        let window = TimeSpan(milliseconds: answer["window"]?.integer ?? 0).text
        return names.joined(separator: " → ") + ", \(moment("from")) – \(moment("to")), within \(window)"
    }
}
