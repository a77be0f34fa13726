// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
internal import TrackwayEvents

/// A stream of decisions, whose numbers are those of its records. A decision is taken only behind the one before it
/// (`Nats-Expected-Last-Subject-Sequence`), so of several who decide the same one at once, one succeeds. Safe from any thread.
struct DecisionStream: Sendable {
    /// How long the engine may take.
    static let answerTime: Duration = .seconds(5)
    /// JetStream's numbers of errors: the stream has come further than was said.
    private static let wrongSequence: Set<Int64> = [10_071, 10_164]
    private static let noRecordFound: Int64 = 10_037

    /// Its name.
    let name: String
    /// The subject of its records.
    let subject: String
    /// How it is made, for whoever misses it.
    let remedy: String
    private let engine: any StreamEngine
    private let look: DurabilityLook

    /// A stream of decisions.
    ///
    /// - Parameters:
    ///   - engine: Where it is.
    ///   - system: May ask the servers about themselves; the same as `engine` where that may.
    init(_ name: String, subject: String, remedy: String, on engine: any StreamEngine, system: any StreamEngine) {
        self.name = name
        self.subject = subject
        self.remedy = remedy
        self.engine = engine
        look = DurabilityLook(engine, system: system, stream: name) { Self.demands(subject) }
    }

    /// What is asked of a stream of decisions.
    static func demands(_ subject: String) -> DurabilityGate.Demands {
        var demands = DurabilityGate.Demands()
        demands.recordBytes = 4 << 10
        demands.subjects = [subject]
        return demands
    }

    /// What was decided under a number; nil when nothing was.
    ///
    /// - Throws: ``BlockDecisionFailure``.
    func decision(_ number: UInt64) async throws(BlockDecisionFailure) -> [UInt8]? {
        let query = Array("{\"seq\":\(number)}".utf8)
        let answer = try await ask("$JS.API.DIRECT.GET.\(name)", body: query)
        if answer.status == 404 {
            // A copy may lag behind; the leader's does not.
            let opinion = try await ask("$JS.API.STREAM.MSG.GET.\(name)", body: query)
            guard Self.errorNumber(opinion) == Self.noRecordFound else {
                throw BlockDecisionFailure("The stream \(name) cannot be read from \(number) on now.")
            }
            // One that was cut off from the others, and does not know it, has not what they decided since.
            let told = try await ask("$JS.API.STREAM.INFO.\(name)", body: [])
            // What cannot be read says nothing of a majority.
            guard let facts = try? StreamFacts(told), facts.isToldByMajority(after: DurabilityGate.Demands().silence)
            else {
                throw BlockDecisionFailure(
                    "Who leads the stream \(name) does not hear the others, so it is not known what is decided."
                )
            }
            return nil
        }
        if let status = answer.status {
            throw BlockDecisionFailure(
                "No server hands out the stream \(name) now (status \(status)). If that stays so, see whether it is there: \(remedy)"
            )
        }
        return answer.body
    }

    /// Decides what has a number, behind the decision before it.
    ///
    /// - Parameter what: What it is, for a sentence.
    /// - Returns: Whether it was decided so. If not, somebody else has decided it.
    /// - Throws: ``BlockDecisionFailure``; it may be decided so nevertheless.
    func decide(_ number: UInt64, _ body: [UInt8], _ what: String) async throws(BlockDecisionFailure) -> Bool {
        let answer = try await ask(
            subject,
            headers: ["Nats-Expected-Stream": name, "Nats-Expected-Last-Subject-Sequence": "\(number - 1)"],
            body: body
        )
        if let number = Self.errorNumber(answer), Self.wrongSequence.contains(number) { return false }
        switch PublishOutcome(answer, stream: name) {
        case .stored(number, _): return true
        case .stored(let sequence, _):
            throw BlockDecisionFailure(
                "\(what) became record \(sequence) of the stream \(name): somebody else writes into it. See who may publish to \(subject).",
                isLasting: true
            )
        case .misconfigured(let reason), .full(let reason):
            throw BlockDecisionFailure("\(what) cannot be decided: \(reason).", isLasting: true)
        case .notStored(let reason), .unknown(let reason):
            throw BlockDecisionFailure("\(what) cannot be decided now: \(reason).")
        case .inProcess:
            throw BlockDecisionFailure("\(what) cannot be decided now: the engine has not decided yet.")
        }
    }

    /// What one look at the stream came to.
    ///
    /// Decisions have to survive what records survive, or what was written by one already would be decided anew.
    func proof() async -> BlockStream.Proof {
        let (look, facts, _) = await look.run()
        let looked: DurabilityState.Look =
            if case .failed(let reason) = look { .failed("the stream \(name): \(reason)") } else { look }
        // One look is for one moment: whichever connection it was made on, it is the one that counts.
        var state = DurabilityState()
        _ = state.looked(looked, on: 1)
        return BlockStream.Proof(standing: state.standing(on: 1), created: facts?.created)
    }

    /// Asks the engine about the stream.
    ///
    /// - Throws: ``BlockDecisionFailure`` when there is no answer.
    func ask(
        _ subject: String,
        headers: NATSHeaders? = nil,
        body: [UInt8]
    ) async throws(BlockDecisionFailure) -> NATSMessage {
        do {
            return try await engine.request(subject, headers: headers, body: body, within: Self.answerTime)
        } catch {
            let reason = PublishOutcome(error).reason ?? "the engine does not answer"
            throw BlockDecisionFailure("The stream \(name) cannot be reached: \(reason).")
        }
    }

    private static func errorNumber(_ answer: NATSMessage) -> Int64? {
        // An answer that cannot be read names no error.
        (try? JSONValue.parse(answer.body))?["error"]?["err_code"]?.integer
    }
}
