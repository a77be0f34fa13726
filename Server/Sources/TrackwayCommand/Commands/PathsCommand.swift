// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import ArgumentParser
internal import Collector
internal import TrackwayEvents

/// Shows how people go on from a screen or an event.
struct PathsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "paths",
        abstract: "See how people go on from a screen or an event, or how they came to it.",
        discussion: """
            Follows each session from its first such screen on, or back from its last;
            without either from its first screen. A name that is repeated counts once.

            EXAMPLES
              trackway paths --start Home
              trackway paths --end Checkout --steps 4 --last 7d
              trackway paths --of events --start add_to_cart --csv
            """
    )

    @OptionGroup var collector: CollectorOptions
    @OptionGroup var question: QuestionOptions

    @Option(help: "screens, or events: the app's own.")
    var of = PathQuestion.Kind.screens

    @Option(help: "Where paths begin.")
    var start: String?

    @Option(help: "Where paths end.")
    var end: String?

    @Option(help: "How many steps are told, 2 to 10.")
    var steps = 5

    @Option(help: "How many names of each step are told apart, 1 to 20.")
    var top = 8

    @Option(help: "Only sessions of this installation.")
    var installation: String?

    /// Sees that the options fit together.
    func validate() throws {
        guard start == nil || end == nil else { throw ValidationError("choose --start or --end") }
    }

    /// The question as the collector understands it.
    func query(now: Timestamp) throws(CommandFailure) -> [(name: String, value: String)] {
        var query = [(name: "of", value: of.rawValue), ("steps", String(steps)), ("top", String(top))]
        for (name, value) in [("start", start), ("end", end), ("installation", installation)] {
            if let value { query.append((name, value)) }
        }
        return query + (try question.range(now: now))
    }

    /// Asks and prints.
    func run() async throws {
        let query = try query(now: SystemClock().now().wall)
        try await question.ask("/v1/paths", query, of: collector) { answer, _ in Self.table(answer) }
    }

    /// A row for each name of each step.
    static func table(_ answer: JSONValue) -> AnswerTable {
        let sessions = answer["sessions"]?.integer ?? 0
        let what = answer["of"]?.string ?? "screens"
        var table = AnswerTable(heading: "Paths over \(what) in \(sessions.grouped) sessions")
        if let start = answer["start"]?.string { table.heading += ", from “\(AnswerTable.name(start))” on" }
        if let end = answer["end"]?.string { table.heading += ", back from “\(AnswerTable.name(end))”" }
        table.columns = [("step", .right), ("name", .left), ("sessions", .right), ("of all", .right)]
        for (index, step) in (answer["steps"]?.array ?? []).enumerated() {
            func add(_ name: String, _ count: Int64) {
                table.rows.append([
                    String(index + 1), name, count.grouped, AnswerTable.share(count, of: sessions),
                ])
            }
            for name in step["names"]?.array ?? [] {
                add(AnswerTable.name(name["name"]?.string ?? ""), name["sessions"]?.integer ?? 0)
            }
            if let other = step["other"]?.integer, other > 0 { add("(others)", other) }
            if let ended = step["ended"]?.integer, ended > 0 { add("(no further)", ended) }
        }
        table.csv = ["step,from,to,sessions"]
        for link in answer["links"]?.array ?? [] {
            let names = ["from", "to"].map { UsageReportRow.quoted(link[$0]?.string ?? "") }
            let step = (link["step"]?.integer ?? 0) + 1
            table.csv.append("\(step),\(names[0]),\(names[1]),\(link["sessions"]?.integer ?? 0)")
        }
        return table
    }
}

extension PathQuestion.Kind: ExpressibleByArgument {}
