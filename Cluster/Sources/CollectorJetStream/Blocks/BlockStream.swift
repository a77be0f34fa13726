// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import Collector

/// The decisions about a stream's blocks, in a separate stream.
///
/// Safe from any thread.
package final class BlockStream: BlockDecisions {
    private let place: StreamNames
    private let stream: DecisionStream

    /// Creates the decisions about a stream.
    ///
    /// - Parameters:
    ///   - engine: The NATS cluster with the stream.
    ///   - system: May request reports from the servers. The same as `engine` if that user may.
    init(_ engine: any NATSRequesting, system: any NATSRequesting, place: StreamNames) {
        self.place = place
        stream = DecisionStream(
            place.decisions,
            subject: place.decisionSubject,
            remedy: "`trackway-cluster engine init` with --to creates it.",
            on: engine,
            system: system
        )
    }

    package func decision(_ block: UInt64) async throws(BlockDecisionFailure) -> BlockDecision? {
        guard let body = try await stream.decision(block) else { return nil }
        guard let decision = BlockDecision(json: body) else {
            throw BlockDecisionFailure(
                "Record \(block) of the stream \(place.decisions) is not a decision about a block: another client "
                    + "writes to it. Check who is allowed to publish to \(place.decisionSubject).",
                isLasting: true
            )
        }
        return decision
    }

    package func decide(_ decision: BlockDecision) async throws(BlockDecisionFailure) -> Bool {
        try await stream.decide(decision.block, decision.json, "Block \(decision.block)")
    }

    /// The result of one durability check of the stream.
    package struct Proof: Sendable, Hashable {
        /// Whether the stream may be used.
        ///
        /// It must be as durable as the records: a lost decision about a written block would be made again.
        package var standing: DurabilityState.Standing
        /// The stream's creation time, as NATS reports it; nil if unknown.
        package var created: String?
    }

    /// Checks the stream once.
    package func proof() async -> Proof { await stream.proof() }
}
