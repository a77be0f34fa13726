// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ArgumentParser
internal import Testing

@testable internal import trackway_cluster

@Suite("Commands of cluster support in documents")
struct ClusterDocumentTests {
    @Test("every trackway-cluster command line in a document is one that the parser accepts")
    func documents() throws {
        let lines = try DocumentedCommands(of: "trackway-cluster").lines
        #expect(lines.count > 20)
        for line in lines {
            do {
                _ = try TrackwayCluster.parseAsRoot(line.words)
            } catch {
                let message = TrackwayCluster.fullMessage(for: error)
                // In a sentence a command or an option may be named without what else it takes.
                guard TrackwayCluster.exitCode(for: error) != .success,
                    line.isComplete || message.contains("Unknown option") || message.contains("Unexpected argument")
                else { continue }
                Issue.record("\(line): \(message)")
            }
        }
    }
}
