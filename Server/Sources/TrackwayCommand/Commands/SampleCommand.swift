// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ArgumentParser
internal import Foundation
internal import TrackwayCore

/// Fills a collector with sample data.
struct SampleCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sample",
        abstract: "Fill a collector with sample data from a shop.",
        discussion: """
            Sends the events of a fictional shop's visitors: screens, clicks, searches,
            and purchases, with a sale, an app version in which payments fail, rejected
            events, and a few lost ones. Use it to try queries and for benchmarks. The
            same seed, days, and end give the same events with the same ids: sending them
            again adds nothing. All events have the app id sample-shop. Also
            creates a board, with a read-only link for thirty days. Do not send sample
            data to a collector with real data.

            EXAMPLES
              # Send data of the last thirty days.
              trackway sample --key dev
              # Send more days and visitors.
              trackway sample --key dev --days 90 --visitors 500
              # Query the sample data.
              trackway funnel view_item add_to_cart purchase --by context.app.version
            """
    )

    @OptionGroup var collector: CollectorOptions

    @Option(help: "Number of days, 1 to 400.")
    var days = 30

    @Option(help: "Number of new visitors on an ordinary day at the beginning, 1 to 100000.")
    var visitors = 60

    @Option(help: "Random seed.")
    var seed: UInt64 = 1

    @Option(
        help:
            "End of the last day: Unix milliseconds or 2026-11-21T06:38:00.000Z. Default: start of this hour."
    )
    var until: String?

    @Flag(inversion: .prefixedNo, help: "Create a board for the data, unless it exists.")
    var board = true

    /// Checks the ranges of numbers.
    func validate() throws {
        guard (1...400).contains(days) else { throw ValidationError("--days takes 1 to 400") }
        guard (1...100_000).contains(visitors) else { throw ValidationError("--visitors takes 1 to 100000") }
    }

    /// Sends the data and creates the board.
    func run() async throws {
        let now = SystemClock().now().wall
        let end = try until.map { try PointInTime($0, now: now).timestamp } ?? SampleShop.latestEnd(at: now)
        let shop = SampleShop(days: days, visitors: visitors, seed: seed, end: end)
        let address = try collector.address()
        let sent = try await SampleUpload(to: address).send(shop, showing: Console.standard)
        Console.standard.write(sent.sentence(days: days))
        guard board else { return }
        let createdBoard = try await SampleBoard.create(at: address, zone: SystemZones.current)
        Console.standard.write("Board  \(createdBoard.address)")
        if let link = createdBoard.link {
            Console.standard.write("Link   \(link)  (read-only access to this board only)")
        }
    }
}
