// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ArgumentParser
internal import Foundation
internal import Logging

/// Shows the whole: a collector, a shop, a bad destination, a killed process, and a ledger that balances.
struct DemoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo",
        abstract: "See the whole at work: a shop, a bad destination, a kill -9, and a ledger that balances.",
        discussion: """
            Starts a collector on a free port and lets visitors through the example
            shop. Every event goes to two destinations, one of which answers badly (503,
            lost answers, a captive portal). One shop process is killed with -9 while
            somebody pays, and started again. The shop takes snapshots of this machine
            as it is; further shops play a phone each (its battery, its way, its
            networks are made up). In one more, visitors take their consent back, one
            reports its use in the format of SAP Mobile Services and is given consent
            half-way, and one is forgotten in the end. Then the ledger is shown and
            checked, thirty days of a made-up shop are added so that there is something
            to ask about (`trackway sample`), a board is made of them, and the collector
            stays up until Ctrl-C.

            `make demo` builds everything and calls this.

            EXAMPLES
              trackway demo --shop Examples/Shop/.build/debug/shop
              # Ends by itself; status 0 only when the ledger balances.
              DEMO_EXIT=1 make demo
            """
    )

    @Option(help: "The example shop's executable.")
    var shop: String

    @Option(help: "How many visitors come.")
    var visitors: Int = 30

    @Option(help: "The port of the collector and its page; 0 takes a free one.")
    var port: Int = 0

    @Option(help: "The folder for everything, kept. Default: a temporary one, removed at the end.")
    var data: String?

    @Flag(help: "End after the ledger instead of waiting for Ctrl-C.")
    var exit = false

    /// Sees that the numbers make sense.
    func validate() throws {
        guard (1...100_000).contains(visitors) else { throw ValidationError("--visitors takes 1 to 100000") }
        guard (0...65_535).contains(port) else { throw ValidationError("--port takes 0 to 65535") }
    }

    /// Runs the demonstration.
    func run() async throws {
        let scratch = FileManager.default.temporaryDirectory.path + "/trackway-demo-\(getpid())"
        defer {
            // A folder that cannot be removed is the system's to clear.
            if data == nil { try? FileManager.default.removeItem(atPath: scratch) }
        }
        let folder = data ?? scratch
        let console = Console.standard
        try await DemoEnvironment.open(folder: CollectorFolder(option: folder, environment: [:]).path, port: port) {
            environment in
            console.write("Collector  \(environment.collector.root)/  (data in \(environment.folder))")
            console.write("Audit      a second destination that answers badly: 503, lost answers, a captive portal")
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
            console.write("Audit      answered \(bad) of \(requests) requests badly")
            console.write([""] + DemoAccount.lines(accounts, style: console.style) + [""])
            for account in accounts where account.arrivedAllTheSame > 0 {
                console.write(
                    "Withdrawn  \(account.arrivedAllTheSame.grouped) had come to \(account.destination) already: the answers were "
                        + "lost, and then consent was taken back"
                )
            }
            let isComplete = try await demo.isComplete()
            let isBalanced = accounts.allSatisfy(\.isBalanced) && isComplete
            console.write(
                "Ledger     trackway ledger --check: \(isComplete ? "nothing is missing" : "something is missing")"
            )
            let sentence = "recorded = delivered + withdrawn, 0 lost, duplicates 0"
            console.write(
                isBalanced
                    ? console.style.coloured("✓ ", .green) + console.style.bold(sentence)
                    : console.style.coloured("✗ the ledger does not balance", .red)
            )
            console.write("Visitors   \(try await demo.usage().sentence)")
            console.write("Devices    \(try await demo.devices().sentence)")
            console.write(
                "Page       \(environment.collector.root)/  and who was there: \(environment.collector.root)/?visitors"
            )
            console.write("           with which devices: \(environment.collector.root)/?devices")
            let shop = SampleShop(days: 30, visitors: 20, seed: 1, end: SampleShop.latestEnd())
            let sent = try await SampleUpload(to: environment.collector).send(shop, showing: console)
            console.write("Sample     30 days of a made-up shop beside it: \(sent.events.grouped) events to ask about")
            console.write(
                "           trackway funnel view_item add_to_cart purchase --by context.app.version --url \(environment.collector.root)"
            )
            let board = try await SampleBoard.make(at: environment.collector, zone: SystemZones.current)
            console.write("Board      " + console.style.bold(board.address))
            if let link = board.link { console.write("           to show around, read only: \(link)") }
            if exit {
                guard isBalanced else { throw ExitCode(CommandStatus.negative.rawValue) }
                return
            }
            console.write("Journal    trackway inspect \(environment.folder)/shop")
            console.write(console.style.faint("Ctrl-C ends it."))
            await Interruption.wait()
        }
    }
}
