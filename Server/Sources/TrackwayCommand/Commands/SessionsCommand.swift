// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ArgumentParser
internal import Foundation
internal import TrackwayCore

/// Shows sessions.
struct SessionsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sessions",
        abstract: "Show sessions and their screens.",
        discussion: """
            Shows sessions, latest first: when they started, how long they lasted, how
            long screens were used, and by whom. A session ends with its latest event;
            no end event is needed.

            EXAMPLES
              # List the latest sessions.
              trackway sessions
              # Show the screens in order, and how long each was used.
              trackway sessions --user user-42 --paths
              # Print the sessions of an installation as JSON.
              trackway sessions --installation 0199a1b2-… --json
            """
    )

    @OptionGroup var collector: CollectorOptions

    @Option(help: "Only sessions of this installation.")
    var installation: String?

    @Option(help: "Only sessions of this user.")
    var user: String?

    @Option(help: "Only the session with this id.")
    var session: String?

    @Option(help: "Maximum number of sessions; the latest are shown.")
    var limit: Int = 20

    @Flag(help: "Show the screens of each session in order.")
    var paths = false

    @Flag(help: "Print each session as the collector's JSON, one per line.")
    var json = false

    /// The number of sessions requested per page.
    private static let pageSize = 200

    /// Checks the option values.
    func validate() throws {
        guard limit > 0 else { throw ValidationError("--limit takes 1 or more") }
        if let installation, InstallationID(installation) == nil {
            throw ValidationError("“\(installation)” is not an installation id: ids have 36 characters")
        }
    }

    /// Queries the collector and prints the result.
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
            Console.standard.write(json: found)
        } else {
            let text = SessionText(style: Console.standard.style)
            Console.standard.write(timed: text.lines(found.map { CollectorSession($0) }, paths: paths))
        }
    }
}

/// A session, decoded from the collector's response.
struct CollectorSession: Sendable, Hashable {
    /// A screen shown in the session.
    struct Screen: Sendable, Hashable {
        /// The screen's name.
        var name: String
        /// The engagement time in milliseconds; 0 if none was reported.
        var engagement: Int64
    }

    /// The session's id.
    var id: String
    /// The session's number within its installation, starting at 1.
    var number: Int64?
    /// The installation; nil if the client reports none.
    var installation: String?
    /// The start time.
    var start: Timestamp
    /// The time of the session's latest event.
    var last: Timestamp
    /// The number of events.
    var events: UInt64
    /// The total engagement time in milliseconds.
    var engagement: Int64
    /// The users who were signed in during the session.
    var users: [String]
    /// The screens in order.
    var screens: [Screen]
    /// The kinds of app starts, ends, and crashes, in order.
    var launches: [String]

    /// Decodes a session; absent members count as zero or empty.
    init(_ json: JSONValue) {
        func number(_ key: String) -> Int64 { json[key]?.integer ?? 0 }
        id = json["id"]?.string ?? ""
        self.number = json["number"]?.integer
        installation = json["installation"]?.string
        start = Timestamp(milliseconds: number("start"))
        last = Timestamp(milliseconds: number("last"))
        events = UInt64(clamping: number("events"))
        engagement = number("engagement")
        users = (json["users"]?.array ?? []).compactMap(\.string)
        screens = (json["screens"]?.array ?? []).map { screen in
            Screen(name: screen["name"]?.string ?? "", engagement: screen["engagement"]?.integer ?? 0)
        }
        launches = (json["launches"]?.array ?? []).compactMap { $0["kind"]?.string }
    }
}

/// Formats sessions as text.
struct SessionText: Sendable {
    /// The text style.
    var style: Style
    /// The time zone for displayed times.
    var zone: TimeZone

    /// Creates a formatter, by default with the machine's time zone.
    init(style: Style, zone: TimeZone = .current) {
        self.style = style
        self.zone = zone
    }

    /// Returns the lines of a table; with `paths`, the session's screens follow its row.
    func lines(_ sessions: [CollectorSession], paths: Bool) -> [String] {
        guard !sessions.isEmpty else {
            return ["No sessions yet.", "A session starts when an app with Trackway is opened."]
        }
        let format = EventLineFormat(style: style, zone: zone)
        var table = Table([
            ("start", .left), ("no.", .right), ("duration", .right), ("events", .right), ("screens", .right),
            ("engaged", .right), ("user", .left),
        ])
        for session in sessions {
            table.append([
                format.date(session.start), session.number.map(String.init) ?? "–",
                TimeSpan(from: session.start, to: session.last).text,
                session.events.grouped, UInt64(session.screens.count).grouped,
                TimeSpan(milliseconds: session.engagement).text, userLabel(session),
            ])
        }
        let rows = table.lines(style: style)
        guard paths else { return rows }
        return [rows[0]] + zip(rows.dropFirst(), sessions).flatMap { row, session in [row, "  " + path(session)] }
    }

    private func userLabel(_ session: CollectorSession) -> String {
        EventLineFormat.plain(
            session.users.isEmpty ? session.installation ?? "–" : session.users.joined(separator: ", ")
        )
    }

    private func path(_ session: CollectorSession) -> String {
        guard !session.screens.isEmpty else { return style.faint("no screens") }
        return session.screens.map { screen in
            let name = EventLineFormat.plain(screen.name)
            guard screen.engagement > 0 else { return name }
            return name + " " + style.faint(TimeSpan(milliseconds: screen.engagement).text)
        }.joined(separator: " → ")
    }
}
