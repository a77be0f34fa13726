// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ArgumentParser
internal import TrackwayEvents

/// Finds people.
struct UsersCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "users",
        abstract: "Find people, by their ids and by what is known about them.",
        discussion: """
            Shows people, those seen last first: users who signed in, and visitors who
            did not. A text has to occur in one of the ids or in the value of an
            attribute, letters in either case; the whole id of an installation finds who
            used it.

            EXAMPLES
              trackway users
              trackway users carl
              trackway users --where plan=pro --where 'orders>=10'
              trackway users --installation 0199a1b2-… --json
            """
    )

    @OptionGroup var collector: CollectorOptions

    @Argument(help: "Only people with these texts in an id or an attribute's value.")
    var text: [String] = []

    @Option(
        name: .customLong("where"),
        parsing: .singleValue,
        help: "Only people for whose attributes this holds, such as plan=pro or orders>=10. May be repeated."
    )
    var conditions: [String] = []

    @Option(help: "Only people who used this installation.")
    var installation: String?

    @Option(help: "The most people, those seen last win.")
    var limit = 20

    @Flag(help: "Print each person as the collector's JSON, one a line.")
    var json = false

    @Flag(help: "Print comma-separated values.")
    var csv = false

    /// People asked for at once.
    private static let pageSize = 200

    /// Sees that the values make sense.
    func validate() throws {
        guard limit > 0 else { throw ValidationError("--limit takes 1 or more") }
        guard !json || !csv else { throw ValidationError("choose --json or --csv") }
        if let installation, InstallationID(installation) == nil {
            throw ValidationError("“\(installation)” is not an installation's id: it has 36 characters")
        }
    }

    /// Asks and prints.
    func run() async throws {
        let client = CollectorClient(try collector.address())
        var filter = text.map { (name: "text", value: $0) } + conditions.map { (name: "where", value: $0) }
        if let installation { filter.append(("installation", installation)) }
        var found: [JSONValue] = []
        var searched: Int64 = 0
        var total: Int64?
        var after: String?
        repeat {
            var query = filter + [("limit", String(min(limit - found.count, Self.pageSize)))]
            if let after { query.append(("after", after)) }
            let page = try await client.get("/v1/users", query: query)
            found += page["users"]?.array ?? []
            searched += page["searched"]?.integer ?? 0
            total = page["of"]?.integer
            after = page["next"]?.string
            // A search may have gone through many people and found nobody yet.
        } while after != nil && found.count < limit
        if json { return Console.standard.write(json: found) }
        let text = PersonText(style: Console.standard.style)
        if csv { return Console.standard.write(csv: text.listCSV(found)) }
        Console.standard.write(
            timed: text.list(found, searched: total.map { (searched, of: $0) }, hasMore: after != nil)
        )
    }
}
