// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ArgumentParser
internal import Testing

@testable internal import trackway_cluster

@Suite("Documented trackway-cluster commands")
struct ClusterDocumentTests {
    @Test("the parser accepts every trackway-cluster command line in the documents")
    func documents() throws {
        let lines = try DocumentedCommands(of: "trackway-cluster").lines
        #expect(lines.count > 20)
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
}
