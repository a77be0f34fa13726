// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ArgumentParser
internal import Collector
internal import Foundation
internal import TrackwayEvents

/// Works with tracking plans.
struct PlanCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "plan",
        abstract: "Check a tracking plan, make Swift types of it, and see what events do not keep to.",
        discussion: """
            A plan is a JSON file under version control that says which events there are
            and what they look like. `trackway serve --plan plan.json` counts what does
            not keep to it; nothing is dropped for that.

            EXAMPLES
              # A first plan from what is there.
              trackway plan init --from http://127.0.0.1:8787 --output plan.json
              # All mistakes of the file.
              trackway plan check plan.json
              # In CI: 1 when events do not keep to it.
              trackway plan check plan.json --against http://127.0.0.1:8787
              # A TypedEvent for each event.
              trackway plan swift plan.json --output Sources/App/Events.swift
              # The events of the plan in force, counted.
              trackway plan show
              # What does not keep to it, in groups.
              trackway plan violations --last 7d
            """,
        subcommands: [
            PlanCheckCommand.self, PlanSwiftCommand.self, PlanInitCommand.self, PlanShowCommand.self,
            PlanViolationsCommand.self,
        ]
    )
}

/// Shows the events of the plan in force.
struct PlanShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "See the events of a collector's plan, and those that are not in it, with what was counted."
    )

    @OptionGroup var collector: CollectorOptions

    @Option(help: "How many days back, today included, such as 7d. Default: since the plan counts.")
    var last: String?

    @Option(
        help:
            "Which: all, planned, unplanned, violated (what does not keep to the plan) or missing (what did not come)."
    )
    var show = "all"

    @Option(help: "The most events.")
    var limit = 100

    @Flag(help: "Print the collector's JSON.")
    var json = false

    @Flag(help: "Print comma-separated values.")
    var csv = false

    /// Sees that the options fit together.
    func validate() throws {
        guard !json || !csv else { throw ValidationError("choose --json or --csv") }
        guard (1...500).contains(limit) else { throw ValidationError("--limit takes 1 to 500") }
    }

    /// Asks and prints.
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

/// Shows what events do not keep to.
struct PlanViolationsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "violations",
        abstract: "See what events do not keep to, in groups: by event, place, kind and version of the app."
    )

    @OptionGroup var collector: CollectorOptions

    @Option(help: "Only events of this name.")
    var name: String?

    @Option(help: "Only this kind, such as type, missing or unplanned.")
    var code: String?

    @Option(help: "How many days back, today included, such as 7d. Default: since the plan counts.")
    var last: String?

    @Option(help: "The most groups.")
    var limit = 100

    @Flag(help: "Print the collector's JSON.")
    var json = false

    @Flag(help: "Print comma-separated values: a line for each group and day of UTC.")
    var csv = false

    /// Sees that the options fit together.
    func validate() throws {
        guard !json || !csv else { throw ValidationError("choose --json or --csv") }
        guard (1...1_000).contains(limit) else { throw ValidationError("--limit takes 1 to 1000") }
    }

    /// Asks and prints.
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

/// Makes Swift source of a plan.
struct PlanSwiftCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "swift",
        abstract: "Make Swift source with a TypedEvent for each event of a plan.",
        discussion: """
            The same plan makes the same source. Attributes that are not required are
            optional, texts with a list of values become enumerations, and what the plan
            leaves open is a PlannedValue.

            EXAMPLES
              trackway plan swift plan.json --output Sources/App/Events.swift
              # In CI: is it up to date?
              trackway plan swift plan.json --access public | diff - \\
                Sources/Events/Events.swift
            """
    )

    @Argument(help: "The plan's file.")
    var file: String

    @Option(help: "Who may use the types: internal, package or public.")
    var access = PlanSwift.Access.internal

    @Option(help: "The file to write. Default: standard output.")
    var output: String?

    /// Reads, makes and writes.
    func run() throws {
        let plan = try PlanFile.plan(file)
        var maker = PlanSwift(access: access)
        let source = maker.source(of: plan)
        guard let output else { return Console.standard.write(document: String(source.dropLast())) }
        try PlanFile.write(source, to: output)
        Console.standard.note("\(output): \(plan.events.count) events")
    }
}

/// Writes a first plan.
struct PlanInitCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "init",
        abstract: "Make a first plan of what a collector's catalogue has.",
        discussion: """
            Every event of one's own becomes a planned one, its attributes with the
            types they have; what every event has that was looked at is required. Read
            it, change it, and put it under version control.
            """
    )

    @Option(help: "The collector's address. Default: TRACKWAY_URL, or \(CollectorAddress.local).")
    var from: String?

    @Option(help: "The key. Default: TRACKWAY_KEY, or none.")
    var key: String?

    @Option(help: "The file to write, which must not be there yet. Default: standard output.")
    var output: String?

    @Option(help: "What the plan is called.")
    var title: String?

    @Flag(
        help: "List the values of texts that have eight or fewer. They stand in the file then: look whether they may."
    )
    var values = false

    /// Asks, makes and writes.
    func run() async throws {
        if let output, FileManager.default.fileExists(atPath: output) {
            throw CommandFailure(
                .cannotCreate,
                "\(output) is there already, and may have been written by a person",
                remedy: "name another file with --output"
            )
        }
        let client = CollectorClient(try PlanAddress.address(from, key))
        var draft = PlanDraft()
        draft.listsValues = values
        for name in try await client.catalogue().map(\.name) where draft.takes(name) {
            let description = try await client.get("/v1/catalogue/" + CollectorAddress.escape(name))
            draft.add(name, description)
        }
        let plan = draft.plan(title: title)
        let text = plan.text()
        guard let output else { return Console.standard.write(document: String(text.dropLast())) }
        try PlanFile.write(text, to: output)
        Console.standard.note("\(output): \(plan.events.count) events; see it with: trackway plan check \(output)")
    }
}

/// Where the collector is that a plan is made from or held against.
enum PlanAddress {
    /// The address that an option or the environment gives.
    static func address(_ url: String?, _ key: String?) throws(CommandFailure) -> CollectorAddress {
        let environment = ProcessInfo.processInfo.environment
        return try CollectorAddress(
            url ?? environment["TRACKWAY_URL"] ?? CollectorAddress.local,
            key: key ?? environment["TRACKWAY_KEY"]
        )
    }
}

extension CollectorClient {
    /// Every name that the catalogue tells apart, with its events and when the latest happened, by the alphabet.
    func catalogue() async throws(CommandFailure) -> [(name: String, events: Int64, last: Int64)] {
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
