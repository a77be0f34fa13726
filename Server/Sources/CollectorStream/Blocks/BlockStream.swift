// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import Collector
internal import TrackwayEvents

/// What is decided about a stream's blocks, in a stream of its own. A decision is taken only behind the one before it
/// (`Nats-Expected-Last-Subject-Sequence`), so of several who decide the same block at once, one succeeds. Safe from any thread.
package final class BlockStream: BlockDecisions {
    /// How long the engine may take.
    private static let answerTime: Duration = .seconds(5)
    /// JetStream's numbers of errors: the stream has come further than was said.
    private static let wrongSequence: Set<Int64> = [10_071, 10_164]
    private static let noRecordFound: Int64 = 10_037

    private let engine: any StreamEngine
    private let place: StreamPlace
    private let look: DurabilityLook

    /// The decisions about a stream.
    ///
    /// - Parameters:
    ///   - engine: Where they are.
    ///   - system: May ask the servers about themselves; the same as `engine` where that may.
    init(_ engine: any StreamEngine, system: any StreamEngine, place: StreamPlace) {
        self.engine = engine
        self.place = place
        var demands = DurabilityGate.Demands()
        demands.recordBytes = 4 << 10
        demands.subject = place.decisionSubject
        look = DurabilityLook(engine, system: system, stream: place.decisions, demands: demands)
    }

    package func decision(_ block: UInt64) async throws(BlockDecisionFailure) -> BlockDecision? {
        let query = Array("{\"seq\":\(block)}".utf8)
        let answer = try await ask("$JS.API.DIRECT.GET.\(place.decisions)", body: query)
        if answer.status == 404 {
            // A copy may lag behind; the leader's does not.
            let opinion = try await ask("$JS.API.STREAM.MSG.GET.\(place.decisions)", body: query)
            guard Self.errorNumber(opinion) == Self.noRecordFound else {
                throw BlockDecisionFailure("The stream \(place.decisions) cannot be read from \(block) on now.")
            }
            return nil
        }
        if let status = answer.status {
            throw BlockDecisionFailure(
                "No server hands out the stream \(place.decisions) now (status \(status)). If that stays so, see whether it is there: "
                    + "`trackway engine init` with --to makes it."
            )
        }
        guard let decision = BlockDecision(json: answer.body) else {
            throw BlockDecisionFailure(
                "Record \(block) of the stream \(place.decisions) is no decision about a block: somebody else writes into it. See who "
                    + "may publish to \(place.decisionSubject).",
                isLasting: true
            )
        }
        return decision
    }

    package func decide(_ decision: BlockDecision) async throws(BlockDecisionFailure) -> Bool {
        let answer = try await ask(
            place.decisionSubject,
            headers: [
                "Nats-Expected-Stream": place.decisions,
                "Nats-Expected-Last-Subject-Sequence": "\(decision.block - 1)",
            ],
            body: decision.json
        )
        if let number = Self.errorNumber(answer), Self.wrongSequence.contains(number) { return false }
        switch PublishOutcome(answer, stream: place.decisions) {
        case .stored(decision.block, _): return true
        case .stored(let sequence, _):
            throw BlockDecisionFailure(
                "Block \(decision.block) became record \(sequence) of the stream \(place.decisions): somebody else writes into it. See who "
                    + "may publish to \(place.decisionSubject).",
                isLasting: true
            )
        case .misconfigured(let reason), .full(let reason):
            throw BlockDecisionFailure("Block \(decision.block) cannot be decided: \(reason).", isLasting: true)
        case .notStored(let reason), .unknown(let reason):
            throw BlockDecisionFailure("Block \(decision.block) cannot be decided now: \(reason).")
        case .inProcess:
            throw BlockDecisionFailure("Block \(decision.block) cannot be decided now: the engine has not decided yet.")
        }
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
    package func proof() async -> Proof {
        let (look, facts, _) = await look.run()
        let looked: DurabilityState.Look =
            if case .failed(let reason) = look { .failed("the stream \(place.decisions): \(reason)") } else { look }
        // One look is for one moment: whichever connection it was made on, it is the one that counts.
        var state = DurabilityState()
        _ = state.looked(looked, on: 1)
        return Proof(standing: state.standing(on: 1), created: facts?.created)
    }

    private func ask(
        _ subject: String,
        headers: NATSHeaders? = nil,
        body: [UInt8]
    ) async throws(BlockDecisionFailure) -> NATSMessage {
        do {
            return try await engine.request(subject, headers: headers, body: body, within: Self.answerTime)
        } catch {
            let reason = PublishOutcome(error).reason ?? "the engine does not answer"
            throw BlockDecisionFailure("The stream \(place.decisions) cannot be reached: \(reason).")
        }
    }

    private static func errorNumber(_ answer: NATSMessage) -> Int64? {
        // An answer that cannot be read names no error.
        (try? JSONValue.parse(answer.body))?["error"]?["err_code"]?.integer
    }
}
