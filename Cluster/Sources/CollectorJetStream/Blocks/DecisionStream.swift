// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
internal import TrackwayEvents

/// A stream of decisions.
///
/// The number of a decision is the sequence of its record.
///
/// A decision is accepted only after the one before it (`Nats-Expected-Last-Subject-Sequence`), so of several processes
/// that make the same one at once, one succeeds. Safe from any thread.
struct DecisionStream: Sendable {
    /// The timeout of a request.
    static let answerTime: Duration = .seconds(5)
    /// JetStream's error codes for an unexpected last sequence.
    private static let wrongSequence: Set<Int64> = [10_071, 10_164]
    private static let noRecordFound: Int64 = 10_037

    /// The stream's name.
    let name: String
    /// The subject of its records.
    let subject: String
    /// How to create the stream, as a sentence for errors if it is missing.
    let remedy: String
    private let engine: any NATSRequesting
    private let look: DurabilityCheck

    /// Creates a stream of decisions.
    ///
    /// - Parameters:
    ///   - engine: The NATS cluster with the stream.
    ///   - system: May request reports from the servers. The same as `engine` if that user may.
    init(_ name: String, subject: String, remedy: String, on engine: any NATSRequesting, system: any NATSRequesting) {
        self.name = name
        self.subject = subject
        self.remedy = remedy
        self.engine = engine
        look = DurabilityCheck(engine, system: system, stream: name) { Self.demands(subject) }
    }

    /// The durability requirements for a stream of decisions.
    static func demands(_ subject: String) -> DurabilityGate.Demands {
        var demands = DurabilityGate.Demands()
        demands.recordBytes = 4 << 10
        demands.subjects = [subject]
        return demands
    }

    /// Returns the decision with a number.
    ///
    /// Nil if it is not decided yet.
    ///
    /// - Throws: ``BlockDecisionFailure``.
    func decision(_ number: UInt64) async throws(BlockDecisionFailure) -> [UInt8]? {
        let query = Array("{\"seq\":\(number)}".utf8)
        let answer = try await ask("$JS.API.DIRECT.GET.\(name)", body: query)
        if answer.status == 404 {
            // A copy may lag; the leader's does not.
            let opinion = try await ask("$JS.API.STREAM.MSG.GET.\(name)", body: query)
            guard Self.errorNumber(opinion) == Self.noRecordFound else {
                throw BlockDecisionFailure("The stream \(name) cannot currently be read from record \(number) onward.")
            }
            // A leader that was cut off without noticing lacks the others' later decisions.
            let told = try await ask("$JS.API.STREAM.INFO.\(name)", body: [])
            // An invalid answer does not prove a majority.
            guard let facts = try? StreamFacts(told),
                facts.isReportedByMajority(after: DurabilityGate.Demands().silence)
            else {
                throw BlockDecisionFailure(
                    "The leader of \(name) has no contact with the other servers, so the decisions are unknown."
                )
            }
            return nil
        }
        if let status = answer.status {
            throw BlockDecisionFailure(
                "The stream \(name) is not served (status \(status)). If this persists, it may be missing: \(remedy)"
            )
        }
        return answer.body
    }

    /// Appends a decision after the previous one.
    ///
    /// - Parameter what: The subject of the decision, for errors.
    /// - Returns: Whether this decision was accepted. If not, another process decided first, perhaps differently.
    /// - Throws: ``BlockDecisionFailure``; the decision may have been accepted anyway.
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
                "\(what) became record \(sequence) of \(name): another client wrote there. Check access to \(subject).",
                isLasting: true
            )
        case .misconfigured(let reason), .full(let reason):
            throw BlockDecisionFailure("\(what) cannot be decided: \(reason).", isLasting: true)
        case .notStored(let reason), .unknown(let reason):
            throw BlockDecisionFailure("\(what) cannot be decided at the moment: \(reason).")
        case .inProcess:
            throw BlockDecisionFailure("\(what) cannot be decided yet: the NATS cluster is still processing it.")
        }
    }

    /// Checks the stream's durability once.
    ///
    /// It must be as durable as the records: a lost decision that was already acted on would be made again.
    func proof() async -> BlockStream.Proof {
        let (look, facts, _) = await look.run()
        let looked: DurabilityState.Look =
            if case .failed(let reason) = look { .failed("the stream \(name): \(reason)") } else { look }
        // The result is used only once, so the connection's number does not matter.
        var state = DurabilityState()
        _ = state.looked(looked, on: 1)
        return BlockStream.Proof(standing: state.standing(on: 1), created: facts?.created)
    }

    /// Sends a request about the stream.
    ///
    /// - Throws: ``BlockDecisionFailure`` if no answer arrives.
    func ask(
        _ subject: String,
        headers: NATSHeaders? = nil,
        body: [UInt8]
    ) async throws(BlockDecisionFailure) -> NATSMessage {
        do {
            return try await engine.request(subject, headers: headers, body: body, within: Self.answerTime)
        } catch {
            let reason = PublishOutcome(error).reason ?? "the NATS cluster does not answer"
            throw BlockDecisionFailure("The stream \(name) cannot be reached: \(reason).")
        }
    }

    private static func errorNumber(_ answer: NATSMessage) -> Int64? {
        // An invalid answer has no error code.
        (try? JSONValue.parse(answer.body))?["error"]?["err_code"]?.integer
    }
}
