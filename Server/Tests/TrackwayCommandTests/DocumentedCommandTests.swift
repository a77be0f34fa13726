// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ArgumentParser
internal import Testing

@testable internal import TrackwayCommand

@Suite("Commands in documents")
struct DocumentedCommandTests {
    @Test("every trackway command line in a document is one that the parser accepts")
    func documents() throws {
        let lines = try DocumentedCommands(of: "trackway").lines
        #expect(lines.count > 50)
        for line in lines {
            do {
                _ = try RootCommand.parseAsRoot(line.words)
            } catch {
                let message = RootCommand.fullMessage(for: error)
                // In a sentence a command may be named without its arguments.
                let isNamed =
                    !line.isComplete
                    && (message.contains("Missing expected argument") || message.contains("Missing value for"))
                // Help is no failure, and some documents name what the other executable has.
                guard RootCommand.exitCode(for: error) != .success, !isNamed, !message.contains("trackway-cluster")
                else {
                    continue
                }
                Issue.record("\(line): \(message)")
            }
        }
    }
}
