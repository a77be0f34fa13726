// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import CollectorCore
internal import TrackwayCore
internal import TrackwayJournal

/// The list of a stream's deleted records.
///
/// A record is deleted once all its events are erased.
///
/// The list is a separate stream. It has one record per deleted record, under a subject that contains the deleted
/// sequence. Readers look up each gap of their stream in the list. Safe from any thread.
package final class DeletionIndex: Sendable {
    /// The result of looking up a missing record.
    enum Lookup: Sendable, Hashable {
        /// The record is listed.
        ///
        /// The value includes this record and the listed records that follow it without a gap.
        case listed([DeletedRecordEntry])
        /// The record is not listed.
        case unlisted
        /// The list currently cannot be read. Carries the reason, as a clause.
        case unavailable(String)
    }

    /// The maximum number of sequences per request.
    ///
    /// NATS accepts at most 1,024 subjects per request.
    static let sequencesPerRequest: UInt64 = 256
    private static let requestTimeout: Duration = .seconds(5)
    /// JetStream's error codes.
    private static let noRecordFound: Int64 = 10_037
    private static let noSequenceFound: Int64 = 10_043
    private static let deletionFailed: Int64 = 10_057
    private static let noStreamFound: Int64 = 10_059

    private let engine: any NATSRequesting
    private let system: any NATSRequesting
    let names: StreamNames
    private let created: @Sendable () async -> String?
    private let isProven = Locked(false)

    /// Creates a reference to a stream's list of deleted records.
    ///
    /// - Parameters:
    ///   - engine: The NATS cluster with the list.
    ///   - system: A connection that may request the servers' reports; the same as `engine` if its user may do so.
    ///   - created: Returns the stream's creation time, as NATS reports it; nil while unknown. Entries for an earlier
    ///     stream of the same name are ignored.
    init(
        _ engine: any NATSRequesting,
        system: any NATSRequesting,
        names: StreamNames,
        created: @escaping @Sendable () async -> String?
    ) {
        self.engine = engine
        self.system = system
        self.names = names
        self.created = created
    }

    // MARK: Reading

    /// Looks up a missing record and the records that follow it.
    ///
    /// Any server with a copy of the list may answer. Only the list's leader can confirm that a record is not listed.
    ///
    /// - Parameters:
    ///   - first: The sequence of the missing record.
    ///   - last: The sequence of the last record to look up.
    func lookUp(from first: UInt64, upTo last: UInt64) async -> Lookup {
        switch await fetch(first...min(max(first, last), first + Self.sequencesPerRequest - 1)) {
        case .failure(let failure): return .unavailable(failure.description)
        case .success(let found):
            var listed: [DeletedRecordEntry] = []
            while let record = found[first + UInt64(listed.count)] { listed.append(record) }
            if !listed.isEmpty { return .listed(listed) }
        }
        return await askLeader(about: first)
    }

    /// Returns the first sequence of the listed run directly before a record.
    ///
    /// Returns the sequence of that record itself if the record directly before it is not listed.
    ///
    /// - Throws: ``StreamMaintenanceError`` if the list currently cannot be read.
    func startOfListedRun(before sequence: UInt64) async throws(StreamMaintenanceError) -> UInt64 {
        var first = sequence
        while first > 1 {
            let lower = first > Self.sequencesPerRequest ? first - Self.sequencesPerRequest : 1
            let entries = try await fetch(lower...first - 1).get()
            var next = first
            while next > lower, entries[next - 1] != nil { next -= 1 }
            if next == first {
                // The answering server's copy of the list may lag behind.
                guard case .unavailable(let reason) = await askLeader(about: first - 1) else { return first }
                throw StreamMaintenanceError("The stream \(names.erased) cannot currently be read: \(reason).")
            }
            first = next
        }
        return first
    }

    /// Returns the entries for the given sequences in a server's copy of the list.
    private func fetch(
        _ sequences: ClosedRange<UInt64>
    ) async -> Result<[UInt64: DeletedRecordEntry], StreamMaintenanceError> {
        guard let created = await created() else {
            return .failure(StreamMaintenanceError("NATS has not reported on the stream \(names.stream) yet"))
        }
        let body = JSONWriter.withThreadBuffer { writer -> [UInt8] in
            writer.beginObject()
            writer.list("multi_last", Array(sequences)) { sequence, writer in
                writer.string(self.names.erasedSubject(of: sequence))
            }
            writer.endObject()
            return writer.array()
        }
        let messages: [NATSMessage]
        do {
            messages = try await engine.collect(
                "$JS.API.DIRECT.GET.\(names.erased)",
                body: body,
                upTo: sequences.count + 1,
                within: Self.requestTimeout
            )
        } catch {
            let reason = PublishOutcome(error).reason ?? "the NATS cluster is not responding"
            return .failure(StreamMaintenanceError("its list of erased records cannot be read: \(reason)"))
        }
        var found: [UInt64: DeletedRecordEntry] = [:]
        for message in messages {
            if let status = message.status {
                // 404: none are listed. 503: no server has a copy, or the list does not exist; the list's leader
                // distinguishes these cases.
                guard [204, 404, 503].contains(status) else {
                    return .failure(StreamMaintenanceError("its list of erased records returned status \(status)"))
                }
                break
            }
            guard let record = DeletedRecordEntry(json: message.body, of: created), sequences.contains(record.sequence)
            else {
                continue
            }
            found[record.sequence] = record
        }
        return .success(found)
    }

    /// Asks the list's leader about a record that a server's copy does not have.
    private func askLeader(about sequence: UInt64) async -> Lookup {
        do throws(StreamMaintenanceError) {
            if try await isEmpty(names.erasedSubject(of: sequence)) { return .unlisted }
        } catch {
            return .unavailable(error.description)
        }
        return .unavailable("a server's copy of its list of erased records is incomplete")
    }

    /// Returns whether the list does not exist, or its leader has no record with this subject.
    private func isEmpty(_ subject: String) async throws(StreamMaintenanceError) -> Bool {
        let answer = try await request(
            "$JS.API.STREAM.MSG.GET.\(names.erased)",
            body: Array("{\"last_by_subj\":\"\(subject)\"}".utf8)
        )
        let number = Self.errorNumber(answer)
        return number == Self.noRecordFound || number == Self.noStreamFound
    }

    /// Returns the number of listed records.
    ///
    /// Returns 0 if the list does not exist.
    ///
    /// - Throws: ``StreamMaintenanceError``.
    package func count() async throws(StreamMaintenanceError) -> UInt64 {
        let answer = try await request(
            "$JS.API.STREAM.INFO.\(names.erased)",
            body: Array("{\"subjects_filter\":\"\(names.erasedProgress)\"}".utf8)
        )
        if Self.errorNumber(answer) == Self.noStreamFound { return 0 }
        // An invalid answer has no count.
        guard answer.status == nil, let state = (try? JSONValue.parse(answer.body))?["state"],
            let records = state["messages"]?.integer
        else { throw StreamMaintenanceError("NATS does not report on the stream \(names.erased).") }
        let others = state["subjects"]?.object?.members.count ?? 0
        return UInt64(max(0, records - Int64(others)))
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
            throw StreamMaintenanceError("The stream \(names.erased) cannot be reached: \(reason).")
        }
    }

    /// Whether the answer to a deletion reports that the record does not exist.
    static func isMissing(_ answer: JSONValue?) -> Bool {
        guard let error = answer?["error"], let number = error["err_code"]?.integer else { return false }
        return [noRecordFound, noSequenceFound].contains(number)
            || number == deletionFailed && error["description"]?.string == "no message found"
    }

    private static func errorNumber(_ answer: NATSMessage) -> Int64? {
        // An invalid answer has no error code.
        (try? JSONValue.parse(answer.body))?["error"]?["err_code"]?.integer
    }
}

extension DeletionIndex: DeletedRecordList {
    package func prepare() async throws(StreamMaintenanceError) {
        if isProven.withLock({ $0 }) { return }
        do {
            _ = try await StreamSetup(erasedOf: names).createIfMissing(on: engine)
        } catch {
            throw StreamMaintenanceError(error.description)
        }
        let (result, _, _) = await DurabilityCheck(engine, system: system, stream: names.erased) { [names] in
            var requirements = DecisionStream.requirements(names.erasedSubjects)
            requirements.keepsLast = true
            return requirements
        }.run()
        switch result {
        case .verdict(.proven): isProven.withLock { $0 = true }
        case .verdict(.unproven(let faults)):
            throw StreamMaintenanceError(
                "Deletions from the stream \(names.stream) could not be listed safely: "
                    + faults.map(\.description).joined(separator: " ")
            )
        case .failed(let reason), .closed(let reason):
            throw StreamMaintenanceError("The settings of the stream \(names.erased) are unknown: \(reason).")
        }
    }

    package func progress() async throws(StreamMaintenanceError) -> ErasureProgress {
        let created = try await creationTime()
        let answer = try await request(
            "$JS.API.DIRECT.GET.\(names.erased)",
            body: Array("{\"last_by_subj\":\"\(names.erasedProgress)\"}".utf8)
        )
        // A lagging server's answer only causes more records than necessary to be searched.
        if answer.status == nil { return ErasureProgress(json: answer.body, of: created) ?? ErasureProgress() }
        if try await isEmpty(names.erasedProgress) { return ErasureProgress() }
        throw StreamMaintenanceError("The stream \(names.erased) cannot currently be read.")
    }

    package func save(_ progress: ErasureProgress) async throws(StreamMaintenanceError) {
        try await publish(progress.json(of: try await creationTime()), to: names.erasedProgress)
    }

    package func append(_ record: DeletedRecordEntry) async throws(StreamMaintenanceError) {
        try await publish(record.json(of: try await creationTime()), to: names.erasedSubject(of: record.sequence))
    }

    package func delete(_ sequence: UInt64) async throws(StreamMaintenanceError) {
        let subject = "$JS.API.STREAM.MSG.DELETE.\(names.stream)"
        let answer: NATSMessage
        do {
            answer = try await engine.request(
                subject,
                headers: nil,
                body: Array("{\"seq\":\(sequence),\"no_erase\":false}".utf8),
                within: Self.requestTimeout
            )
        } catch {
            guard case .unanswered = error else {
                let reason = PublishOutcome(error).reason ?? "the NATS cluster is not responding"
                throw StreamMaintenanceError("The stream \(names.stream) cannot be reached: \(reason).")
            }
            // A server does not answer a user who lacks the permission.
            throw StreamMaintenanceError(
                "Erased records stay in \(names.stream), because deletion requests get no response: the "
                    + "stream has no leader, or the forwarder's user cannot publish to \(subject). If this persists, "
                    + "allow it in NATS."
            )
        }
        // An invalid answer does not prove success.
        let json = answer.status == nil ? try? JSONValue.parse(answer.body) : nil
        if json?["success"]?.boolean == true { return }
        // Another process has already deleted the record.
        if Self.isMissing(json) { return }
        let reason = json?["error"]?["description"]?.string.map { "NATS reported “\($0)”" }
        throw StreamMaintenanceError(
            "Erased records stay in \(names.stream): \(reason ?? "it has no leader"). Make sure that it has no "
                + "deny_delete, and that the forwarder's user is allowed to publish to \(subject)."
        )
    }

    private func creationTime() async throws(StreamMaintenanceError) -> String {
        if let created = await created() { return created }
        throw StreamMaintenanceError("NATS has not reported on the stream \(names.stream) yet.")
    }

    private func publish(_ body: [UInt8], to subject: String) async throws(StreamMaintenanceError) {
        let answer = try await request(subject, headers: ["Nats-Expected-Stream": names.erased], body: body)
        switch PublishOutcome(answer, stream: names.erased) {
        case .stored: return
        case .notStored(let reason), .misconfigured(let reason), .full(let reason), .unknown(let reason):
            // The stream may have been replaced or deleted, so its durability is checked again before the next use.
            isProven.withLock { $0 = false }
            throw StreamMaintenanceError("The stream \(names.erased) does not accept deletions: \(reason).")
        case .inProgress:
            throw StreamMaintenanceError(
                "The stream \(names.erased) has not accepted the deletion yet: NATS is still processing it."
            )
        }
    }
}

extension StreamNames {
    /// Returns the placeholder for a deleted record.
    func substitute(for record: DeletedRecordEntry) -> StreamedRecord {
        record.replacementRecord(
            from: LogPosition(stream: number, sequence: record.sequence),
            to: position(after: record.sequence)
        )
    }
}
