// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ArgumentParser
internal import TrackwayCore

/// Traces one event from the device to the index.
struct EventsShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Trace one event from the device to the index.",
        discussion: """
            Shows when the event was recorded, which batch it was sent in, when it
            arrived, where it is stored, and the times between these steps. The times
            include the difference between the device's clock and the collector's. Steps
            that were not reported are omitted, with a note. To show the event itself:
            trackway events --id ID.

            EXAMPLES
              # Trace one event.
              trackway events show 0199a1b2-…
            """
    )

    @OptionGroup var collector: CollectorOptions

    @Argument(help: "Event id.")
    var id: String

    @Flag(help: "Print the collector's JSON.")
    var json = false

    /// Checks the format of the event id.
    func validate() throws {
        guard EventID(id) != nil else { throw ValidationError("“\(id)” is not an event id: ids have 36 characters") }
    }

    /// Queries the collector and prints the result.
    func run() async throws {
        let path = "/v1/events/\(EventID(id)?.description ?? id)/life"
        let trace = try await CollectorClient(try collector.address()).get(path)
        if json { return Console.standard.write(json: trace) }
        Console.standard.write(timed: EventTraceText(style: Console.standard.style).lines(trace))
    }
}
