// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ArgumentParser
internal import Foundation
internal import TrackwayEvents

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

/// Which events are wanted.
struct FilterOptions: ParsableArguments {
    @Option(help: "Only events of this name.")
    var name: String?

    @Option(help: "Only events of this installation.")
    var installation: String?

    @Option(help: "Only events of this user.")
    var user: String?

    @Option(help: "Only events of this session.")
    var session: String?

    @Option(help: "Only events of this project of Sensors Analytics.")
    var project: String?

    @Option(help: "Only events of this test run: those whose attribute _run says so.")
    var run: String?

    /// The filter as the collector's query understands it.
    var query: [(name: String, value: String)] {
        [
            ("name", name), ("installation", installation), ("user", user), ("session", session), ("project", project),
            ("run", run),
        ].compactMap { field, value in value.map { (name: field, value: $0) } }
    }

    /// Sees that what must be an id is one.
    func validate() throws {
        if let installation, InstallationID(installation) == nil {
            throw ValidationError(
                "“\(installation)” is not an installation's id: it has 36 characters, as `trackway ledger` shows them"
            )
        }
    }
}
