// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ArgumentParser
internal import Collector
internal import TrackwayEvents

/// Makes a key and shows it once.
struct KeysCreateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "create",
        abstract: "Make a key. It is shown once; only a hash is kept."
    )

    @OptionGroup var data: DataOptions

    @Argument(help: "The key's name: letters, digits, dots, underscores, hyphens.")
    var name: String

    @Option(help: "What it allows: write (send events) or read. May be given twice.")
    var scope: [KeyScope] = [.write]

    @Flag(help: "Print JSON.")
    var json = false

    /// Makes the key and prints it.
    func run() async throws {
        try data.folder.make()
        let file = try data.keyFile()
        var generator = SystemRandomNumberGenerator()
        let key: String
        do {
            key = try file.create(
                name: name,
                scopes: Set(scope),
                at: SystemClock().now().wall,
                using: &generator
            )
        } catch {
            throw CommandFailure(error)
        }
        if json {
            let answer = JSONValue.members(("name", .string(name)), ("key", .string(key)))
            Console.standard.write(bytes: answer.json())
        } else {
            Console.standard.write(key)
            Console.standard.note("Keep it now: only a hash of “\(name)” stays in \(file.path).")
        }
    }
}

extension KeyScope: ExpressibleByArgument {}
