// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ArgumentParser
internal import Foundation
internal import TrackwayCore

/// Options for reaching the collector, shared by all querying commands.
struct CollectorOptions: ParsableArguments {
    @Option(help: "The collector's address. Default: TRACKWAY_URL, or \(CollectorAddress.local).")
    var url: String?

    @Option(help: "The key. Default: TRACKWAY_KEY, or none.")
    var key: String?

    @Option(help: "PEM file of certificate authorities to trust. Default: SSL_CERT_FILE, or the system's.")
    var ca: String?

    /// Returns the address given by the options and the environment.
    func address() throws(CommandFailure) -> CollectorAddress {
        let environment = ProcessInfo.processInfo.environment
        if let ca { try trust(ca) }
        if let file = environment["SSL_CERT_FILE"], ca == nil, !file.isEmpty { try Self.check(file, "SSL_CERT_FILE") }
        return try CollectorAddress(
            url ?? environment["TRACKWAY_URL"] ?? CollectorAddress.local,
            key: key ?? environment["TRACKWAY_KEY"]
        )
    }
}

extension CollectorOptions {
    /// Makes the command and its SDK trust the certificate authorities in a file.
    private func trust(_ file: String) throws(CommandFailure) {
        try Self.check(file, "--ca")
        guard CollectorClient.supportsCustomAuthorities else {
            throw CommandFailure(
                .usage,
                "--ca is supported on Linux only",
                remedy: "add the authority to the keychain and trust it there"
            )
        }
        // The command and the SDK read the environment when they make their first connection.
        setenv("SSL_CERT_FILE", file, 1)
    }

    private static func check(_ file: String, _ option: String) throws(CommandFailure) {
        guard access(file, R_OK) != 0 else { return }
        throw CommandFailure(
            .inputMissing,
            "\(file) cannot be read: \(String(cString: strerror(errno)))",
            remedy: "pass a readable PEM file with \(option)"
        )
    }
}

/// Options that filter events.
struct FilterOptions: ParsableArguments {
    @Option(help: "Only events of this name; repeatable, at most 10.")
    var name: [String] = []

    @Option(help: "Only events of this installation.")
    var installation: String?

    @Option(help: "Only events of this user.")
    var user: String?

    @Option(help: "Only events of this session.")
    var session: String?

    @Option(help: "Only events of this Sensors Analytics project.")
    var project: String?

    @Option(help: "Only events of this test run (attribute _run).")
    var run: String?

    /// The filter as query parameters.
    var query: [(name: String, value: String)] {
        name.map { (name: "name", value: $0) }
            + [
                ("installation", installation), ("user", user), ("session", session), ("project", project),
                ("run", run),
            ].compactMap { field, value in value.map { (name: field, value: $0) } }
    }

    /// Checks the format of the installation id.
    func validate() throws {
        if let installation, InstallationID(installation) == nil {
            throw ValidationError(
                "“\(installation)” is not an installation id: ids have 36 characters, as shown by `trackway ledger`"
            )
        }
    }
}
