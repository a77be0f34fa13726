// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ArgumentParser
internal import Foundation
internal import TrackwayCore

/// Lists event names or describes one event.
struct CatalogCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "catalog",
        abstract: "List event names, or describe one event.",
        discussion: """
            Without a name: for each event its name, its number of occurrences in total,
            today, and in the last 30 days, and its first and last occurrence. With a
            name: the attributes of its latest events with their types, the number of
            events that have them, and their most frequent values; the app versions that
            sent the event; and violations of the formats that it may be forwarded in.

            EXAMPLES
              # List the most frequent events.
              trackway catalog
              # Search for names, latest first.
              trackway catalog --search cart --order last
              # Describe one event.
              trackway catalog purchase
              # Print one line per attribute.
              trackway catalog purchase --csv
            """
    )

    @OptionGroup var collector: CollectorOptions

    @Argument(help: "Name of the event to describe.")
    var name: String?

    @Option(help: "Text that names must contain, ignoring case.")
    var search: String?

    @Option(help: "Only names with this prefix.")
    var prefix: String?

    @Option(help: "Order: most frequent first (events), latest first (last), or by name (name).")
    var order = CatalogOrder.events

    @Option(help: "Maximum number of names.")
    var limit = 50

    @Option(help: "Time zone of day boundaries, such as Europe/Berlin. Default: this machine's.")
    var zone: String?

    @Flag(help: "Print the collector's JSON.")
    var json = false

    @Flag(help: "Print comma-separated values.")
    var csv = false

    /// The number of names requested per page.
    private static let pageSize = 500

    /// Checks the combination of options.
    func validate() throws {
        guard !json || !csv else { throw ValidationError("choose --json or --csv") }
        guard limit > 0 else { throw ValidationError("--limit takes 1 or more") }
        guard name == nil || (search == nil && prefix == nil) else {
            throw ValidationError("--search and --prefix cannot be combined with a name")
        }
        if let name, name.isEmpty { throw ValidationError("the name is empty") }
    }

    /// Queries the collector and prints the result.
    func run() async throws {
        let client = CollectorClient(try collector.address())
        let zone = zone ?? SystemZones.current
        let text = CatalogText(style: Console.standard.style, zone: TimeZone(identifier: zone) ?? .gmt)
        if let name {
            let answer = try await client.get(
                "/v1/catalogue/" + CollectorAddress.escape(name),
                query: [("zone", zone)]
            )
            if json { return Console.standard.write(json: answer) }
            if csv { return Console.standard.write(csv: text.attributesCSV(answer)) }
            return Console.standard.write(timed: text.description(answer))
        }
        let answer = try await list(client, zone)
        if json { return Console.standard.write(json: answer) }
        if csv { return Console.standard.write(csv: text.namesCSV(answer)) }
        Console.standard.write(timed: text.names(answer))
    }

    /// Requests pages until there are enough names, and combines them into one response.
    private func list(_ client: CollectorClient, _ zone: String) async throws(CommandFailure) -> JSONValue {
        var found: [JSONValue] = []
        var after: String?
        var last: JSONValue = .null
        repeat {
            var query = [(name: "zone", value: zone), (name: "order", value: order.rawValue)]
            query.append(("limit", String(min(limit - found.count, Self.pageSize))))
            for (name, value) in [("search", search), ("prefix", prefix), ("after", after)] {
                if let value { query.append((name, value)) }
            }
            last = try await client.get("/v1/catalogue", query: query)
            found += last["events"]?.array ?? []
            after = last["next"]?.string
        } while after != nil && found.count < limit
        return .members(
            ("events", .array(found)),
            ("names", last["names"] ?? .null),
            ("others", last["others"] ?? .null)
        )
    }
}

/// The sort order of the list.
enum CatalogOrder: String, ExpressibleByArgument, CaseIterable {
    case events
    case last
    case name
}
