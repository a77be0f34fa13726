// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ArgumentParser
internal import Collector

/// Revokes a key.
struct KeysRevokeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "revoke",
        abstract: "Revoke a key; a running collector refuses it within about a second."
    )

    @OptionGroup var data: DataOptions

    @Argument(help: "The key's name.")
    var name: String

    /// Takes the key out of the file.
    func run() async throws {
        do {
            try data.keyFile().revoke(name: name)
        } catch let error as KeyFileError {
            throw CommandFailure(error)
        }
        Console.standard.note("Revoked “\(name)”.")
    }
}
