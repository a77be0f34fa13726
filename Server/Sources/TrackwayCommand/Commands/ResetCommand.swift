// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ArgumentParser
internal import TrackwayEvents

/// Lets a collector for tests forget everything.
struct ResetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reset",
        abstract: "Let a collector for tests forget everything.",
        discussion: """
            Works with a collector that was started with `trackway serve --ephemeral`;
            any other one refuses. When it returns, no question sees anything from
            before. What a sender still has comes afterwards: flush it first.

            Prints the position from which on events count, for `trackway expect
            --since`.

            EXAMPLES
              trackway reset --url http://127.0.0.1:41234
            """
    )

    @OptionGroup var collector: CollectorOptions

    @Flag(help: "Print the collector's JSON.")
    var json = false

    /// Asks, and says where the new beginning is.
    func run() async throws {
        let answer = try await CollectorClient(try collector.address()).send("POST", "/v1/reset", timeout: 60)
        if json { return Console.standard.write(json: answer) }
        Console.standard.write(answer["position"]?.string ?? "")
    }
}
