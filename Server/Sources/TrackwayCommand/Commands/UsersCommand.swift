// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ArgumentParser
internal import TrackwayCore

/// Finds users and shows individual users.
struct UsersCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "users",
        abstract: "Find, show, export, merge, and erase users.",
        discussion: """
            Without a subcommand, finds users with the options of `list`.

            EXAMPLES
              # List the most recently seen users.
              trackway users
              # Find users by their attributes.
              trackway users --where plan=pro
              # Show one user's events as they arrive.
              trackway users show user-42 --follow
              # Show a user's consent decisions.
              trackway users consent user-42
              # Write everything known about a user to a ZIP archive.
              trackway users export user-42 --output user-42.zip
              # Show what erasing a user would remove.
              trackway users erase user-42
              # Show what merging two users would change.
              trackway users merge anna@example.com user-42
              # Show what the collector holds about people.
              trackway users inventory
              # List the saved cohorts.
              trackway users cohorts
            """,
        subcommands: [
            UsersListCommand.self, UsersShowCommand.self, UsersConsentCommand.self, UsersExportCommand.self,
            UsersEraseCommand.self, UsersMergeCommand.self, UsersUnmergeCommand.self, UsersInventoryCommand.self,
            CohortsCommand.self,
        ],
        defaultSubcommand: UsersListCommand.self
    )
}

/// Finds users.
struct UsersListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Find users by their ids and attributes.",
        discussion: """
            Shows users, most recently seen first: users who signed in, and visitors who
            did not. Each search text must occur in an id or in an attribute's value,
            ignoring case; the full id of an installation finds the users who used it.
            To search for “list” or “show”, write trackway users list TEXT.

            EXAMPLES
              # List the most recently seen users.
              trackway users
              # Search ids and attributes.
              trackway users carl
              # Find users by their attributes.
              trackway users --where plan=pro --where 'orders>=10'
              # Find users by when they came, or by a saved cohort.
              trackway users --where 'person.first_seen>=2026-11-01'
              trackway users --where cohort=big-spenders
              # Find the users of an installation.
              trackway users --installation 0199a1b2-… --json
            """
    )

    @OptionGroup var collector: CollectorOptions

    @Argument(help: "Text that must occur in an id or an attribute's value. May be repeated.")
    var text: [String] = []

    @Option(
        name: .customLong("where"),
        parsing: .singleValue,
        help: "Condition for users' attributes, such as plan=pro, or cohort=NAME. May be repeated."
    )
    var conditions: [String] = []

    @Option(help: "Only users of this installation.")
    var installation: String?

    @Option(help: "Maximum number of users; the most recently seen are shown.")
    var limit = 20

    @Flag(help: "Print each user as the collector's JSON, one per line.")
    var json = false

    @Flag(help: "Print comma-separated values.")
    var csv = false

    /// The number of users requested per page.
    private static let pageSize = 200

    /// Checks the option values.
    func validate() throws {
        guard limit > 0 else { throw ValidationError("--limit takes 1 or more") }
        guard !json || !csv else { throw ValidationError("choose --json or --csv") }
        if let installation, InstallationID(installation) == nil {
            throw ValidationError("“\(installation)” is not an installation id: ids have 36 characters")
        }
    }

    /// Queries the collector and prints the result.
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
            // A page may be empty before the search is complete.
        } while after != nil && found.count < limit
        if json { return Console.standard.write(json: found) }
        let text = UserText(style: Console.standard.style)
        if csv { return Console.standard.write(csv: text.listCSV(found)) }
        Console.standard.write(
            timed: text.list(found, searched: total.map { (searched, of: $0) }, hasMore: after != nil)
        )
    }
}
