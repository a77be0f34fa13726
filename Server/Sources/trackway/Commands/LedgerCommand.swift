// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ArgumentParser
internal import Foundation
internal import TrackwayEvents

/// Shows that nothing is missing, or what is.
struct LedgerCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ledger",
        abstract: "See that nothing is missing, or what is.",
        discussion: """
            For each writer (one process of one installed app) the collector knows how many events were recorded and what
            became of them: recorded = received + refused + dropped on the device + addressed elsewhere + missing.
            Missing events may still be on the device, waiting to be delivered.

            EXAMPLES
              trackway ledger
              trackway ledger --installation 0199a1b2-…
              trackway ledger --check && echo complete     exit status 1 while something is missing
            """
    )

    @OptionGroup var collector: CollectorOptions

    @Option(help: "Only this installation.")
    var installation: String?

    @Flag(help: "End with status 1 while an event is missing.")
    var check = false

    @Flag(help: "Print the collector's JSON.")
    var json = false

    /// Sees that what must be an id is one.
    func validate() throws {
        if let installation, InstallationID(installation) == nil {
            throw ValidationError("“\(installation)” is not an installation's id: it has 36 characters")
        }
    }

    /// Asks and prints.
    func run() async throws {
        let client = CollectorClient(try collector.address())
        let (answer, ledger) = try await client.settledLedger(installation: installation)
        if json {
            Console.standard.write(bytes: answer.json())
        } else {
            Console.standard.write(LedgerText(style: Console.standard.style).lines(ledger))
        }
        if check, !ledger.isComplete { throw ExitCode(CommandStatus.negative.rawValue) }
    }
}
