// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ArgumentParser
internal import TrackwayEvents

/// Shows one event's way from the device to the index.
struct EventCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "event",
        abstract: "See one event's way from the device to the index.",
        discussion: """
            Shows when it was recorded, in which batch it was sent, when it arrived and
            where it lies, with the times between. Differences between the device's
            clock and the collector's are in them. What nobody told is left out, and
            said. The event itself: trackway events --id ID.

            EXAMPLES
              trackway event 0199a1b2-…
            """
    )

    @OptionGroup var collector: CollectorOptions

    @Argument(help: "The event's id.")
    var id: String

    @Flag(help: "Print the collector's JSON.")
    var json = false

    /// Sees that what must be an id is one.
    func validate() throws {
        guard EventID(id) != nil else { throw ValidationError("“\(id)” is not an event's id: it has 36 characters") }
    }

    /// Asks and prints.
    func run() async throws {
        let path = "/v1/events/\(EventID(id)?.description ?? id)/life"
        let life = try await CollectorClient(try collector.address()).get(path)
        if json { return Console.standard.write(json: life) }
        Console.standard.write(timed: EventLifeText(style: Console.standard.style).lines(life))
    }
}
