// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ArgumentParser
internal import Testing

@testable internal import trackway_cluster

@Suite("Documented trackway-cluster commands")
struct ClusterDocumentTests {
    /// Parses command lines and records an issue for each that the parser rejects.
    private static func check(_ lines: [DocumentedCommands.Line]) {
        for line in lines {
            do {
                _ = try TrackwayCluster.parseAsRoot(line.words)
            } catch {
                let message = TrackwayCluster.fullMessage(for: error)
                // A command or option mentioned in a sentence may lack its required arguments.
                guard TrackwayCluster.exitCode(for: error) != .success,
                    line.isComplete || message.contains("Unknown option") || message.contains("Unexpected argument")
                else { continue }
                Issue.record("\(line): \(message)")
            }
        }
    }

    @Test
    func `the parser accepts every trackway-cluster command line in the documents`() throws {
        let lines = try DocumentedCommands(of: "trackway-cluster").lines
        #expect(lines.count > 20)
        Self.check(lines)
    }

    @Test
    func `the parser accepts every trackway-cluster command line in comments and strings of the sources`() throws {
        let folders = ["Cluster/Sources", "Server/Sources"]
        let lines = try DocumentedCommands(of: "trackway-cluster", inSourcesOf: folders).lines
        #expect(lines.count > 20)
        Self.check(lines)
    }

    @Test
    func `the parser accepts every trackway-cluster example in a help text`() {
        func all(below command: any ParsableCommand.Type) -> [DocumentedCommands.Line] {
            let (text, name) = (command.configuration.discussion, command._commandName)
            return DocumentedCommands(of: "trackway-cluster", inHelp: text, of: name).lines
                + command.configuration.subcommands.flatMap { all(below: $0) }
        }
        let lines = all(below: TrackwayCluster.self)
        #expect(lines.count > 12)
        Self.check(lines)
    }
}
