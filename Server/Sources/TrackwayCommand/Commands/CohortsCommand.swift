// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ArgumentParser
internal import CollectorCore
internal import TrackwayCore

/// Lists, shows, saves, and removes cohorts.
struct CohortsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cohorts",
        abstract: "List, show, save, and remove cohorts.",
        discussion: """
            A cohort is a saved definition of people: by their attributes and first-touch
            facts, and by what they did or did not do. Use it in conditions: cohort=NAME.

            EXAMPLES
              # Save a cohort: three large purchases in 90 days, and no refund.
              trackway users cohorts save big-spenders \\
                --did 'purchase,times=3,last=90d' --did-where 'total>=100' \\
                --did-not refund
              # Count its members by week.
              trackway trends --measure users --where cohort=big-spenders \\
                --interval week
              # List its members.
              trackway users --where cohort=big-spenders
            """,
        subcommands: [
            CohortsListCommand.self, CohortsShowCommand.self, CohortsSaveCommand.self, CohortsRemoveCommand.self,
        ],
        defaultSubcommand: CohortsListCommand.self
    )

    /// Returns the path of a cohort.
    static func path(_ name: String) -> String { "/v1/cohorts/" + CollectorAddress.escape(name) }
}

/// Lists the cohorts.
struct CohortsListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List cohorts and their definitions."
    )

    @OptionGroup var collector: CollectorOptions

    @Flag(help: "Print the collector's JSON.")
    var json = false

    /// Queries the collector and prints the result.
    func run() async throws {
        let answer = try await CollectorClient(try collector.address()).get("/v1/cohorts")
        if json { return Console.standard.write(json: answer) }
        guard answer["cohorts"]?.array?.isEmpty == false else {
            return Console.standard.write("No cohorts are saved; see `trackway users cohorts save --help`.")
        }
        var table = ResultTable(heading: "Cohorts")
        table.columns = [("name", .left), ("people who", .left)]
        for cohort in answer["cohorts"]?.array ?? [] {
            table.rows.append([cohort["name"]?.string ?? "", Self.text(cohort).joined(separator: "; ")])
        }
        Console.standard.write(table.lines(style: Console.standard.style))
    }

    /// Returns a definition as phrases.
    static func text(_ cohort: JSONValue) -> [String] {
        let conditions = (cohort["where"]?.array ?? []).compactMap(\.string)
        return (conditions + behaviors(cohort["did"], "did") + behaviors(cohort["did_not"], "did not"))
            .map { EventLineFormat.plain($0) }
    }

    private static func behaviors(_ list: JSONValue?, _ verb: String) -> [String] {
        (list?.array ?? []).map { behavior in
            var text = "\(verb) \(behavior["event"]?.string ?? "")"
            let times = behavior["times"]?.integer ?? 1
            if times > 1 { text += " \(times) times" }
            let conditions = (behavior["where"]?.array ?? []).compactMap(\.string)
            if !conditions.isEmpty { text += " with " + conditions.joined(separator: ", ") }
            if let last = behavior["last"]?.string { text += " in the last \(last)" }
            for name in ["from", "to"] {
                if let value = behavior[name]?.string { text += " \(name) \(value)" }
            }
            return text
        }
    }
}

/// Shows a cohort.
struct CohortsShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show a cohort's definition.",
        discussion: """
            EXAMPLES
              # Print a definition, for `trackway users cohorts save --file`.
              trackway users cohorts show big-spenders --json
            """
    )

    @OptionGroup var collector: CollectorOptions

    @Argument(help: "Name of the cohort.")
    var name: String

    @Flag(help: "Print the collector's JSON.")
    var json = false

    /// Queries the collector and prints the result.
    func run() async throws {
        let cohort = try await CollectorClient(try collector.address()).get(CohortsCommand.path(name))
        if json { return Console.standard.write(json: cohort) }
        let lines = CohortsListCommand.text(cohort).map { "  " + $0 }
        Console.standard.write(["\(EventLineFormat.plain(name)): people who"] + lines)
    }
}

/// Saves a cohort.
struct CohortsSaveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "save",
        abstract: "Save a cohort, or replace the one with this name.",
        discussion: """
            People belong to the cohort if all conditions hold. --did and --did-not take
            an event's name, optionally with the minimum number and a time range:
            purchase,times=3,last=90d or purchase,from=2026-01-01,to=2026-04-01. Without
            a range, all events count. --did-where and --did-not-where apply to all
            events of --did or --did-not; for separate conditions, use --file.

            EXAMPLES
              # Save the paying users who have not been active for 30 days.
              trackway users cohorts save lapsed --where person.plan=pro \\
                --did-not 'app_open,last=30d'
              # Save a cohort from its definition as JSON.
              trackway users cohorts save lapsed --file cohort.json
            """
    )

    @OptionGroup var collector: CollectorOptions

    @Argument(help: "Name: 1 to 64 of the characters a–z, 0–9, “-” and “_”.")
    var name: String

    @Option(
        name: .customLong("where"),
        parsing: .singleValue,
        help: "Condition for people, such as person.plan=pro. May be repeated."
    )
    var conditions: [String] = []

    @Option(parsing: .singleValue, help: "Event that people must have. May be repeated.")
    var did: [String] = []

    @Option(parsing: .singleValue, help: "Condition for the events of --did. May be repeated.")
    var didWhere: [String] = []

    @Option(parsing: .singleValue, help: "Event that people must not have. May be repeated.")
    var didNot: [String] = []

    @Option(parsing: .singleValue, help: "Condition for the events of --did-not. May be repeated.")
    var didNotWhere: [String] = []

    @Option(help: "Time zone of days and dates, such as Europe/Berlin. Default: this machine's.")
    var zone: String?

    @Option(help: "File with the definition as JSON; “-” for standard input.")
    var file: String?

    @Flag(help: "Print the collector's JSON.")
    var json = false

    /// Checks the combination of options.
    func validate() throws {
        let hasOptions = !(conditions + did + didNot + didWhere + didNotWhere).isEmpty || zone != nil
        guard (file != nil) != hasOptions else {
            throw ValidationError("write conditions (--where, --did, --did-not), or --file")
        }
        guard didWhere.isEmpty || !did.isEmpty else { throw ValidationError("--did-where requires --did") }
        guard didNotWhere.isEmpty || !didNot.isEmpty else {
            throw ValidationError("--did-not-where requires --did-not")
        }
    }

    /// Saves the cohort, and prints its definition.
    func run() async throws {
        let body: JSONValue
        if let file {
            body = try Self.definition(file)
        } else {
            body = try definition(now: SystemClock().now().wall)
        }
        let client = CollectorClient(try collector.address())
        let saved = try await client.send("PUT", CohortsCommand.path(name), body: body)
        if json { return Console.standard.write(json: saved) }
        let lines = CohortsListCommand.text(saved).map { "  " + $0 }
        Console.standard.write(["saved: \(EventLineFormat.plain(name))"] + lines)
    }

    /// Returns the definition in the options.
    func definition(now: Timestamp) throws(CommandFailure) -> JSONValue {
        let zone = zone ?? SystemZones.current
        func list(_ texts: [String], _ conditions: [String]) throws(CommandFailure) -> JSONValue {
            var behaviors: [JSONValue] = []
            for text in texts { behaviors.append(try Self.behavior(text, conditions, zone, now: now)) }
            return .array(behaviors)
        }
        return .members(
            ("where", .array(conditions.map(JSONValue.string))),
            ("did", try list(did, didWhere)),
            ("did_not", try list(didNot, didNotWhere)),
            ("zone", .string(zone))
        )
    }

    /// Parses an event with its number and time range.
    private static func behavior(
        _ text: String,
        _ conditions: [String],
        _ zone: String,
        now: Timestamp
    ) throws(CommandFailure) -> JSONValue {
        let parts = text.split(separator: ",", omittingEmptySubsequences: false)
        var members: [(String, JSONValue)] = [("event", .string(String(parts[0])))]
        if !conditions.isEmpty { members.append(("where", .array(conditions.map(JSONValue.string)))) }
        for part in parts.dropFirst() {
            let pair = part.split(separator: "=", maxSplits: 1)
            let value = pair.count == 2 ? String(pair[1]) : ""
            switch pair.first {
            case "times" where Int64(value) != nil: members.append(("times", .integer(Int64(value) ?? 1)))
            case "last" where !value.isEmpty: members.append(("last", .string(value)))
            case "from" where !value.isEmpty, "to" where !value.isEmpty:
                let moment = try QueryOptions.moment(value, now: now, zone: zone)
                members.append((String(pair[0]), .integer(moment.milliseconds)))
            default:
                throw CommandFailure(
                    .usage,
                    "“\(part)” in “\(text)” is not times=3, last=90d, from=DATE or to=DATE",
                    remedy: "write purchase,times=3,last=90d, or use --file for names that contain a comma"
                )
            }
        }
        return .object(JSONValue.Object(members.map { JSONValue.Object.Member(key: $0.0, value: $0.1) }))
    }

    private static func definition(_ path: String) throws(CommandFailure) -> JSONValue {
        let bytes = try InputFile.bytes(path)
        do {
            let value = try JSONValue.parse(bytes, limits: JSONLimits(bytes: CohortLimits.definitionBytes, depth: 16))
            guard let object = value.object else { return value }
            // The name is that of the command, so that a definition can be copied.
            return .object(JSONValue.Object(object.members.filter { $0.key != "name" && $0.key != "changed" }))
        } catch {
            throw CommandFailure(
                .usage,
                "\(path) is not JSON: \(error)",
                remedy: "`trackway users cohorts show NAME --json` prints a definition"
            )
        }
    }
}

/// Removes a cohort.
struct CohortsRemoveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Remove a cohort; queries that name it then fail.",
        discussion: """
            EXAMPLES
              # Remove the cohort with this name.
              trackway users cohorts remove big-spenders
            """
    )

    @OptionGroup var collector: CollectorOptions

    @Argument(help: "Name of the cohort.")
    var name: String

    @Flag(help: "Print the collector's JSON.")
    var json = false

    /// Removes the cohort.
    func run() async throws {
        let client = CollectorClient(try collector.address())
        let answer = try await client.send("DELETE", CohortsCommand.path(name))
        if json { return Console.standard.write(json: answer) }
        Console.standard.write("removed: \(EventLineFormat.plain(name))")
    }
}
