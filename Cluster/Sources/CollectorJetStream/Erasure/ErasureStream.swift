// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import CollectorCore
internal import TrackwayCore

/// The stream with a cluster's erasures: requests, plans, receipts, and the key's fingerprint.
///
/// Every collector reads it, and refuses the events of erased users. A forwarder carries the erasures out. Identifiers
/// are sealed with the cluster's key, and deleted when an erasure is complete; receipts stay. Safe from any thread.
package final class ErasureStream: Sendable {
    private static let requestTimeout: Duration = .seconds(5)
    private static let recordsPerRequest = 256
    private static let pollInterval: Duration = .milliseconds(500)
    private static let noRecordFound: Int64 = 10_037

    private struct State: Sendable {
        var next: UInt64 = 1
        var requests: [String: ErasurePlan] = [:]
        var plans: [String: (plan: ErasurePlan, indexedEvents: Int)] = [:]
        var receipts: [String: ErasureReceipt] = [:]
        var identities: Set<IdentityHash> = []
        var fingerprint: String?
        var problem: String?
    }

    /// The key for hashes and receipts.
    package let key: ErasureKey
    private let engine: any NATSRequesting
    private let system: any NATSRequesting
    private let names: StreamNames
    private let randomUInt64: @Sendable () -> UInt64
    private let state = Locked(State())

    init(
        _ engine: any NATSRequesting,
        system: any NATSRequesting,
        names: StreamNames,
        key: ErasureKey,
        randomUInt64: @escaping @Sendable () -> UInt64
    ) {
        self.engine = engine
        self.system = system
        self.names = names
        self.key = key
        self.randomUInt64 = randomUInt64
    }

    // MARK: State

    /// The hashes of all users whose erasure was requested.
    package var identities: Set<IdentityHash> { state.withLock { $0.identities } }

    package var receiptCount: Int { state.withLock { $0.receipts.count } }

    /// The erasures that are not complete, or that still have identifiers, oldest first.
    package var incomplete: [PendingErasure] {
        state.withLock { state in
            state.requests.values.map { request in
                var erasure = PendingErasure(plan: request)
                if let planned = state.plans[request.id] {
                    erasure.plan = planned.plan
                    erasure.isPlanned = true
                    erasure.indexedEvents = planned.indexedEvents
                }
                erasure.isSigned = state.receipts[request.id] != nil
                return erasure
            }.sorted { ($0.plan.requested, $0.plan.id) < ($1.plan.requested, $1.plan.id) }
        }
    }

    // MARK: Opening

    /// Creates the stream if missing, reads it, and records or checks the key's fingerprint.
    ///
    /// - Throws: ``StreamMaintenanceError``, including when the cluster uses another key.
    package func open() async throws(StreamMaintenanceError) {
        do {
            _ = try await StreamSetup(erasuresOf: names).createIfMissing(on: engine)
        } catch {
            throw StreamMaintenanceError(error.description)
        }
        let (result, _, _) = await DurabilityCheck(engine, system: system, stream: names.erasures) { [names] in
            var requirements = DecisionStream.requirements(names.erasureSubjects)
            requirements.keepsLast = true
            return requirements
        }.run()
        switch result {
        case .verdict(.proven): break
        case .verdict(.unproven(let faults)):
            throw StreamMaintenanceError(
                "Erasures would not be stored safely: " + faults.map(\.description).joined(separator: " ")
            )
        case .failed(let reason), .closed(let reason):
            throw StreamMaintenanceError("The settings of the stream \(names.erasures) are unknown: \(reason).")
        }
        try await refresh()
        if fingerprint == nil {
            let body = Array("{\"fingerprint\":\"\(key.fingerprint)\"}".utf8)
            // Of two processes with different keys, only one succeeds, and the other one finds its fingerprint below.
            _ = try await publish(body, to: "key", ["Nats-Expected-Last-Subject-Sequence": "0"])
            try await refresh()
        }
        guard let fingerprint, fingerprint != key.fingerprint else { return }
        throw StreamMaintenanceError(
            "The cluster uses the erasure key \(fingerprint), but --erasure-key has \(key.fingerprint). Pass the same "
                + "file to every collector and forwarder.",
            isPermanent: true
        )
    }

    private var fingerprint: String? { state.withLock { $0.fingerprint } }

    /// Whether the cluster has an erasure key, so that processes without one must not run.
    static func exists(_ names: StreamNames, on engine: any NATSRequesting) async throws(StreamMaintenanceError) -> Bool
    {
        do {
            let answer = try await engine.request(
                "$JS.API.STREAM.INFO.\(names.erasures)",
                headers: nil,
                body: [],
                within: requestTimeout
            )
            // An invalid answer does not prove that the stream exists.
            return (try? JSONValue.parse(answer.body))?["state"] != nil
        } catch {
            throw StreamMaintenanceError("NATS does not report on the stream \(names.erasures).")
        }
    }

    // MARK: Reading

    /// Reads the stream until the task is canceled.
    ///
    /// - Parameter sleep: Waits; returns early when canceled.
    package func run(sleep: @escaping @Sendable (Duration) async -> Void) async {
        while !Task.isCancelled {
            try? await refresh()  // The next attempt follows; requests report failures themselves.
            await sleep(Self.pollInterval)
        }
    }

    /// Reads new records of the stream.
    ///
    /// - Throws: ``StreamMaintenanceError`` if the stream currently cannot be read.
    package func refresh() async throws(StreamMaintenanceError) {
        while true {
            let next = state.withLock { $0.next }
            let messages: [NATSMessage]
            do {
                messages = try await engine.collect(
                    "$JS.API.DIRECT.GET.\(names.erasures)",
                    body: Array("{\"seq\":\(next),\"batch\":\(Self.recordsPerRequest)}".utf8),
                    upTo: Self.recordsPerRequest + 1,
                    within: Self.requestTimeout
                )
            } catch {
                let reason = PublishOutcome(error).reason ?? "the NATS cluster is not responding"
                throw StreamMaintenanceError("The stream \(names.erasures) cannot be read: \(reason).")
            }
            var isEmpty = true
            for message in messages {
                guard let headers = message.headers, let sequence = headers["Nats-Sequence"].flatMap({ UInt64($0) }),
                    let subject = headers["Nats-Subject"]
                else {
                    guard message.status == 503 else { continue }
                    throw StreamMaintenanceError("No server currently serves the stream \(names.erasures).")
                }
                isEmpty = false
                state.withLock { state in
                    guard sequence >= state.next else { return }
                    take(message.body, subject.split(separator: ".").map(String.init), &state)
                    state.next = sequence + 1
                }
            }
            if isEmpty { return }
        }
    }

    /// Returns the sealed plan in a record; nil for records that no collector with this key wrote.
    private func plan(_ json: JSONValue) -> ErasurePlan? {
        guard let bytes = SealedBytes(json: json)?.open(with: key) else { return nil }
        // The seal proves that a collector wrote it.
        return try? ErasurePlan(json: bytes)
    }

    private func take(_ body: [UInt8], _ subject: [String], _ state: inout State) {
        // Records of other programs are ignored.
        guard subject.count > 2, let json = try? JSONValue.parse(body) else { return }
        switch (subject[2], subject.count > 3 ? subject[3] : "") {
        case ("key", _): state.fingerprint = json["fingerprint"]?.string
        case ("problem", _): state.problem = json["problem"]?.string
        case ("request", let id):
            guard let plan = plan(json) else { return }
            if plan.subject == .user { state.identities.insert(plan.identity) }
            state.requests[id] = plan
        case ("plan", let id):
            guard let plan = plan(json) else { return }
            state.plans[id] = (plan, Int(clamping: json["indexed"]?.integer ?? 0))
        case ("receipt", let id):
            // As above: no collector writes such a record.
            guard let receipt = try? ErasureReceipt(json: body) else { return }
            if receipt.subject == .user { state.identities.insert(receipt.identity) }
            state.receipts[id] = receipt
        case ("forgotten", let id):
            state.requests[id] = nil
            state.plans[id] = nil
        default: break
        }
    }

    // MARK: Writing

    /// Stores a request.
    package func request(_ plan: ErasurePlan) async throws(StreamMaintenanceError) {
        _ = try await publish(sealed(plan), to: "request.\(plan.id)")
        // The copy of the server that answers next may lag behind.
        state.withLock { state in
            state.requests[plan.id] = plan
            if plan.subject == .user { state.identities.insert(plan.identity) }
        }
    }

    /// Stores a plan.
    package func save(_ plan: ErasurePlan, indexedEvents: Int) async throws(StreamMaintenanceError) {
        _ = try await publish(sealed(plan, indexedEvents), to: "plan.\(plan.id)")
        state.withLock { $0.plans[plan.id] = (plan, indexedEvents) }
    }

    /// Stores a receipt, unless the erasure has one.
    package func save(_ receipt: ErasureReceipt) async throws(StreamMaintenanceError) {
        try await refresh()
        guard state.withLock({ $0.receipts[receipt.id] == nil }) else { return }
        _ = try await publish(
            receipt.json,
            to: "receipt.\(receipt.id)",
            ["Nats-Expected-Last-Subject-Sequence": "0"]
        )
        state.withLock { $0.receipts[receipt.id] = receipt }
    }

    /// Deletes the identifiers of a complete erasure, and overwrites their bytes.
    package func forget(_ id: String) async throws(StreamMaintenanceError) {
        for kind in ["request", "plan"] {
            guard let sequence = try await sequence(of: "\(kind).\(id)") else { continue }
            let subject = "$JS.API.STREAM.MSG.DELETE.\(names.erasures)"
            let answer = try await request(subject, body: Array("{\"seq\":\(sequence),\"no_erase\":false}".utf8))
            let json = try? JSONValue.parse(answer.body)  // An invalid answer does not prove success.
            guard json?["success"]?.boolean == true || DeletionIndex.isMissing(json) else {
                throw StreamMaintenanceError(
                    "The sealed identifiers of an erasure stay in \(names.erasures). Make sure that the forwarder's "
                        + "user is allowed to publish to \(subject)."
                )
            }
        }
        _ = try await publish(Array("{}".utf8), to: "forgotten.\(id)")
        state.withLock { state in
            state.requests[id] = nil
            state.plans[id] = nil
        }
    }

    /// Stores why erasures make no progress, or that they do.
    package func report(_ problem: String?) async throws(StreamMaintenanceError) {
        guard state.withLock({ $0.problem }) ?? "" != problem ?? "" else { return }
        let body = JSONWriter.withThreadBuffer { writer -> [UInt8] in
            writer.beginObject()
            writer.member("problem", problem ?? "")
            writer.endObject()
            return writer.array()
        }
        _ = try await publish(body, to: "problem")
        state.withLock { $0.problem = problem }
    }

    private func sealed(_ plan: ErasurePlan, _ indexedEvents: Int? = nil) -> [UInt8] {
        let sealed = SealedBytes(plan.json, with: key, randomUInt64: randomUInt64)
        return JSONWriter.withThreadBuffer { writer in
            writer.beginObject()
            if let indexedEvents { writer.member("indexed", Int64(indexedEvents)) }
            sealed.write(to: &writer)
            writer.endObject()
            return writer.array()
        }
    }

    /// Publishes a record.
    ///
    /// - Returns: Whether it was stored; false if another process was faster.
    private func publish(
        _ body: [UInt8],
        to subject: String,
        _ condition: NATSHeaders = [:]
    ) async throws(StreamMaintenanceError) -> Bool {
        var headers: NATSHeaders = ["Nats-Expected-Stream": names.erasures]
        headers.fields += condition.fields
        let answer = try await request("erasures.\(names.number).\(subject)", headers: headers, body: body)
        switch PublishOutcome(answer, stream: names.erasures) {
        case .stored: return true
        case .notStored(let reason), .misconfigured(let reason), .full(let reason), .unknown(let reason):
            if !condition.fields.isEmpty, try await sequence(of: subject) != nil { return false }
            throw StreamMaintenanceError("The stream \(names.erasures) does not accept a record: \(reason).")
        case .inProgress:
            throw StreamMaintenanceError("The stream \(names.erasures) has not accepted a record yet.")
        }
    }

    /// Returns the sequence of a subject's record at the leader; nil for none.
    private func sequence(of subject: String) async throws(StreamMaintenanceError) -> UInt64? {
        let answer = try await request(
            "$JS.API.STREAM.MSG.GET.\(names.erasures)",
            body: Array("{\"last_by_subj\":\"erasures.\(names.number).\(subject)\"}".utf8)
        )
        let json = try? JSONValue.parse(answer.body)  // An invalid answer proves nothing.
        if let sequence = json?["message"]?["seq"]?.integer { return UInt64(clamping: sequence) }
        guard json?["error"]?["err_code"]?.integer == Self.noRecordFound else {
            throw StreamMaintenanceError("The stream \(names.erasures) cannot currently be read.")
        }
        return nil
    }

    private func request(
        _ subject: String,
        headers: NATSHeaders? = nil,
        body: [UInt8]
    ) async throws(StreamMaintenanceError) -> NATSMessage {
        do {
            return try await engine.request(subject, headers: headers, body: body, within: Self.requestTimeout)
        } catch {
            let reason = PublishOutcome(error).reason ?? "the NATS cluster is not responding"
            throw StreamMaintenanceError("The stream \(names.erasures) cannot be reached: \(reason).")
        }
    }
}

extension ErasureStream: ErasureJournal {}

extension ErasureStream: ErasureRegister {
    package var pending: [ErasurePlan] { incomplete.filter { !$0.isSigned }.map(\.plan) }

    package var failureReason: String? { state.withLock { $0.problem }.flatMap { $0.isEmpty ? nil : $0 } }

    package func receipts() throws -> [ErasureReceipt] {
        state.withLock { state in
            // While an erasure's identifiers are stored, it is incomplete.
            state.receipts.values.filter { state.requests[$0.id] == nil }
        }.sorted { ($0.requested, $0.id) > ($1.requested, $1.id) }
    }

    package func receipt(_ id: String) throws -> ErasureReceipt? {
        state.withLock { $0.requests[id] == nil ? $0.receipts[id] : nil }
    }

    package func requestErasure(
        _ record: UserErasureRecord,
        _ intake: any RecordIntake
    ) async throws(IntakeError) -> Commit {
        try await store(ErasurePlan(record, user: record.user ?? ""))
        return Commit(position: intake.end, durability: intake.durability)
    }

    package func requestErasure(
        _ record: ErasureRecord,
        _ intake: any RecordIntake
    ) async throws(IntakeError) -> Commit {
        let commit = try await intake.commit(
            kind: .erasure,
            record: record.bytes,
            route: IntakeRoute(installation: record.installation)
        )
        try await store(ErasurePlan(DeletionRequest(record), key: key))
        return commit
    }

    private func store(_ plan: ErasurePlan) async throws(IntakeError) {
        do {
            try await request(plan)
        } catch {
            throw IntakeError(code: .engineUnavailable, message: error.description)
        }
    }
}
