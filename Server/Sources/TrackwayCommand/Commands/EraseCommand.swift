// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ArgumentParser
internal import TrackwayEvents

/// Erases an installation at the collector, as its operator.
struct EraseCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "erase",
        abstract: "Erase everything of an installation at the collector, for ever.",
        discussion: """
            Apps erase themselves: the SDK's erase() sends a proof that only the erased
            installation has. This command is for those who cannot: devices that are
            gone, and clients of other formats. Nothing that still comes of the
            installation is kept.

            It takes a key that may both write and read: trackway keys create support
            --scope write --scope read

            EXAMPLES
              trackway erase 0199a1b2-… --key tw_…
            """
    )

    @OptionGroup var collector: CollectorOptions

    @Argument(help: "The installation's id.")
    var installation: String

    @Flag(help: "Print the collector's JSON.")
    var json = false

    /// Sees that what must be an id is one.
    func validate() throws {
        guard InstallationID(installation) != nil else {
            throw ValidationError("“\(installation)” is not an installation's id: it has 36 characters")
        }
    }

    /// Asks, waits until the index has carried it out, and says what went.
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
            return Console.standard.write("The order is kept; the index has not carried it out yet.")
        }
        Console.standard.write("Erased \(erasure.installation): \(erasure.events.grouped) events.")
    }
}
