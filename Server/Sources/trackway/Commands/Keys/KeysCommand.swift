// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ArgumentParser
internal import Collector

/// Makes, lists and revokes the collector's keys.
struct KeysCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "keys",
        abstract: "Make, list and revoke keys.",
        discussion: """
            Works on the key file in the collector's folder, on the machine where it runs. A running collector sees the
            change within about a second. Only a hash of each key is kept.

            EXAMPLES
              trackway keys create shopping-app                a key that may send events
              trackway keys create dashboard --scope read      a key that may read them
              trackway keys create shop --clickstream-app shopping --sensors-project production
                                                               clients of these two formats send no key: the app and
                                                               the project let them in
              trackway keys create phones --sift-account acct_1
                                                               what clients of Sift call the beacon key
              trackway keys create beta --rate 50 --events-per-day 1000000
                                                               a key that may make 50 requests a second and send a million
                                                               events a day
              trackway keys list
              trackway keys revoke shopping-app
            """,
        subcommands: [KeysCreateCommand.self, KeysListCommand.self, KeysRevokeCommand.self]
    )
}

extension DataOptions {
    /// The key file in the folder, read.
    func keyFile() throws(CommandFailure) -> KeyFile {
        let folder = folder
        do {
            return try KeyFile(path: folder.keys)
        } catch {
            throw CommandFailure(error)
        }
    }
}

extension CommandFailure {
    /// The failure of a key file.
    init(_ error: KeyFileError) {
        switch error.code {
        case .storage:
            self.init(.inputOutput, error.message, remedy: "see who may read and write the collector's folder")
        case .malformed: self.init(.malformedInput, error.message, remedy: "correct or remove that line")
        case .nameTaken, .nameInvalid, .accountTaken: self.init(.usage, error.message)
        case .unknown: self.init(.usage, error.message, remedy: "`trackway keys list` shows those there are")
        }
    }
}
