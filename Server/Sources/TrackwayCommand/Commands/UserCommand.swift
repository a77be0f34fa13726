// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ArgumentParser
internal import Collector
internal import TrackwayEvents

/// Shows one person, and what they did.
struct UserCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "user",
        abstract: "See one person: who it is, with which devices, and what they did.",
        discussion: """
            Shows what is known about a person, then their events over all devices and
            sessions in the order of the device's time, the latest last. With --follow
            it goes on with what arrives.

            EXAMPLES
              trackway user user-42
              trackway user user-42 --follow
              trackway user user-42 --where 'total>=100' --from 7d --csv
              # Also what was before they first signed in on their devices.
              trackway user user-42 --with-visits
              # Somebody who did not sign in, by the installation.
              trackway user --visitor 0199a1b2-…
            """
    )

    @OptionGroup var collector: CollectorOptions

    @Argument(help: "The id by which the user signed in.")
    var id: String?

    @Option(help: "In place of an id: the visitor of this installation, who did not sign in.")
    var visitor: String?

    @Option(parsing: .singleValue, help: "Only events of this name. May be repeated.")
    var name: [String] = []

    @Option(
        name: .customLong("where"),
        parsing: .singleValue,
        help: "Only events for which this holds, such as total>=100. May be repeated."
    )
    var conditions: [String] = []

    @Option(parsing: .singleValue, help: "Only events in which this text occurs. May be repeated.")
    var text: [String] = []

    @Option(help: "The earliest time, inclusive: 2026-11-21, or 2h for two hours ago.")
    var from: String?

    @Option(help: "The latest time, exclusive.")
    var to: String?

    @Option(help: "The most events, the latest win. 0 means all: then the latest first.")
    var limit = 50

    @Flag(help: "Go on with events as they arrive, until Ctrl-C.")
    var follow = false

    @Option(help: "With --follow: end after this many events that arrived.")
    var count: Int?

    @Flag(help: "Print the collector's JSON: the person, then each event, one a line.")
    var json = false

    @Flag(help: "Print the events as comma-separated values.")
    var csv = false

    /// Events asked for at once.
    private static let pageSize = 1_000

    /// Sees that the options fit together.
    func validate() throws {
        guard (id == nil) != (visitor == nil) else { throw ValidationError("give a user's id, or --visitor") }
        if let id, id.isEmpty { throw ValidationError("the id is empty") }
        if let visitor, InstallationID(visitor) == nil {
            throw ValidationError("“\(visitor)” is not an installation's id: it has 36 characters")
        }
        guard limit >= 0 else { throw ValidationError("--limit takes 0 (all) or more") }
        guard limit > 0 || !follow else { throw ValidationError("--follow takes a --limit of 1 or more") }
        guard !json || !csv else { throw ValidationError("choose --json or --csv") }
        if let count, count < 1 { throw ValidationError("--count takes 1 or more") }
        guard count == nil || follow else { throw ValidationError("--count is for --follow") }
        guard !follow || (conditions.isEmpty && text.isEmpty && name.count < 2 && to == nil) else {
            throw ValidationError("--follow takes one --name at most, and neither --where, --text nor --to")
        }
    }

    /// Asks and prints.
    func run() async throws {
        let address = try collector.address()
        let client = CollectorClient(address)
        let path =
            id.map { "/v1/users/" + CollectorAddress.escape($0) } ?? "/v1/visitors/" + (visitor ?? "").lowercased()
        // From now on: what arrives while the past is read is not missed, and not shown twice.
        let indexed = follow ? try await client.get("/v1/stats")["indexed"]?.string.flatMap(EventPosition.init) : nil
        let profile = try await client.get(path)
        let text = PersonText(style: Console.standard.style)
        if json {
            Console.standard.write(json: profile)
        } else if csv {
            Console.standard.write(PersonText.eventsHeading)
        } else {
            Console.standard.write(timed: text.profile(profile) + [""])
        }
        var last: JSONValue?
        var events: [JSONValue] = []
        try await past(client, path + "/events") { page in
            if limit == 0 {
                // All of them: printed as they come, so that any number of them takes no memory.
                for event in page { show(event, text, &last) }
            } else {
                events += page
            }
        }
        for event in events.reversed() { show(event, text, &last) }
        guard follow else { return }
        var shown = Set(events.compactMap { $0["id"]?.string })
        // The next event may lie exactly where the index ends.
        let after = indexed.map { EventPosition(rawValue: $0.rawValue - 1).description }
        let query = [(name: "user", value: id), ("installation", visitor), ("name", name.first), ("after", after)]
            .compactMap { name, value in value.map { (name: name, value: $0) } }
        var left = count ?? .max
        var follower = LiveFollower(address: address, query: query, console: .standard)
        try await follower.run { bytes in
            // What is not JSON is no event of ours.
            guard let event = try? JSONValue.parse(bytes) else { return true }
            // An installation's stream has everybody's events who used it.
            guard visitor == nil || event["user"] == nil else { return true }
            if let id = event["id"]?.string, shown.remove(id) != nil { return true }
            show(event, text, &last)
            left -= 1
            return left > 0
        }
    }

    /// The latest events, the latest first, asked for page by page.
    private func past(
        _ client: CollectorClient,
        _ path: String,
        _ use: ([JSONValue]) -> Void
    ) async throws {
        let now = SystemClock().now().wall
        var filter = name.map { (name: "name", value: $0) }
        filter += conditions.map { ("where", $0) } + text.map { ("text", $0) }
        if let from { filter.append(("from", String(try PointInTime(from, now: now).timestamp.milliseconds))) }
        if let to { filter.append(("to", String(try PointInTime(to, now: now).timestamp.milliseconds))) }
        let wanted = limit == 0 ? Int.max : limit
        var found = 0
        var after: String?
        repeat {
            var query = filter + [("limit", String(min(wanted - found, Self.pageSize)))]
            if let after { query.append(("after", after)) }
            let page = try await client.get(path, query: query)
            let events = page["events"]?.array ?? []
            use(events)
            found += events.count
            after = page["next"]?.string
            if after == nil { page.noteWhatIsKept() }
        } while after != nil && found < wanted
    }

    private func show(_ event: JSONValue, _ text: PersonText, _ last: inout JSONValue?) {
        defer { last = event }
        if json { return Console.standard.write(json: event) }
        if csv { return Console.standard.write(csv: text.eventsCSV([event])) }
        if let heading = text.heading(event, after: last) { Console.standard.write(heading) }
        if let summary = StoredEventSummary(event) {
            Console.standard.write("  " + EventLineFormat(style: text.style, zone: text.zone).line(summary))
        }
    }
}
