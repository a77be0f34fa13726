// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents

/// What there is to tell of an engine: its stream, each server that keeps it, and what is wrong.
package struct EngineReport: Sendable, Hashable {
    /// A server that keeps the stream.
    package struct Node: Sendable, Hashable {
        /// Its name.
        package var name: String
        /// Whether it leads the stream.
        package var isLeader: Bool
        /// Its version; empty when it did not say.
        package var version: String
        /// Whether it waits for the disk with everything it keeps; nil when it did not say.
        package var syncsAlways: Bool?
        /// Whether the others do not hear it.
        package var isGone: Bool
    }

    /// The stream; nil when nobody told about it.
    package var stream: StreamFacts?
    /// Its servers, the leader first.
    package var nodes: [Node]
    /// Whether what the stream acknowledges is durable.
    package var isDurable: Bool
    /// What is wrong, a sentence each.
    package var faults: [String]

    /// A report of what was told.
    ///
    /// - Parameters:
    ///   - facts: What the engine told; nil for nothing.
    ///   - faults: What is wrong; nil when the durability is proven.
    package init(_ facts: EngineFacts?, faults: [String]?) {
        stream = facts?.stream
        isDurable = faults == nil
        self.faults = faults ?? []
        guard let facts else {
            nodes = []
            return
        }
        let silence = DurabilityGate.Demands().silence
        nodes = facts.stream.members.map { name in
            let report = facts.reports.last { $0.name == name }
            let replica = facts.stream.replicas.first { $0.name == name }
            return Node(
                name: name,
                isLeader: replica == nil,
                version: report?.version ?? "",
                syncsAlways: report?.syncsAlways,
                isGone: report == nil && replica?.isGone(after: silence) == true
            )
        }
    }
}
