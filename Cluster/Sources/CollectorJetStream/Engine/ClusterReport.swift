// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import Collector
internal import TrackwayEvents

/// A report on a NATS cluster: its streams, their servers, and problems.
package struct ClusterReport: Sendable, Hashable {
    /// A server with a copy of a stream.
    package struct Node: Sendable, Hashable {
        /// The server's name.
        package var name: String
        /// The number of streams that it leads.
        package var leads: Int
        /// The server's version; empty if it did not report it.
        package var version: String
        /// The server's state.
        package var state: EngineStatistics.ServerState
        /// Whether it waits for the disk before every acknowledgement.
        ///
        /// Nil if it did not report it or stores nothing.
        package var syncsAlways: Bool? {
            switch state {
            case .proven: true
            case .notSynced: false
            case .off, .gone, .unknown: nil
            }
        }
        /// Whether the other servers have no contact with it.
        package var isGone: Bool { state == .gone }
    }

    /// The common order of several streams' records.
    package struct Order: Sendable, Hashable {
        /// The number of entries.
        package var entries: UInt64
        /// The number of records, counted from the first one.
        package var records: UInt64
        /// The number of known records that are not in the order yet.
        package var waiting: UInt64

        /// Creates an order.
        package init(entries: UInt64, records: UInt64, waiting: UInt64) {
            self.entries = entries
            self.records = records
            self.waiting = waiting
        }
    }

    /// The streams that accept records; empty if none were reported.
    package var streams: [StreamFacts]
    /// The order of their records; nil if there is only one stream.
    package var order: Order?
    /// Their servers, leaders first.
    package var nodes: [Node]
    /// Whether acknowledged records are durable.
    package var isDurable: Bool
    /// The problems, one sentence each.
    package var faults: [String]
    /// Problems that do not stop intake yet, one sentence each.
    ///
    /// They need attention.
    package var warnings: [String]

    /// Whether records are durable but a warning exists, such as a lost server.
    package var isDegraded: Bool { isDurable && !warnings.isEmpty }

    /// Creates a report.
    ///
    /// - Parameters:
    ///   - facts: The facts about each stream that accepts records.
    ///   - order: The order of their records; nil if there is only one stream.
    ///   - faults: The problems; nil if durability is proven.
    ///   - warnings: Problems other than lost servers and wrong clocks that need attention, one sentence each.
    package init(_ facts: [ClusterFacts], order: Order? = nil, faults: [String]?, warnings: [String] = []) {
        streams = facts.map(\.stream)
        self.order = order
        isDurable = faults == nil
        self.faults = faults ?? []
        nodes = Self.nodes(facts)
        let found = EngineWarning.all(nodes, facts.flatMap(\.reports))
        self.warnings = found.map(\.description) + warnings
    }

    /// Returns the servers of the streams, leaders first.
    static func nodes(_ facts: [ClusterFacts]) -> [Node] {
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
    /// Returns a report on the cluster.
    ///
    /// - Parameters:
    ///   - faults: The problems; nil if durability is proven.
    ///   - warnings: Problems other than lost servers and wrong clocks that need attention, one sentence each.
    package func report(faults: [String]?, warnings: [String] = []) -> ClusterReport {
        guard case .ordered(let line) = order.standing else {
            return ClusterReport(openFacts, faults: faults, warnings: warnings)
        }
        let order = ClusterReport.Order(entries: line.next - 1, records: line.end - 1, waiting: self.order.lacking)
        return ClusterReport(openFacts, order: order, faults: faults, warnings: warnings)
    }
}
