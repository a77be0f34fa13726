// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ArgumentParser
internal import TrackwayCore

/// Watches events arrive.
struct EventsTailCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tail",
        abstract: "Watch events arrive.",
        discussion: """
            Shows events as the collector receives them, one per line, until Ctrl-C. If
            the connection is lost, it reconnects and resumes after the last event shown.

            EXAMPLES
              # Show the latest ten events, then new ones.
              trackway events tail
              # Show the latest twenty first.
              trackway events tail --last 20
              # Print purchases as NDJSON, for jq.
              trackway events tail --name purchase --json
              # Show what users tap, and where.
              trackway events tail --name _click
              # Show which element events fire, in an app that records its trace.
              trackway events tail --name _trigger
            """
    )

    @OptionGroup var collector: CollectorOptions
    @OptionGroup var filter: FilterOptions

    @Option(help: "Number of latest events to show first.")
    var last: Int = 10

    @Option(help: "Number of events after which to exit.")
    var count: Int?

    @Flag(help: "Print each event as the collector's JSON, one per line.")
    var json = false

    /// Checks the ranges of numbers.
    func validate() throws {
        guard (0...1000).contains(last) else { throw ValidationError("--last takes 0 to 1000") }
        if let count, count < 1 { throw ValidationError("--count takes 1 or more") }
    }

    /// Follows the stream until Ctrl-C, or until `--count` events have been shown.
    func run() async throws {
        let address = try collector.address()
        var query = filter.query
        if last > 0 { query.append((name: "last", value: String(last))) }
        var follower = LiveFollower(address: address, query: query, console: .standard)
        let formatter = EventLineFormat(style: Console.standard.style)
        var remaining = count ?? .max
        var isFirst = true
        try await follower.run { event in
            if json {
                Console.standard.write(bytes: event)
            } else if let value = StoredEventSummary(event) {
                if isFirst { Console.standard.write(formatter.zoneHeading()) }
                isFirst = false
                Console.standard.write(formatter.line(value))
            }
            remaining -= 1
            return remaining > 0
        }
    }
}
