// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ArgumentParser
internal import Testing

@testable internal import TrackwayCommand

@Suite("Commands in documents")
struct DocumentedCommandTests {
    @Test("the parser accepts every trackway command line in a document")
    func documents() throws {
        let lines = try DocumentedCommands(of: "trackway").lines
        #expect(lines.count > 50)
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
}
