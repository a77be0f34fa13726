// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ArgumentParser
internal import TrackwayCore

/// Resets an ephemeral collector.
struct ResetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reset",
        abstract: "Discard all data of a collector for tests.",
        discussion: """
            Works with a collector that was started with `trackway serve --ephemeral`;
            any other collector rejects the request. When this command returns, no query
            sees earlier data. Events still pending at a sender arrive later: flush the
            sender first.

            Prints the start position to pass to `trackway expect --since`.

            EXAMPLES
              # Reset the collector at this address.
              trackway reset --url http://127.0.0.1:41234
            """
    )

    @OptionGroup var collector: CollectorOptions

    @Flag(help: "Print the collector's JSON.")
    var json = false

    /// Resets the collector and prints the new start position.
    func run() async throws {
        let answer = try await CollectorClient(try collector.address()).send("POST", "/v1/reset", timeout: 60)
        if json { return Console.standard.write(json: answer) }
        Console.standard.write(answer["position"]?.string ?? "")
    }
}
