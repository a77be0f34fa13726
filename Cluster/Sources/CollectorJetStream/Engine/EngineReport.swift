// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import Collector
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
        /// What is known of it.
        package var state: EngineStatistics.ServerState
        /// Whether it waits for the disk with everything it keeps; nil when it did not say, or stores nothing.
        package var syncsAlways: Bool? {
            switch state {
            case .proven: true
            case .notSynced: false
            case .off, .gone, .unknown: nil
            }
        }
        /// Whether the others do not hear it.
        package var isGone: Bool { state == .gone }
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
    /// What does not stop the intake yet and needs somebody, a sentence each.
    package var warnings: [String]

    /// Whether what is acknowledged is durable, and something is wrong nevertheless: a server is lost, a clock is wrong.
    package var isDegraded: Bool { isDurable && !warnings.isEmpty }

    /// A report of what was told.
    ///
    /// - Parameters:
    ///   - facts: What the engine told of each stream that takes records.
    ///   - order: The order of their records; nil where one stream takes all.
    ///   - faults: What is wrong; nil when the durability is proven.
    ///   - warnings: What needs somebody besides lost servers and wrong clocks, a sentence each.
    package init(_ facts: [EngineFacts], order: Order? = nil, faults: [String]?, warnings: [String] = []) {
        streams = facts.map(\.stream)
        self.order = order
        isDurable = faults == nil
        self.faults = faults ?? []
        nodes = Self.nodes(facts)
        let found = EngineWarning.all(nodes, facts.flatMap(\.reports))
        self.warnings = found.map(\.description) + warnings
    }

    /// The servers of some streams, those that lead first.
    static func nodes(_ facts: [EngineFacts]) -> [Node] {
        let silence = DurabilityGate.Demands().silence
        var nodes: [Node] = []
        for facts in facts {
            for name in facts.stream.members {
                let leads = facts.stream.leader == name
                if let known = nodes.firstIndex(where: { $0.name == name }) {
                    if leads { nodes[known].leads += 1 }
                    continue
                }
                let report = facts.reports.last { $0.name == name }
                let replica = facts.stream.replicas.first { $0.name == name }
                nodes.append(
                    Node(
                        name: name,
                        leads: leads ? 1 : 0,
                        version: report?.version ?? "",
                        state: state(report, isGone: replica?.isGone(after: silence) == true)
                    )
                )
            }
        }
        return nodes.filter { $0.leads > 0 } + nodes.filter { $0.leads == 0 }
    }

    private static func state(_ report: MemberReport?, isGone: Bool) -> EngineStatistics.ServerState {
        switch report?.storage {
        case .syncsAlways: .proven
        case .syncsLater: .notSynced
        case .off: .off
        case nil: isGone ? .gone : .unknown
        }
    }
}

extension Engine {
    /// What there is to tell of it.
    ///
    /// - Parameters:
    ///   - faults: What is wrong; nil when the durability is proven.
    ///   - warnings: What needs somebody besides lost servers and wrong clocks, a sentence each.
    package func report(faults: [String]?, warnings: [String] = []) -> EngineReport {
        guard case .ordered(let line) = order.standing else {
            return EngineReport(openFacts, faults: faults, warnings: warnings)
        }
        let order = EngineReport.Order(entries: line.next - 1, records: line.end - 1, waiting: self.order.lacking)
        return EngineReport(openFacts, order: order, faults: faults, warnings: warnings)
    }
}
