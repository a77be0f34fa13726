// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ArgumentParser
internal import TrackwayCore

/// Shows a user's consent decisions.
struct UsersConsentCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "consent",
        abstract: "Show a user's consent decisions, latest first.",
        discussion: """
            Shows the decisions that the user's devices reported, with time, scope,
            category, source, and version of the text. Decisions made before the user
            signed in are included. A refusal is reported only by an app that sends
            pending events first, or to destinations that it does not concern.

            EXAMPLES
              # Show a user's consent decisions.
              trackway users consent user-42
              # Show those of a visitor who did not sign in, by installation.
              trackway users consent --visitor 0199a1b2-…
              # Print all decisions as JSON, one per line.
              trackway users consent user-42 --limit 0 --json
            """
    )

    @OptionGroup var collector: CollectorOptions

    @OptionGroup var person: PersonArguments

    @Option(help: "Maximum number of decisions; the latest are shown. 0 shows all.")
    var limit = 50

    @Flag(help: "Print each decision as the collector's JSON, one per line.")
    var json = false

    /// The number of decisions requested per page.
    private static let pageSize = 1_000

    /// Checks the combination of options.
    func validate() throws {
        guard limit >= 0 else { throw ValidationError("--limit takes 0 (all) or more") }
    }

    /// Queries the collector and prints the result.
    func run() async throws {
        let client = CollectorClient(try collector.address())
        let wanted = limit == 0 ? Int.max : limit
        var decisions: [JSONValue] = []
        var after: String?
        repeat {
            var query = [(name: "limit", value: String(min(wanted - decisions.count, Self.pageSize)))]
            if let after { query.append(("after", after)) }
            let page = try await client.get(person.path + "/consent", query: query)
            decisions += page["decisions"]?.array ?? []
            // A page may be empty before all events have been searched.
            after = page["next"]?.string
        } while after != nil && decisions.count < wanted
        if json { return Console.standard.write(json: decisions) }
        let text = UserText(style: Console.standard.style)
        Console.standard.write(timed: text.consent(decisions, hasMore: after != nil))
    }
}

extension UserText {
    /// Returns a table of consent decisions.
    ///
    /// - Parameter hasMore: Whether there may be earlier decisions.
    func consent(_ decisions: [JSONValue], hasMore: Bool) -> [String] {
        guard !decisions.isEmpty else { return ["No consent decisions."] }
        var table = Table([
            ("time", .left), ("decision", .left), ("scope", .left), ("category", .left), ("source", .left),
            ("version", .left), ("installation", .left),
        ])
        for decision in decisions {
            table.append(
                [moment(decision, "time")]
                    + ["decision", "scope", "category", "source", "version", "installation"].map { key in
                        decision[key]?.string.map { cut($0, Self.longestName) } ?? (key == "category" ? "all" : "–")
                    }
            )
        }
        return table.lines(style: style) + (hasMore ? ["", "Increase --limit for earlier decisions."] : [])
    }
}
