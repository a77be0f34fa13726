// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ArgumentParser
internal import Foundation

/// Where the collector is: the options that every asking command shares.
struct CollectorOptions: ParsableArguments {
    @Option(help: "The collector's address. Default: TRACKWAY_URL, or \(CollectorAddress.local).")
    var url: String?

    @Option(help: "The key. Default: TRACKWAY_KEY, or none.")
    var key: String?

    /// The address that the options and the environment give.
    func address() throws(CommandFailure) -> CollectorAddress {
        let environment = ProcessInfo.processInfo.environment
        return try CollectorAddress(
            url ?? environment["TRACKWAY_URL"] ?? CollectorAddress.local,
            key: key ?? environment["TRACKWAY_KEY"]
        )
    }
}
