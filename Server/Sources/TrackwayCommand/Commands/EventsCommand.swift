// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ArgumentParser
internal import Collector
internal import TrackwayEvents

/// Asks for stored events.
struct EventsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "events",
        abstract: "Ask for stored events.",
        discussion: """
            Shows stored events, the latest last. Times are points such as 2026-11-21,
            2026-11-21T06:38:00Z, or 2h for two hours ago; they mean the event's own
            time.

            EXAMPLES
              trackway events --name purchase --from 2h
              trackway events --user user-42 --limit 1000 --json > events.ndjson
              # What holds it, however long it takes to find.
              trackway events --where 'total>=100' --text berlin
              # One event with everything known about it.
              trackway events --id 0199a1b2-…
              # The client data report of an application in the words of SAP Mobile
              # Services: every event of the time.
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
        help: "Only events for which this holds, such as total>=100 or context.app.version=2.1. May be repeated."
    )
    var conditions: [String] = []

    @Option(parsing: .singleValue, help: "Only events in which this text occurs. May be repeated.")
    var text: [String] = []

    @Option(help: "The most events, the latest win. 0 means all.")
    var limit: Int = 50

    @Option(help: "The one event of this id.")
    var id: String?

    @Flag(help: "Print each event as the collector's JSON, one a line.")
    var json = false

    @Option(help: "text, json (as --json), or sap-report: a table of all that match, as CSV; --limit plays no part.")
    var format = EventFormat.text

    @Option(help: "With --format sap-report: events of this application only.")
    var application: String?

    /// Events asked for at once.
    private static let pageSize = 1000

    /// Sees that the values make sense.
    func validate() throws {
        guard limit >= 0 else { throw ValidationError("--limit takes 0 (all) or more") }
        guard !json || format == .text || format == .json else { throw ValidationError("choose --json or --format") }
        guard application == nil || format == .report else {
            throw ValidationError("--application is for --format sap-report")
        }
        guard id == nil || format != .report else { throw ValidationError("--id is not for --format sap-report") }
        if let id, EventID(id) == nil { throw ValidationError("“\(id)” is not an event's id: it has 36 characters") }
    }

    /// Asks and prints.
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

    /// The latest events, asked for from the end and shown in the order of time.
    private func showLatest(_ client: CollectorClient, query: [(name: String, value: String)]) async throws {
        var found: [JSONValue] = []
        var after: String?
        while found.count < limit {
            let size = min(limit - found.count, Self.pageSize)
            let page = try await self.page(client, query: query, order: "desc", size: size, after: after)
            found += page.events
            // A search may have gone through many events and found none yet.
            guard let next = page.next else { break }
            after = next
        }
        show(found.reversed(), isFirst: true)
    }

    /// Every event, page by page, in the order of arrival.
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

    /// Every event as a row of the client data report, page by page, in the order of arrival.
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
        // Only who comes to the end meets what is missing there.
        if answer["next"] == nil { answer.noteWhatIsKept() }
        return (answer["events"]?.array ?? [], answer["next"]?.string)
    }

    /// Prints events, the zone of their times above the first.
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

/// How events are printed.
enum EventFormat: String, ExpressibleByArgument, CaseIterable {
    case text
    case json
    case report = "sap-report"
}
