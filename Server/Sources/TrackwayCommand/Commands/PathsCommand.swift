// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import ArgumentParser
internal import CollectorCore
internal import TrackwayCore

/// Shows paths from or to a screen or an event.
struct PathsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "paths",
        abstract: "Show paths from or to a screen or an event.",
        discussion: """
            Follows each session forward from its first matching screen, or backward
            from its last; without --start and --end, forward from its first screen. A
            repeated name counts once.

            EXAMPLES
              # Show paths from the home screen.
              trackway paths --start Home
              # Show paths to the checkout in the last week.
              trackway paths --end Checkout --steps 4 --last 7d
              # Print the paths between events.
              trackway paths --of events --start add_to_cart --csv
            """
    )

    @OptionGroup var collector: CollectorOptions
    @OptionGroup var question: QueryOptions

    @Option(help: "Type of steps: screens, or events (custom events only).")
    var of = PathQuery.Kind.screens

    @Option(help: "Name at which paths begin.")
    var start: String?

    @Option(help: "Name at which paths end.")
    var end: String?

    @Option(help: "Number of steps, 2 to 10.")
    var steps = 5

    @Option(help: "Number of names per step, 1 to 20.")
    var top = 8

    @Option(help: "Only sessions of this installation.")
    var installation: String?

    /// Checks the combination of options.
    func validate() throws {
        guard start == nil || end == nil else { throw ValidationError("choose --start or --end") }
    }

    /// Returns the query parameters for the collector.
    func query(now: Timestamp) throws(CommandFailure) -> [(name: String, value: String)] {
        var query = [(name: "of", value: of.rawValue), ("steps", String(steps)), ("top", String(top))]
        for (name, value) in [("start", start), ("end", end), ("installation", installation)] {
            if let value { query.append((name, value)) }
        }
        return query + (try question.range(now: now))
    }

    /// Queries the collector and prints the result.
    func run() async throws {
        let query = try query(now: SystemClock().now().wall)
        try await question.ask("/v1/paths", query, of: collector) { answer, _ in Self.table(answer) }
    }

    /// Returns a table with a row for each name of each step.
    static func table(_ answer: JSONValue) -> ResultTable {
        let sessions = answer["sessions"]?.integer ?? 0
        let kind = answer["of"]?.string ?? "screens"
        var table = ResultTable(heading: "Paths over \(kind) in \(sessions.grouped) sessions")
        if let start = answer["start"]?.string { table.heading += ", starting at “\(ResultTable.name(start))”" }
        if let end = answer["end"]?.string { table.heading += ", ending at “\(ResultTable.name(end))”" }
        table.columns = [("step", .right), ("name", .left), ("sessions", .right), ("of all", .right)]
        for (index, step) in (answer["steps"]?.array ?? []).enumerated() {
            func add(_ name: String, _ count: Int64) {
                table.rows.append([
                    String(index + 1), name, count.grouped, ResultTable.share(count, of: sessions),
                ])
            }
            for name in step["names"]?.array ?? [] {
                add(ResultTable.name(name["name"]?.string ?? ""), name["sessions"]?.integer ?? 0)
            }
            if let other = step["other"]?.integer, other > 0 { add("(others)", other) }
            if let ended = step["ended"]?.integer, ended > 0 { add("(ended)", ended) }
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

extension PathQuery.Kind: ExpressibleByArgument {}
