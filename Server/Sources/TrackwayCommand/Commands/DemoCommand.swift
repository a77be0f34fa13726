// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ArgumentParser
internal import Foundation
internal import Logging

/// Runs a demonstration of the whole system.
struct DemoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo",
        abstract: "Run a demonstration of the whole system.",
        discussion: """
            Starts a collector on a free port and runs simulated visitors through the
            example shop. Every event goes to two destinations, one of which is faulty
            (503, lost responses, a captive portal). One shop process is killed with
            kill -9 during a payment and restarted. The shop takes snapshots of this
            machine; further shops simulate one phone each (with made-up battery,
            movement, and networks). Visitors of one more shop withdraw their consent,
            another shop reports its usage in the format of SAP Mobile Services and gets
            consent halfway through, and the data of a third is erased at the end. Then
            the ledger is shown and checked. Thirty days of sample data are added for
            queries (`trackway sample`), a board is created for them, and the collector
            runs until Ctrl-C.

            `make demo` builds everything and runs this command.

            EXAMPLES
              # Run the demo with a shop that is already built.
              trackway demo --shop Examples/Shop/.build/debug/shop
              # Exit after the ledger, with status 0 only if it balances.
              DEMO_EXIT=1 make demo
            """
    )

    @Option(help: "The example shop's executable.")
    var shop: String

    @Option(help: "Number of visitors.")
    var visitors: Int = 30

    @Option(help: "Port of the collector and its page; 0 for a free one.")
    var port: Int = 0

    @Option(help: "Folder for all data, which is kept. Default: a temporary one, removed at the end.")
    var data: String?

    @Flag(help: "Exit after the ledger instead of waiting for Ctrl-C.")
    var exit = false

    /// Checks the ranges of numbers.
    func validate() throws {
        guard (1...100_000).contains(visitors) else { throw ValidationError("--visitors takes 1 to 100000") }
        guard (0...65_535).contains(port) else { throw ValidationError("--port takes 0 to 65535") }
    }

    /// Runs the demonstration.
    func run() async throws {
        let scratch = FileManager.default.temporaryDirectory.path + "/trackway-demo-\(getpid())"
        defer {
            // If the removal fails, the system clears its temporary folder.
            if data == nil { try? FileManager.default.removeItem(atPath: scratch) }
        }
        let folder = data ?? scratch
        let console = Console.standard
        try await DemoEnvironment.open(folder: CollectorFolder(option: folder, environment: [:]).path, port: port) {
            environment in
            console.write("Collector  \(environment.collector.root)/  (data in \(environment.folder))")
            console.write("Audit      a second destination that is faulty: 503, lost responses, a captive portal")
            let demo = Demo(
                shop: shop,
                visitors: visitors,
                folder: environment.folder,
                collector: environment.collector,
                audit: environment.audit,
                usage: environment.usage,
                flaky: environment.flaky,
                key: DemoEnvironment.key,
                console: console
            )
            let accounts = try await demo.run()
            let (bad, requests) = environment.badAnswers
            console.write("Audit      mishandled \(bad) of \(requests) requests")
            console.write([""] + DemoAccount.lines(accounts, style: console.style) + [""])
            for account in accounts where account.receivedButDropped > 0 {
                console.write(
                    "Withdrawn  \(account.receivedButDropped.grouped) reached \(account.destination): responses were "
                        + "lost, and then consent was withdrawn"
                )
            }
            let isComplete = try await demo.isComplete()
            let isBalanced = accounts.allSatisfy(\.isBalanced) && isComplete
            console.write(
                "Ledger     trackway ledger --check: \(isComplete ? "no events are missing" : "events are missing")"
            )
            let sentence = "recorded = delivered + withdrawn, 0 lost, duplicates 0"
            console.write(
                isBalanced
                    ? console.style.colored("✓ ", .green) + console.style.bold(sentence)
                    : console.style.colored("✗ the ledger does not balance", .red)
            )
            console.write("Visitors   \(try await demo.usage().sentence)")
            console.write("Devices    \(try await demo.devices().sentence)")
            console.write(
                "Page       \(environment.collector.root)/  with users: \(environment.collector.root)/?visitors"
            )
            console.write("           and devices: \(environment.collector.root)/?devices")
            let shop = SampleShop(days: 30, visitors: 20, seed: 1, end: SampleShop.latestEnd())
            let sent = try await SampleUpload(to: environment.collector).send(shop, showing: console)
            console.write("Sample     30 days of sample data: \(sent.events.grouped) events to query")
            console.write(
                "           trackway funnel view_item add_to_cart purchase --by context.app.version --url \(environment.collector.root)"
            )
            let board = try await SampleBoard.create(at: environment.collector, zone: SystemZones.current)
            console.write("Board      " + console.style.bold(board.address))
            if let link = board.link { console.write("           read-only link to share: \(link)") }
            if exit {
                guard isBalanced else { throw ExitCode(CommandStatus.negative.rawValue) }
                return
            }
            console.write("Journal    trackway journal inspect \(environment.folder)/shop")
            console.write(console.style.faint("Press Ctrl-C to stop."))
            await Interruption.wait()
        }
    }
}
