// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import Collector

/// What is decided about a stream's blocks, in a stream of its own. Safe from any thread.
package final class BlockStream: BlockDecisions {
    private let place: StreamPlace
    private let stream: DecisionStream

    /// The decisions about a stream.
    ///
    /// - Parameters:
    ///   - engine: Where they are.
    ///   - system: May ask the servers about themselves; the same as `engine` where that may.
    init(_ engine: any StreamEngine, system: any StreamEngine, place: StreamPlace) {
        self.place = place
        stream = DecisionStream(
            place.decisions,
            subject: place.decisionSubject,
            remedy: "`trackway-cluster engine init` with --to makes it.",
            on: engine,
            system: system
        )
    }

    package func decision(_ block: UInt64) async throws(BlockDecisionFailure) -> BlockDecision? {
        guard let body = try await stream.decision(block) else { return nil }
        guard let decision = BlockDecision(json: body) else {
            throw BlockDecisionFailure(
                "Record \(block) of the stream \(place.decisions) is no decision about a block: somebody else writes into it. See who "
                    + "may publish to \(place.decisionSubject).",
                isLasting: true
            )
        }
        return decision
    }

    package func decide(_ decision: BlockDecision) async throws(BlockDecisionFailure) -> Bool {
        try await stream.decide(decision.block, decision.json, "Block \(decision.block)")
    }

    /// What one look at the stream came to.
    package struct Proof: Sendable, Hashable {
        /// Whether it may be used. Decisions have to survive what records survive, or a block that is written already would be decided
        /// anew.
        package var standing: DurabilityState.Standing
        /// When it was made, in the engine's words; nil when nobody told.
        package var created: String?
    }

    /// Looks at the stream once.
    package func proof() async -> Proof { await stream.proof() }
}
