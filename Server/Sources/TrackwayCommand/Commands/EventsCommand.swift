// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ArgumentParser
internal import CollectorCore
internal import TrackwayCore

/// Lists, shows, and follows stored events.
struct EventsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "events",
        abstract: "List, trace, watch, export, and import events.",
        discussion: """
            Without a subcommand, lists events with the options of `list`.

            EXAMPLES
              # Show purchases of the last two hours.
              trackway events --name purchase --from 2h
              # Trace one event from the device to the index.
              trackway events show 0199a1b2-…
              # Watch events arrive.
              trackway events tail
            """,
        subcommands: [
            EventsListCommand.self, EventsShowCommand.self, EventsTailCommand.self, EventsExportCommand.self,
            EventsImportCommand.self,
        ],
        defaultSubcommand: EventsListCommand.self
    )
}

/// Lists stored events.
struct EventsListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List stored events.",
        discussion: """
            Shows stored events, latest last. Times are points in time such as
            2026-11-21, 2026-11-21T06:38:00Z, or 2h for two hours ago; they refer to the
            event's own time.

            EXAMPLES
              # Show purchases of the last two hours.
              trackway events --name purchase --from 2h
              # Export a user's latest events as NDJSON.
              trackway events --user user-42 --limit 1000 --json > events.ndjson
              # Search all events, however long it takes.
              trackway events --where 'total>=100' --text berlin
              # Show one event with all its details.
              trackway events --id 0199a1b2-…
              # Export an application's client data report in the format of SAP Mobile
              # Services, with every event of the last 7 days.
              trackway events --format sap-report \\
                --application org.example.shop --from 7d > report.csv
            """
    )

    @OptionGroup var collector: CollectorOptions
    @OptionGroup var filter: FilterOptions

    @Option(help: "The earliest time, inclusive.")
    var from: String?

    @Option(help: "The latest time, exclusive.")
    var to: String?

    @Option(
        name: .customLong("where"),
        parsing: .singleValue,
        help: "Condition for events, such as total>=100 or context.app.version=2.1. May be repeated."
    )
    var conditions: [String] = []

    @Option(parsing: .singleValue, help: "Text that events must contain. May be repeated.")
    var text: [String] = []

    @Option(help: "Maximum number of events; the latest are shown. 0 shows all.")
    var limit: Int = 50

    @Option(help: "Id of a single event to show.")
    var id: String?

    @Flag(help: "Print each event as the collector's JSON, one per line.")
    var json = false

    @Option(help: "Format: text, json (as --json), or sap-report (CSV of all matching events, ignoring --limit).")
    var format = EventFormat.text

    @Option(help: "With --format sap-report: events of this application only.")
    var application: String?

    /// The number of events requested per page.
    private static let pageSize = 1000

    /// Checks the option values.
    func validate() throws {
        guard limit >= 0 else { throw ValidationError("--limit takes 0 (all) or more") }
        guard !json || format == .text || format == .json else { throw ValidationError("choose --json or --format") }
        guard application == nil || format == .report else {
            throw ValidationError("--application requires --format sap-report")
        }
        guard id == nil || format != .report else { throw ValidationError("choose --id or --format sap-report") }
        if let id, EventID(id) == nil { throw ValidationError("“\(id)” is not an event id: ids have 36 characters") }
    }

    /// Queries the collector and prints the result.
    func run() async throws {
        let client = CollectorClient(try collector.address())
        if let id {
            let event = try await client.get("/v1/events/" + id)
            show([event], isFirst: true)
            return
        }
        let now = SystemClock().now().wall
        var query = filter.query
        if let from { query.append(("from", String(try PointInTime(from, now: now).timestamp.milliseconds))) }
        query += conditions.map { ("where", $0) } + text.map { ("text", $0) }
        if let to { query.append(("to", String(try PointInTime(to, now: now).timestamp.milliseconds))) }
        if format == .report {
            try await showReport(client, query: query)
        } else if limit == 0 {
            try await showAll(client, query: query)
        } else {
            try await showLatest(client, query: query)
        }
    }

    /// Requests the latest events, newest first, and shows them oldest first.
    private func showLatest(_ client: CollectorClient, query: [(name: String, value: String)]) async throws {
        var found: [JSONValue] = []
        var after: String?
        while found.count < limit {
            let size = min(limit - found.count, Self.pageSize)
            let page = try await self.page(client, query: query, order: "desc", size: size, after: after)
            found += page.events
            // A page may be empty before the search is complete.
            guard let next = page.next else { break }
            after = next
        }
        show(found.reversed(), isFirst: true)
    }

    /// Shows every event, page by page, in order of arrival.
    private func showAll(_ client: CollectorClient, query: [(name: String, value: String)]) async throws {
        var after: String?
        var isFirst = true
        while true {
            let page = try await self.page(client, query: query, order: "asc", size: Self.pageSize, after: after)
            show(page.events, isFirst: isFirst)
            isFirst = isFirst && page.events.isEmpty
            guard let next = page.next else { return }
            after = next
        }
    }

    /// Shows every event as a row of the client data report.
    ///
    /// Requests the events page by page, in order of arrival.
    private func showReport(_ client: CollectorClient, query: [(name: String, value: String)]) async throws {
        let scope = UsageReportRow.Scope(application: application)
        Console.standard.write(String(UsageReportRow.heading.dropLast()))
        var after: String?
        while true {
            let page = try await self.page(client, query: query, order: "asc", size: Self.pageSize, after: after)
            Console.standard.write(
                csv: page.events.compactMap { UsageReportRow(listed: $0, in: scope).map { String($0.line.dropLast()) } }
            )
            guard let next = page.next else { return }
            after = next
        }
    }

    private func page(
        _ client: CollectorClient,
        query: [(name: String, value: String)],
        order: String,
        size: Int,
        after: String?
    ) async throws(CommandFailure) -> (events: [JSONValue], next: String?) {
        var query = query + [("order", order), ("limit", String(size))]
        if let after { query.append(("after", after)) }
        let answer = try await client.get("/v1/events", query: query)
        // Only the last page can reach the retention limit.
        if answer["next"] == nil { answer.noteRetentionLimit() }
        return (answer["events"]?.array ?? [], answer["next"]?.string)
    }

    /// Prints events, with the time zone as a heading above the first event.
    private func show(_ events: some Collection<JSONValue>, isFirst: Bool) {
        guard !json, format == .text, id == nil else { return Console.standard.write(json: Array(events)) }
        let format = EventLineFormat(style: Console.standard.style)
        if isFirst, !events.isEmpty { Console.standard.write(format.zoneHeading()) }
        for event in events {
            if let summary = StoredEventSummary(event) {
                Console.standard.write(format.line(summary))
            } else {
                Console.standard.write(json: event)
            }
        }
    }
}

/// An output format for events.
enum EventFormat: String, ExpressibleByArgument, CaseIterable {
    case text
    case json
    case report = "sap-report"
}
