// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ArgumentParser
internal import CollectorCore
internal import Foundation
internal import TrackwayCore

/// Checks, creates, and shows tracking plans, and generates code from them.
struct PlanCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "plan",
        abstract: "Check a tracking plan, and generate Swift types.",
        discussion: """
            A plan is a JSON file under version control that lists the events and
            describes their attributes. `trackway serve --plan plan.json` counts
            violations of the plan; it drops no events because of them.

            EXAMPLES
              # Create an initial plan from a collector's events.
              trackway plan init --from http://127.0.0.1:8787 --output plan.json
              # Report all mistakes in the file.
              trackway plan check plan.json
              # In CI: exit with 1 if events violate the plan.
              trackway plan check plan.json --against http://127.0.0.1:8787
              # Generate a TypedEvent for each event.
              trackway plan swift plan.json --output Sources/App/Events.swift
              # Show the events of the plan in force with counts.
              trackway plan show
              # Show groups of violations.
              trackway plan violations --last 7d
            """,
        subcommands: [
            PlanCheckCommand.self, PlanSwiftCommand.self, PlanInitCommand.self, PlanShowCommand.self,
            PlanViolationsCommand.self,
        ]
    )
}

/// Shows the events of the current plan.
struct PlanShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show events in a collector's plan, and those not in it, with counts."
    )

    @OptionGroup var collector: CollectorOptions

    @Option(help: "Number of days, including today, such as 7d. Default: since the plan took effect.")
    var last: String?

    @Option(
        help:
            "Events to show: all, planned, unplanned, violated (with violations), or missing (not received)."
    )
    var show = "all"

    @Option(help: "Maximum number of events.")
    var limit = 100

    @Flag(help: "Print the collector's JSON.")
    var json = false

    @Flag(help: "Print comma-separated values.")
    var csv = false

    /// Checks the option values.
    func validate() throws {
        guard !json || !csv else { throw ValidationError("choose --json or --csv") }
        guard (1...500).contains(limit) else { throw ValidationError("--limit takes 1 to 500") }
    }

    /// Queries the collector and prints the result.
    func run() async throws {
        var query = [(name: "show", value: show), (name: "limit", value: String(limit))]
        if let last { query.append(("last", last)) }
        let answer = try await CollectorClient(try collector.address()).get("/v1/plan", query: query)
        if json { return Console.standard.write(json: answer) }
        let text = PlanText(style: Console.standard.style, zone: .current)
        let table = text.events(answer)
        if csv { return Console.standard.write(csv: table.csv) }
        Console.standard.write(table.lines(style: Console.standard.style))
    }
}

/// Shows violations of the plan.
struct PlanViolationsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "violations",
        abstract: "Show violations by event, location, kind, and app version."
    )

    @OptionGroup var collector: CollectorOptions

    @Option(help: "Only events of this name.")
    var name: String?

    @Option(help: "Only violations of this kind, such as type, missing, or unplanned.")
    var code: String?

    @Option(help: "Number of days, including today, such as 7d. Default: since the plan took effect.")
    var last: String?

    @Option(help: "Maximum number of groups.")
    var limit = 100

    @Flag(help: "Print the collector's JSON.")
    var json = false

    @Flag(help: "Print comma-separated values: one line per group and UTC day.")
    var csv = false

    /// Checks the option values.
    func validate() throws {
        guard !json || !csv else { throw ValidationError("choose --json or --csv") }
        guard (1...1_000).contains(limit) else { throw ValidationError("--limit takes 1 to 1000") }
    }

    /// Queries the collector and prints the result.
    func run() async throws {
        var query = [(name: "limit", value: String(limit))]
        for (key, value) in [("name", name), ("code", code), ("last", last)] {
            if let value { query.append((key, value)) }
        }
        let answer = try await CollectorClient(try collector.address()).get("/v1/plan/violations", query: query)
        if json { return Console.standard.write(json: answer) }
        let text = PlanText(style: Console.standard.style, zone: .current)
        let table = text.violations(answer)
        if csv { return Console.standard.write(csv: table.csv) }
        Console.standard.write(table.lines(style: Console.standard.style) + text.more(answer))
    }
}

/// Generates Swift source from a plan.
struct PlanSwiftCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "swift",
        abstract: "Generate Swift source with a TypedEvent for each event of a plan.",
        discussion: """
            The same plan always generates the same source. Attributes that are not
            required are optional, strings with a list of values become enumerations, and
            values of unspecified type become PlannedValue.

            EXAMPLES
              # Generate a source file.
              trackway plan swift plan.json --output Sources/App/Events.swift
              # In CI: check that the file is up to date.
              trackway plan swift plan.json --access public | diff - \\
                Sources/Events/Events.swift
            """
    )

    @Argument(help: "Plan file.")
    var file: String

    @Option(help: "Access level of the types: internal, package, or public.")
    var access = PlanSwift.Access.internal

    @Option(help: "File to write. Default: standard output.")
    var output: String?

    /// Reads the plan and writes the source.
    func run() throws {
        let plan = try PlanFile.plan(file)
        var maker = PlanSwift(access: access)
        let source = maker.source(of: plan)
        guard let output else { return Console.standard.write(document: String(source.dropLast())) }
        try PlanFile.write(source, to: output)
        Console.standard.note("\(output): \(plan.events.count) events")
    }
}

/// Writes an initial plan.
struct PlanInitCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "init",
        abstract: "Create an initial plan from a collector's event catalog.",
        discussion: """
            Every event that the app itself defines becomes a planned one, with the types
            of its attributes; attributes present in every inspected event are required.
            Review the file, change it, and put it under version control.
            """
    )

    @Option(help: "The collector's address. Default: TRACKWAY_URL, or \(CollectorAddress.local).")
    var from: String?

    @Option(help: "The key. Default: TRACKWAY_KEY, or none.")
    var key: String?

    @Option(help: "File to write, which must not exist yet. Default: standard output.")
    var output: String?

    @Option(help: "Title of the plan.")
    var title: String?

    @Flag(
        help: "List the values of string attributes that have at most eight. Check that none are confidential."
    )
    var values = false

    /// Reads the catalog and writes the plan.
    func run() async throws {
        if let output, FileManager.default.fileExists(atPath: output) {
            throw CommandFailure(
                .cannotCreate,
                "\(output) already exists, and may have been edited by hand",
                remedy: "pass another file with --output"
            )
        }
        let client = CollectorClient(try PlanAddress.address(from, key))
        var draft = PlanDraft()
        draft.listsValues = values
        for name in try await client.catalog().map(\.name) where draft.accept(name) {
            let description = try await client.get("/v1/catalogue/" + CollectorAddress.escape(name))
            draft.add(name, description)
        }
        let plan = draft.plan(title: title)
        let text = plan.text()
        guard let output else { return Console.standard.write(document: String(text.dropLast())) }
        try PlanFile.write(text, to: output)
        Console.standard.note("\(output): \(plan.events.count) events; check it with: trackway plan check \(output)")
    }
}

/// Determines the address of the collector that a plan is compared with.
enum PlanAddress {
    /// Returns the address given by an option or the environment.
    static func address(_ url: String?, _ key: String?) throws(CommandFailure) -> CollectorAddress {
        let environment = ProcessInfo.processInfo.environment
        return try CollectorAddress(
            url ?? environment["TRACKWAY_URL"] ?? CollectorAddress.local,
            key: key ?? environment["TRACKWAY_KEY"]
        )
    }
}

extension CollectorClient {
    /// Returns every name in the catalog, sorted by name.
    ///
    /// For each name, `events` is the number of events, and `last` is the time of the latest event in milliseconds.
    func catalog() async throws(CommandFailure) -> [(name: String, events: Int64, last: Int64)] {
        var names: [(name: String, events: Int64, last: Int64)] = []
        var after: String?
        repeat {
            var query = [(name: "order", value: "name"), (name: "limit", value: "500")]
            if let after { query.append(("after", after)) }
            let page = try await get("/v1/catalogue", query: query)
            for event in page["events"]?.array ?? [] {
                guard let name = event["name"]?.string else { continue }
                names.append((name, event["events"]?.integer ?? 0, event["last"]?.integer ?? 0))
            }
            after = page["next"]?.string
        } while after != nil
        return names
    }
}
