// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ArgumentParser
internal import Testing

@testable internal import TrackwayCommand

@Suite("Commands in documents")
struct DocumentedCommandTests {
    /// Parses command lines, and records an issue for each that the parser rejects.
    private static func check(_ lines: [DocumentedCommands.Line]) {
        for line in lines {
            do {
                _ = try RootCommand.parseAsRoot(line.words)
            } catch {
                let message = RootCommand.fullMessage(for: error)
                // A sentence may name a command without its arguments.
                let isNamed =
                    !line.isComplete
                    && (message.contains("Missing expected argument") || message.contains("Missing value for"))
                // Help is not a failure, and some documents name commands of the other executable.
                guard RootCommand.exitCode(for: error) != .success, !isNamed, !message.contains("trackway-cluster")
                else {
                    continue
                }
                Issue.record("\(line): \(message)")
            }
        }
    }

    @Test
    func `the parser accepts every trackway command line in a document`() throws {
        let lines = try DocumentedCommands(of: "trackway").lines
        #expect(lines.count > 50)
        Self.check(lines)
    }

    @Test
    func `the parser accepts every trackway command line in a comment or string of the sources`() throws {
        let lines = try DocumentedCommands(of: "trackway", inSourcesOf: ["Server/Sources", "Sources"]).lines
        #expect(lines.count > 30)
        Self.check(lines)
    }

    @Test
    func `the parser accepts every example in a help text`() {
        func all(below command: any ParsableCommand.Type) -> [DocumentedCommands.Line] {
            let (text, name) = (command.configuration.discussion, command._commandName)
            return DocumentedCommands(of: "trackway", inHelp: text, of: name).lines
                + command.configuration.subcommands.flatMap { all(below: $0) }
        }
        let lines = all(below: RootCommand.self)
        #expect(lines.count > 60)
        Self.check(lines)
    }
}
