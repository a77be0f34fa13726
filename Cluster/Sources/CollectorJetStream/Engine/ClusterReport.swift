// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import CollectorCore
internal import TrackwayCore

/// A report on a NATS cluster: its streams, their servers, and problems.
package struct ClusterReport: Sendable, Hashable {
    /// A server with a copy of a stream.
    package struct Node: Sendable, Hashable {
        /// The server's name.
        package var name: String
        /// The number of streams that the server leads.
        package var leads: Int
        /// The server's version; empty if not reported.
        package var version: String
        /// The server's state.
        package var state: EngineStatistics.ServerState
        /// Whether the server waits for the disk before every acknowledgement.
        ///
        /// The value is nil if the server did not report this, or stores nothing.
        package var syncsAlways: Bool? {
            switch state {
            case .proven: true
            case .notSynced: false
            case .off, .unreachable, .unknown: nil
            }
        }
        /// Whether the other servers cannot reach this server.
        package var isUnreachable: Bool { state == .unreachable }
    }

    /// The common order of several streams' records.
    package struct Order: Sendable, Hashable {
        /// The number of entries.
        package var entries: UInt64
        /// The number of records, counted from the first record of the order.
        package var records: UInt64
        /// The number of known records that are not in the order yet.
        package var waiting: UInt64

        /// Creates a summary of the order.
        package init(entries: UInt64, records: UInt64, waiting: UInt64) {
            self.entries = entries
            self.records = records
            self.waiting = waiting
        }
    }

    /// The streams that accept records; empty if none were reported.
    package var streams: [StreamFacts]
    /// The order of the streams' records; nil for a single stream.
    package var order: Order?
    /// The servers with copies of the streams, leaders first.
    package var nodes: [Node]
    /// Whether acknowledged records are durable.
    package var isDurable: Bool
    /// The problems, one sentence each.
    package var faults: [String]
    /// Problems that do not stop intake yet, one sentence each.
    ///
    /// These problems need attention.
    package var warnings: [String]

    /// Whether records are durable but warnings exist, such as lost servers.
    package var isDegraded: Bool { isDurable && !warnings.isEmpty }

    /// Creates a report.
    ///
    /// - Parameters:
    ///   - facts: The facts about each stream that accepts records.
    ///   - order: The order of the streams' records; nil for a single stream.
    ///   - faults: The problems; nil if durability is proven.
    ///   - warnings: Problems that need attention, except lost servers and wrong clocks; one sentence each.
    package init(_ facts: [ClusterFacts], order: Order? = nil, faults: [String]?, warnings: [String] = []) {
        streams = facts.map(\.stream)
        self.order = order
        isDurable = faults == nil
        self.faults = faults ?? []
        nodes = Self.nodes(facts)
        let found = EngineWarning.all(nodes, facts.flatMap(\.reports))
        self.warnings = found.map(\.description) + warnings
    }

    /// Returns the servers with copies of the streams, leaders first.
    static func nodes(_ facts: [ClusterFacts]) -> [Node] {
        let contactTimeout = DurabilityGate.Requirements().contactTimeout
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
                        state: state(report, isUnreachable: replica?.isUnreachable(after: contactTimeout) == true)
                    )
                )
            }
        }
        return nodes.filter { $0.leads > 0 } + nodes.filter { $0.leads == 0 }
    }

    private static func state(_ report: MemberReport?, isUnreachable: Bool) -> EngineStatistics.ServerState {
        switch report?.storage {
        case .syncsAlways: .proven
        case .syncsLater: .notSynced
        case .off: .off
        case nil: isUnreachable ? .unreachable : .unknown
        }
    }
}

extension Engine {
    /// Returns a report on the cluster.
    ///
    /// - Parameters:
    ///   - faults: The problems; nil if durability is proven.
    ///   - warnings: Problems that need attention, except lost servers and wrong clocks; one sentence each.
    package func report(faults: [String]?, warnings: [String] = []) -> ClusterReport {
        guard case .ordered(let streamOrder) = order.status else {
            return ClusterReport(openFacts, faults: faults, warnings: warnings)
        }
        let order = ClusterReport.Order(
            entries: streamOrder.next - 1,
            records: streamOrder.end - 1,
            waiting: self.order.missingCount
        )
        return ClusterReport(openFacts, order: order, faults: faults, warnings: warnings)
    }
}
