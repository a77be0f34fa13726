// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import CollectorCore

/// The decisions about an intake stream's blocks, stored in a separate stream.
///
/// Safe from any thread.
package final class BlockStream: BlockDecisions {
    private let names: StreamNames
    private let stream: DecisionStream

    /// Creates a reference to the decisions about a stream's blocks.
    ///
    /// - Parameters:
    ///   - engine: The NATS cluster with the stream.
    ///   - system: A connection that may request the servers' reports; the same as `engine` if its user may do so.
    init(_ engine: any NATSRequesting, system: any NATSRequesting, names: StreamNames) {
        self.names = names
        stream = DecisionStream(
            names.decisions,
            subject: names.decisionSubject,
            remedy: "`trackway-cluster cluster init` with --clickhouse creates it.",
            on: engine,
            system: system
        )
    }

    package func decision(_ block: UInt64) async throws(BlockDecisionFailure) -> BlockDecision? {
        guard let body = try await stream.decision(block) else { return nil }
        guard let decision = BlockDecision(json: body) else {
            throw BlockDecisionFailure(
                "Record \(block) of the stream \(names.decisions) is not a decision about a block: another client "
                    + "writes to it. Check who is allowed to publish to \(names.decisionSubject).",
                isPermanent: true
            )
        }
        return decision
    }

    package func decide(_ decision: BlockDecision) async throws(BlockDecisionFailure) -> Bool {
        try await stream.decide(decision.block, decision.json, "Block \(decision.block)")
    }

    /// The result of one durability check of a decision stream.
    package struct Proof: Sendable, Hashable {
        /// Whether the stream may be used.
        ///
        /// The stream must be as durable as the records: if the decision about a written block were lost, the decision
        /// would be made again.
        package var status: DurabilityState.Status
        /// The stream's creation time, as NATS reports it; nil if unknown.
        package var created: String?
    }

    /// Checks the stream's durability once.
    package func proof() async -> Proof { await stream.proof() }
}
