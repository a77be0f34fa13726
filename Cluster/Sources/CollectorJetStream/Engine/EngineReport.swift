// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents

/// What there is to tell of an engine: its stream, each server that keeps it, and what is wrong.
package struct EngineReport: Sendable, Hashable {
    /// A server that keeps the stream.
    package struct Node: Sendable, Hashable {
        /// Its name.
        package var name: String
        /// How many of the streams it leads.
        package var leads: Int
        /// Its version; empty when it did not say.
        package var version: String
        /// Whether it waits for the disk with everything it keeps; nil when it did not say.
        package var syncsAlways: Bool?
        /// Whether the others do not hear it.
        package var isGone: Bool
    }

    /// How the records of several streams follow one another.
    package struct Order: Sendable, Hashable {
        /// How many entries it has.
        package var entries: UInt64
        /// How many records it has, from the first one of all on.
        package var records: UInt64
        /// How many records are known that are not in it yet.
        package var waiting: UInt64

        /// An order.
        package init(entries: UInt64, records: UInt64, waiting: UInt64) {
            self.entries = entries
            self.records = records
            self.waiting = waiting
        }
    }

    /// The streams that take records; none when nobody told about any.
    package var streams: [StreamFacts]
    /// The order of their records; nil where one stream takes all.
    package var order: Order?
    /// Their servers, those that lead first.
    package var nodes: [Node]
    /// Whether what the stream acknowledges is durable.
    package var isDurable: Bool
    /// What is wrong, a sentence each.
    package var faults: [String]

    /// A report of what was told.
    ///
    /// - Parameters:
    ///   - facts: What the engine told of each stream that takes records.
    ///   - order: The order of their records; nil where one stream takes all.
    ///   - faults: What is wrong; nil when the durability is proven.
    package init(_ facts: [EngineFacts], order: Order? = nil, faults: [String]?) {
        streams = facts.map(\.stream)
        self.order = order
        isDurable = faults == nil
        self.faults = faults ?? []
        let silence = DurabilityGate.Demands().silence
        var nodes: [Node] = []
        for facts in facts {
            for name in facts.stream.members {
                let report = facts.reports.last { $0.name == name }
                let replica = facts.stream.replicas.first { $0.name == name }
                if let known = nodes.firstIndex(where: { $0.name == name }) {
                    if replica == nil { nodes[known].leads += 1 }
                    continue
                }
                nodes.append(
                    Node(
                        name: name,
                        leads: replica == nil ? 1 : 0,
                        version: report?.version ?? "",
                        syncsAlways: report?.syncsAlways,
                        isGone: report == nil && replica?.isGone(after: silence) == true
                    )
                )
            }
        }
        self.nodes = nodes.filter { $0.leads > 0 } + nodes.filter { $0.leads == 0 }
    }
}

extension Engine {
    /// What there is to tell of it.
    ///
    /// - Parameter faults: What is wrong; nil when the durability is proven.
    package func report(faults: [String]?) -> EngineReport {
        guard case .ordered(let line) = order.standing else { return EngineReport(openFacts, faults: faults) }
        let order = EngineReport.Order(entries: line.next - 1, records: line.end - 1, waiting: self.order.lacking)
        return EngineReport(openFacts, order: order, faults: faults)
    }
}
