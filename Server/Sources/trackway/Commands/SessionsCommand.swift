// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ArgumentParser
internal import TrackwayEvents

/// Shows how people used an app.
struct SessionsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sessions",
        abstract: "See how people used the app: sessions and their screens.",
        discussion: """
            Shows sessions, the latest first: when they began, how long they lasted, how long screens were used, and who was
            there. A session ends with its latest event; nothing has to say so.

            EXAMPLES
              trackway sessions
              trackway sessions --user user-42 --paths     with the screens in order and how long each was used
              trackway sessions --installation 0199a1b2-… --json
            """
    )

    @OptionGroup var collector: CollectorOptions

    @Option(help: "Only sessions of this installation.")
    var installation: String?

    @Option(help: "Only sessions of this user.")
    var user: String?

    @Option(help: "Only the session of this id.")
    var session: String?

    @Option(help: "The most sessions, the latest win.")
    var limit: Int = 20

    @Flag(help: "Show the screens of each session in order.")
    var paths = false

    @Flag(help: "Print each session as the collector's JSON, one a line.")
    var json = false

    /// Sessions asked for at once.
    private static let pageSize = 200

    /// Sees that the values make sense.
    func validate() throws {
        guard limit > 0 else { throw ValidationError("--limit takes 1 or more") }
        if let installation, InstallationID(installation) == nil {
            throw ValidationError("“\(installation)” is not an installation's id: it has 36 characters")
        }
    }

    /// Asks and prints.
    func run() async throws {
        let client = CollectorClient(try collector.address())
        let filter = [("installation", installation), ("user", user), ("session", session)]
            .compactMap { name, value in value.map { (name: name, value: $0) } }
        var found: [JSONValue] = []
        var after: String?
        repeat {
            var query = filter + [("limit", String(min(limit - found.count, Self.pageSize)))]
            if let after { query.append(("after", after)) }
            let page = try await client.get("/v1/sessions", query: query)
            found += page["sessions"]?.array ?? []
            after = page["next"]?.string
        } while after != nil && found.count < limit
        if json {
            Console.standard.write(found.map { String(decoding: $0.json(), as: UTF8.self) })
        } else {
            let text = SessionText(style: Console.standard.style)
            Console.standard.write(text.lines(found.map { CollectorSession($0) }, paths: paths))
        }
    }
}
