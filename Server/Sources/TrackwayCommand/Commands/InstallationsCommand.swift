// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ArgumentParser
internal import TrackwayCore

/// Manages installations at the collector, as the collector's operator.
struct InstallationsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "installations",
        abstract: "Export or erase an installation's data.",
        subcommands: [InstallationsExportCommand.self, InstallationsEraseCommand.self]
    )
}

/// Erases an installation's data at the collector, as the collector's operator.
struct InstallationsEraseCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "erase",
        abstract: "Permanently erase all data of an installation at the collector.",
        discussion: """
            Apps erase their own data: the SDK's erase() sends a proof that only the
            erased installation has. Use this command where that is impossible: for lost
            devices, and for clients of other formats. Events of the installation that
            still arrive are discarded.

            Requires a key with write and read scope: trackway keys create support
            --scope write --scope read

            EXAMPLES
              # Erase the data of one installation.
              trackway installations erase 0199a1b2-… --key tw_…
            """
    )

    @OptionGroup var collector: CollectorOptions

    @Argument(help: "Installation id.")
    var installation: String

    @Flag(help: "Print the collector's JSON.")
    var json = false

    /// Checks the format of the installation id.
    func validate() throws {
        guard InstallationID(installation) != nil else {
            throw ValidationError("“\(installation)” is not an installation id: ids have 36 characters")
        }
    }

    /// Erases the data, waits for the index, and prints the result.
    func run() async throws {
        let client = CollectorClient(try collector.address())
        let id = InstallationID(installation)?.description ?? installation
        let order = try await client.send("DELETE", "/v1/installations/\(id)")
        if let position = order["position"]?.string {
            _ = try await client.get("/v1/wait", query: [("position", position), ("timeout", "30")], timeout: 60)
        }
        let ledger = try await client.get("/v1/ledger", query: [("installation", id)])
        if json { return Console.standard.write(json: ledger) }
        guard let erasure = CollectorLedger(ledger).erasures.first else {
            return Console.standard.write("The request is stored; the index has not processed it yet.")
        }
        Console.standard.write("Erased \(erasure.installation): \(erasure.events.grouped) events.")
        if let id = order["erasure"]?.string {
            Console.standard.write("Receipt, once the log is rewritten: trackway erasures show \(id) > receipt.json")
        }
    }
}
