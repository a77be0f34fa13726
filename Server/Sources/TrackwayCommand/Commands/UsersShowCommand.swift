// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ArgumentParser
internal import CollectorCore
internal import TrackwayCore

/// Shows a user and their events.
struct UsersShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show a user: identity, devices, and events.",
        discussion: """
            Shows what is known about a user, then the user's events across all devices
            and sessions in the order of device time, latest last. With --follow, it
            continues with events as they arrive.

            EXAMPLES
              # Show a user and their latest events.
              trackway users show user-42
              # Show a user's events as they arrive.
              trackway users show user-42 --follow
              # Print matching events of the last week as CSV.
              trackway users show user-42 --where 'total>=100' --from 7d --csv
              # Show a visitor who did not sign in, by installation.
              trackway users show --visitor 0199a1b2-…
            """
    )

    @OptionGroup var collector: CollectorOptions

    @OptionGroup var person: PersonArguments

    @Option(parsing: .singleValue, help: "Only events of this name. May be repeated.")
    var name: [String] = []

    @Option(
        name: .customLong("where"),
        parsing: .singleValue,
        help: "Condition for events, such as total>=100. May be repeated."
    )
    var conditions: [String] = []

    @Option(parsing: .singleValue, help: "Text that events must contain. May be repeated.")
    var text: [String] = []

    @Option(help: "Earliest time, inclusive: 2026-11-21, or 2h for two hours ago.")
    var from: String?

    @Option(help: "Latest time, exclusive.")
    var to: String?

    @Option(help: "Maximum number of events; the latest are shown. 0 shows all, latest first.")
    var limit = 50

    @Flag(help: "Continue with events as they arrive, until Ctrl-C.")
    var follow = false

    @Option(help: "With --follow: number of new events after which to exit.")
    var count: Int?

    @Flag(help: "Print the collector's JSON: the user, then each event, one per line.")
    var json = false

    @Flag(help: "Print the events as comma-separated values.")
    var csv = false

    /// The number of events requested per page.
    private static let pageSize = 1_000

    /// Checks the combination of options.
    func validate() throws {
        guard limit >= 0 else { throw ValidationError("--limit takes 0 (all) or more") }
        guard limit > 0 || !follow else { throw ValidationError("--follow takes a --limit of 1 or more") }
        guard !json || !csv else { throw ValidationError("choose --json or --csv") }
        if let count, count < 1 { throw ValidationError("--count takes 1 or more") }
        guard count == nil || follow else { throw ValidationError("--count requires --follow") }
        guard !follow || (conditions.isEmpty && text.isEmpty && name.count < 2 && to == nil) else {
            throw ValidationError("--follow takes at most one --name, and neither --where, --text, nor --to")
        }
    }

    /// Queries the collector and prints the result.
    func run() async throws {
        let address = try collector.address()
        let client = CollectorClient(address)
        // Read the position first, so that events arriving during the query are neither missed nor shown twice.
        let indexed = follow ? try await client.get("/v1/stats")["indexed"]?.string.flatMap(EventPosition.init) : nil
        let profile = try await client.get(person.path)
        let text = UserText(style: Console.standard.style)
        if json {
            Console.standard.write(json: profile)
        } else if csv {
            Console.standard.write(UserText.eventsHeading)
        } else {
            Console.standard.write(timed: text.profile(profile) + [""])
        }
        var last: JSONValue?
        var events: [JSONValue] = []
        try await pastEvents(client, person.path + "/events") { page in
            if limit == 0 {
                // Print all events page by page, so that memory use does not grow with their number.
                for event in page { show(event, text, &last) }
            } else {
                events += page
            }
        }
        for event in events.reversed() { show(event, text, &last) }
        guard follow else { return }
        var shown = Set(events.compactMap { $0["id"]?.string })
        // The next event may be exactly at the end of the index.
        let after = indexed.map { EventPosition(rawValue: $0.rawValue - 1).description }
        let query = [
            (name: "user", value: person.id), ("installation", person.visitor), ("name", name.first), ("after", after),
        ]
        .compactMap { name, value in value.map { (name: name, value: $0) } }
        var remaining = count ?? .max
        var follower = LiveFollower(address: address, query: query, console: .standard)
        try await follower.run { bytes in
            // Skip data that is not JSON.
            guard let event = try? JSONValue.parse(bytes) else { return true }
            // An installation's stream also contains the events of users who signed in on the installation.
            guard person.visitor == nil || event["user"] == nil else { return true }
            if let id = event["id"]?.string, shown.remove(id) != nil { return true }
            show(event, text, &last)
            remaining -= 1
            return remaining > 0
        }
    }

    /// Requests the latest events page by page, latest first.
    private func pastEvents(
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
            if after == nil { page.noteRetentionLimit() }
        } while after != nil && found < wanted
    }

    private func show(_ event: JSONValue, _ text: UserText, _ last: inout JSONValue?) {
        defer { last = event }
        if json { return Console.standard.write(json: event) }
        if csv { return Console.standard.write(csv: text.eventsCSV([event])) }
        if let heading = text.heading(event, after: last) { Console.standard.write(heading) }
        if let summary = StoredEventSummary(event) {
            Console.standard.write("  " + EventLineFormat(style: text.style, zone: text.zone).line(summary))
        }
    }
}
