// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ArgumentParser
internal import Foundation
internal import TrackwayEvents

/// Shows which events there are, and what one looks like.
struct CatalogueCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "catalogue",
        abstract: "See which events there are, and what they look like.",
        discussion: """
            Without a name: every event's name, how often it came, today and in the last
            30 days, and when first and last. With one: the attributes of its latest
            events with their types, how many events have them, and their most frequent
            values; which versions of the app sent it; and what a format it may be sent
            on to would not take.

            EXAMPLES
              trackway catalogue
              trackway catalogue --search cart --order last
              trackway catalogue purchase
              # A line for each attribute.
              trackway catalogue purchase --csv
            """
    )

    @OptionGroup var collector: CollectorOptions

    @Argument(help: "The event to be described.")
    var name: String?

    @Option(help: "Only names that contain this; letters in either case.")
    var search: String?

    @Option(help: "Only names that begin with this.")
    var prefix: String?

    @Option(help: "What comes first: most events, the last that came (last), or the alphabet (name).")
    var order = CatalogueOrder.events

    @Option(help: "The most names.")
    var limit = 50

    @Option(help: "The time zone whose midnights count, such as Europe/Berlin. Default: this machine's.")
    var zone: String?

    @Flag(help: "Print the collector's JSON.")
    var json = false

    @Flag(help: "Print comma-separated values.")
    var csv = false

    /// Names asked for at once.
    private static let pageSize = 500

    /// Sees that the options fit together.
    func validate() throws {
        guard !json || !csv else { throw ValidationError("choose --json or --csv") }
        guard limit > 0 else { throw ValidationError("--limit takes 1 or more") }
        guard name == nil || (search == nil && prefix == nil) else {
            throw ValidationError("--search and --prefix are for the list, without a name")
        }
        if let name, name.isEmpty { throw ValidationError("the name is empty") }
    }

    /// Asks and prints.
    func run() async throws {
        let client = CollectorClient(try collector.address())
        let zone = zone ?? SystemZones.current
        let text = CatalogueText(style: Console.standard.style, zone: TimeZone(identifier: zone) ?? .gmt)
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

    /// As many names as are wanted, page by page, as one answer.
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

/// What comes first in the list.
enum CatalogueOrder: String, ExpressibleByArgument, CaseIterable {
    case events
    case last
    case name
}
