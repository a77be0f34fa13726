// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ArgumentParser
internal import Foundation
internal import TrackwayEvents

/// Shows how people used an app.
struct SessionsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sessions",
        abstract: "See how people used the app: sessions and their screens.",
        discussion: """
            Shows sessions, the latest first: when they began, how long they lasted, how
            long screens were used, and who was there. A session ends with its latest
            event; nothing has to say so.

            EXAMPLES
              trackway sessions
              # With the screens in order and how long each was used.
              trackway sessions --user user-42 --paths
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
            Console.standard.write(json: found)
        } else {
            let text = SessionText(style: Console.standard.style)
            Console.standard.write(timed: text.lines(found.map { CollectorSession($0) }, paths: paths))
        }
    }
}

/// A session as the command reads it.
struct CollectorSession: Sendable, Hashable {
    /// A screen that was shown in it.
    struct Screen: Sendable, Hashable {
        /// Its name.
        var name: String
        /// How long it was used, in milliseconds; 0 when nothing was reported.
        var engagement: Int64
    }

    /// Its id.
    var id: String
    /// Its number among the sessions of its installation, from 1.
    var number: Int64?
    /// The installation; nil for clients that tell none.
    var installation: String?
    /// When it began.
    var start: Timestamp
    /// The time of its latest event.
    var last: Timestamp
    /// How many events it has.
    var events: UInt64
    /// How long screens were used, in milliseconds.
    var engagement: Int64
    /// Who took part, signed in.
    var users: [String]
    /// The screens in order.
    var screens: [Screen]
    /// Starts, ends and crashes in order, by their kinds.
    var launches: [String]

    /// Reads the collector's JSON of a session; what is absent counts as nothing.
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

/// Sessions for a person.
struct SessionText: Sendable {
    /// Colours.
    var style: Style
    /// The zone in which times are shown.
    var zone: TimeZone

    /// A text; times are shown in the machine's own zone unless another is given.
    init(style: Style, zone: TimeZone = .current) {
        self.style = style
        self.zone = zone
    }

    /// A table, or with `paths` each session with its screens below it.
    func lines(_ sessions: [CollectorSession], paths: Bool) -> [String] {
        guard !sessions.isEmpty else {
            return ["No session is known yet.", "A session begins when an app with Trackway is opened."]
        }
        let format = EventLineFormat(style: style, zone: zone)
        var table = Table([
            ("start", .left), ("no.", .right), ("lasted", .right), ("events", .right), ("screens", .right),
            ("used", .right), ("who", .left),
        ])
        for session in sessions {
            table.append([
                format.date(session.start), session.number.map(String.init) ?? "–",
                TimeSpan(from: session.start, to: session.last).text,
                session.events.grouped, UInt64(session.screens.count).grouped,
                TimeSpan(milliseconds: session.engagement).text, who(session),
            ])
        }
        let rows = table.lines(style: style)
        guard paths else { return rows }
        return [rows[0]] + zip(rows.dropFirst(), sessions).flatMap { row, session in [row, "  " + path(session)] }
    }

    private func who(_ session: CollectorSession) -> String {
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
