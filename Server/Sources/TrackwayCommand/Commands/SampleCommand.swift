// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ArgumentParser
internal import Foundation
internal import TrackwayEvents

/// Fills a collector with made-up data.
struct SampleCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sample",
        abstract: "Fill a collector with made-up data: a shop, its visitors, thirty days.",
        discussion: """
            Sends what the visitors of a shop that does not exist did: screens, clicks,
            searches, purchases, with a sale, a version of the app that fails at paying,
            events that are refused and a few that were lost. It is for trying
            questions, and for measuring. The same seed, days and end give the same
            events with the same ids: sent again, they count nothing twice. Everything
            has the app id sample-shop. A board about it is made as well, with a
            read-only link for thirty days. Don't send it to a collector whose numbers
            matter.

            EXAMPLES
              # Thirty days until now.
              trackway sample --key dev
              # Much more.
              trackway sample --key dev --days 90 --visitors 500
              trackway funnel view_item add_to_cart purchase --by context.app.version
            """
    )

    @OptionGroup var collector: CollectorOptions

    @Option(help: "How many days, 1 to 400.")
    var days = 30

    @Option(help: "How many new visitors come on an ordinary day at the beginning, 1 to 100000.")
    var visitors = 60

    @Option(help: "Where chance begins.")
    var seed: UInt64 = 1

    @Option(
        help:
            "When the last day ends: Unix milliseconds or like 2026-11-21T06:38:00.000Z. Default: the beginning of this hour."
    )
    var until: String?

    @Flag(inversion: .prefixedNo, help: "Make a board about it, unless there is one.")
    var board = true

    /// Sees that the numbers make sense.
    func validate() throws {
        guard (1...400).contains(days) else { throw ValidationError("--days takes 1 to 400") }
        guard (1...100_000).contains(visitors) else { throw ValidationError("--visitors takes 1 to 100000") }
    }

    /// Sends it.
    func run() async throws {
        let now = SystemClock().now().wall
        let end = try until.map { try PointInTime($0, now: now).timestamp } ?? SampleShop.latestEnd(at: now)
        let shop = SampleShop(days: days, visitors: visitors, seed: seed, end: end)
        let address = try collector.address()
        let sent = try await SampleUpload(to: address).send(shop, showing: Console.standard)
        Console.standard.write(sent.sentence(days: days))
        guard board else { return }
        let made = try await SampleBoard.make(at: address, zone: SystemZones.current)
        Console.standard.write("Board  \(made.address)")
        if let link = made.link {
            Console.standard.write("Link   \(link)  (whoever has it reads the board, and nothing else)")
        }
    }
}
