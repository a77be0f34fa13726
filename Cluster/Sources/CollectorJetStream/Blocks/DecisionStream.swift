// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import TrackwayCore

/// A stream of decisions.
///
/// The number of a decision is the sequence of its record.
///
/// A decision is accepted only directly after the previous one (`Nats-Expected-Last-Subject-Sequence`). If several
/// processes make the same decision at once, only one succeeds. Safe from any thread.
struct DecisionStream: Sendable {
    /// The timeout of a request.
    static let requestTimeout: Duration = .seconds(5)
    /// JetStream's error codes for an unexpected last sequence.
    private static let wrongSequence: Set<Int64> = [10_071, 10_164]
    private static let noRecordFound: Int64 = 10_037

    /// The stream's name.
    let name: String
    /// The subject of the stream's records.
    let subject: String
    /// A sentence for error messages that explains how to create a missing stream.
    let remedy: String
    private let engine: any NATSRequesting
    private let check: DurabilityCheck

    /// Creates a reference to a stream of decisions.
    ///
    /// - Parameters:
    ///   - engine: The NATS cluster with the stream.
    ///   - system: A connection that may request the servers' reports; the same as `engine` if its user may do so.
    init(_ name: String, subject: String, remedy: String, on engine: any NATSRequesting, system: any NATSRequesting) {
        self.name = name
        self.subject = subject
        self.remedy = remedy
        self.engine = engine
        check = DurabilityCheck(engine, system: system, stream: name) { Self.requirements(subject) }
    }

    /// Returns the durability requirements for a stream of decisions.
    static func requirements(_ subject: String) -> DurabilityGate.Requirements {
        var requirements = DurabilityGate.Requirements()
        requirements.recordBytes = 4 << 10
        requirements.subjects = [subject]
        return requirements
    }

    /// Returns the decision with the given number.
    ///
    /// Returns nil if the decision has not been made yet.
    ///
    /// - Throws: ``BlockDecisionFailure``.
    func decision(_ number: UInt64) async throws(BlockDecisionFailure) -> [UInt8]? {
        let query = Array("{\"seq\":\(number)}".utf8)
        let answer = try await request("$JS.API.DIRECT.GET.\(name)", body: query)
        if answer.status == 404 {
            // The answering server's copy may lag behind; the leader's copy does not.
            let leaderAnswer = try await request("$JS.API.STREAM.MSG.GET.\(name)", body: query)
            guard Self.errorNumber(leaderAnswer) == Self.noRecordFound else {
                throw BlockDecisionFailure("The stream \(name) cannot currently be read from record \(number) onward.")
            }
            // A leader that was cut off from the other servers without noticing lacks their later decisions.
            let info = try await request("$JS.API.STREAM.INFO.\(name)", body: [])
            // An invalid answer does not prove that the leader has a majority.
            guard let facts = try? StreamFacts(info),
                facts.isReportedByMajority(after: DurabilityGate.Requirements().contactTimeout)
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
    /// - Parameter label: A description of the decision for error messages.
    /// - Returns: Whether this decision was accepted. If not, another process decided first, perhaps differently.
    /// - Throws: ``BlockDecisionFailure``; the decision may have been accepted anyway.
    func decide(_ number: UInt64, _ body: [UInt8], _ label: String) async throws(BlockDecisionFailure) -> Bool {
        let answer = try await request(
            subject,
            headers: ["Nats-Expected-Stream": name, "Nats-Expected-Last-Subject-Sequence": "\(number - 1)"],
            body: body
        )
        if let number = Self.errorNumber(answer), Self.wrongSequence.contains(number) { return false }
        switch PublishOutcome(answer, stream: name) {
        case .stored(number, _): return true
        case .stored(let sequence, _):
            throw BlockDecisionFailure(
                "\(label) became record \(sequence) of \(name): another client wrote to it. "
                    + "Check access to \(subject).",
                isPermanent: true
            )
        case .misconfigured(let reason), .full(let reason):
            throw BlockDecisionFailure("\(label) cannot be decided: \(reason).", isPermanent: true)
        case .notStored(let reason), .unknown(let reason):
            throw BlockDecisionFailure("\(label) cannot be decided at the moment: \(reason).")
        case .inProgress:
            throw BlockDecisionFailure("\(label) cannot be decided yet: the NATS cluster is still processing it.")
        }
    }

    /// Checks the stream's durability once.
    ///
    /// The stream must be as durable as the records: if a decision that was already acted on were lost, the decision
    /// would be made again.
    func proof() async -> BlockStream.Proof {
        let (result, facts, _) = await check.run()
        let named: DurabilityState.CheckResult =
            if case .failed(let reason) = result { .failed("the stream \(name): \(reason)") } else { result }
        // The state is used only once, so any connection number works.
        var state = DurabilityState()
        _ = state.checkFinished(with: named, on: 1)
        return BlockStream.Proof(status: state.status(on: 1), created: facts?.created)
    }

    /// Sends a request about the stream.
    ///
    /// - Throws: ``BlockDecisionFailure`` if no answer arrives.
    func request(
        _ subject: String,
        headers: NATSHeaders? = nil,
        body: [UInt8]
    ) async throws(BlockDecisionFailure) -> NATSMessage {
        do {
            return try await engine.request(subject, headers: headers, body: body, within: Self.requestTimeout)
        } catch {
            let reason = PublishOutcome(error).reason ?? "the NATS cluster is not responding"
            throw BlockDecisionFailure("The stream \(name) cannot be reached: \(reason).")
        }
    }

    private static func errorNumber(_ answer: NATSMessage) -> Int64? {
        // An invalid answer has no error code.
        (try? JSONValue.parse(answer.body))?["error"]?["err_code"]?.integer
    }
}
