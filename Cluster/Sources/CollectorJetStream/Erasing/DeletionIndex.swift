// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import Collector
internal import TrackwayEvents
internal import TrackwayJournal

/// The list of records deleted from a stream, once all their events were erased.
///
/// A separate stream with one record for each, under a subject with the deleted sequence. Readers of the stream look up
/// each gap in it. Safe from any thread.
package final class DeletionIndex: Sendable {
    /// What is known about a missing record.
    enum Answer: Sendable, Hashable {
        /// It is listed.
        ///
        /// Includes the listed records that follow it without a gap.
        case listed([DeletedRecordEntry])
        /// It is not listed.
        case unlisted
        /// The list cannot be read now, with the reason as a clause.
        case unavailable(String)
    }

    /// The number of sequences per request.
    ///
    /// NATS answers about at most 1,024 subjects.
    static let stretch: UInt64 = 256
    private static let answerTime: Duration = .seconds(5)
    /// JetStream's error codes.
    private static let noRecordFound: Int64 = 10_037
    private static let noSequenceFound: Int64 = 10_043
    private static let noStreamFound: Int64 = 10_059

    private let engine: any NATSRequesting
    private let system: any NATSRequesting
    let place: StreamNames
    private let created: @Sendable () async -> String?
    private let isProven = Locked(false)

    /// Creates the list of a stream.
    ///
    /// - Parameters:
    ///   - engine: The NATS cluster with the list.
    ///   - system: May request reports from the servers. The same as `engine` if that user may.
    ///   - created: Returns the stream's creation time, as NATS reports it; nil while unknown. Entries for an earlier
    ///     stream of the same name are ignored.
    init(
        _ engine: any NATSRequesting,
        system: any NATSRequesting,
        place: StreamNames,
        created: @escaping @Sendable () async -> String?
    ) {
        self.engine = engine
        self.system = system
        self.place = place
        self.created = created
    }

    // MARK: Reading

    /// Returns what is known about a missing record and its successors.
    ///
    /// Any server with a copy of the list may answer. Only the list's leader can confirm that a record is not listed.
    ///
    /// - Parameters:
    ///   - first: The missing record.
    ///   - last: The last record to look up.
    func answer(from first: UInt64, upTo last: UInt64) async -> Answer {
        switch await found(first...min(max(first, last), first + Self.stretch - 1)) {
        case .failure(let failure): return .unavailable(failure.description)
        case .success(let found):
            var listed: [DeletedRecordEntry] = []
            while let record = found[first + UInt64(listed.count)] { listed.append(record) }
            if !listed.isEmpty { return .listed(listed) }
        }
        return await opinion(of: first)
    }

    /// Returns the first listed record of the run that precedes a record.
    ///
    /// Returns that record itself if none are listed.
    ///
    /// - Throws: ``StreamMaintenanceError`` if the list cannot be read now.
    func beginning(before sequence: UInt64) async throws(StreamMaintenanceError) -> UInt64 {
        var first = sequence
        while first > 1 {
            let lower = first > Self.stretch ? first - Self.stretch : 1
            let entries = try await found(lower...first - 1).get()
            var next = first
            while next > lower, entries[next - 1] != nil { next -= 1 }
            if next == first {
                // A copy of the list may lag.
                guard case .unavailable(let reason) = await opinion(of: first - 1) else { return first }
                throw StreamMaintenanceError("The stream \(place.erased) cannot currently be read: \(reason).")
            }
            first = next
        }
        return first
    }

    /// Returns which of the records a server's copy of the list contains.
    private func found(
        _ sequences: ClosedRange<UInt64>
    ) async -> Result<[UInt64: DeletedRecordEntry], StreamMaintenanceError> {
        guard let created = await created() else {
            return .failure(StreamMaintenanceError("NATS has not reported on the stream \(place.stream) yet"))
        }
        let body = JSONWriter.withThreadBuffer { writer -> [UInt8] in
            writer.beginObject()
            writer.list("multi_last", Array(sequences)) { sequence, writer in
                writer.string(self.place.erasedSubject(of: sequence))
            }
            writer.endObject()
            return writer.array()
        }
        let messages: [NATSMessage]
        do {
            messages = try await engine.collect(
                "$JS.API.DIRECT.GET.\(place.erased)",
                body: body,
                upTo: sequences.count + 1,
                within: Self.answerTime
            )
        } catch {
            let reason = PublishOutcome(error).reason ?? "the NATS cluster does not answer"
            return .failure(StreamMaintenanceError("its list of erased records cannot be read: \(reason)"))
        }
        var found: [UInt64: DeletedRecordEntry] = [:]
        for message in messages {
            if let status = message.status {
                // 404: none are listed. 503: no server has a copy, or the list does not exist; its leader knows which.
                guard [204, 404, 503].contains(status) else {
                    return .failure(StreamMaintenanceError("its list of erased records answered with status \(status)"))
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

    /// Asks the list's leader about a record that a copy does not have.
    private func opinion(of sequence: UInt64) async -> Answer {
        do throws(StreamMaintenanceError) {
            if try await isEmpty(place.erasedSubject(of: sequence)) { return .unlisted }
        } catch {
            return .unavailable(error.description)
        }
        return .unavailable("a server's copy of its list of erased records is incomplete")
    }

    /// Whether the list's leader has no such record, or the list does not exist.
    private func isEmpty(_ subject: String) async throws(StreamMaintenanceError) -> Bool {
        let answer = try await ask(
            "$JS.API.STREAM.MSG.GET.\(place.erased)",
            body: Array("{\"last_by_subj\":\"\(subject)\"}".utf8)
        )
        let number = Self.errorNumber(answer)
        return number == Self.noRecordFound || number == Self.noStreamFound
    }

    /// Returns the number of listed records; 0 if the list does not exist.
    ///
    /// - Throws: ``StreamMaintenanceError``.
    package func count() async throws(StreamMaintenanceError) -> UInt64 {
        let answer = try await ask(
            "$JS.API.STREAM.INFO.\(place.erased)",
            body: Array("{\"subjects_filter\":\"\(place.erasedProgress)\"}".utf8)
        )
        if Self.errorNumber(answer) == Self.noStreamFound { return 0 }
        // An invalid answer has no count.
        guard answer.status == nil, let state = (try? JSONValue.parse(answer.body))?["state"],
            let records = state["messages"]?.integer
        else { throw StreamMaintenanceError("NATS does not report on the stream \(place.erased).") }
        let others = state["subjects"]?.object?.members.count ?? 0
        return UInt64(max(0, records - Int64(others)))
    }

    private func ask(
        _ subject: String,
        headers: NATSHeaders? = nil,
        body: [UInt8]
    ) async throws(StreamMaintenanceError) -> NATSMessage {
        do {
            return try await engine.request(subject, headers: headers, body: body, within: Self.answerTime)
        } catch {
            let reason = PublishOutcome(error).reason ?? "the NATS cluster does not answer"
            throw StreamMaintenanceError("The stream \(place.erased) cannot be reached: \(reason).")
        }
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
            _ = try await StreamSetup(erasedOf: place).make(on: engine)
        } catch {
            throw StreamMaintenanceError(error.description)
        }
        let (look, _, _) = await DurabilityCheck(engine, system: system, stream: place.erased) { [place] in
            var demands = DecisionStream.demands(place.erasedSubjects)
            demands.keepsLast = true
            return demands
        }.run()
        switch look {
        case .verdict(.proven): isProven.withLock { $0 = true }
        case .verdict(.unproven(let faults)):
            throw StreamMaintenanceError(
                "Deletions from the stream \(place.stream) could not be listed safely: "
                    + faults.map(\.description).joined(separator: " ")
            )
        case .failed(let reason), .closed(let reason):
            throw StreamMaintenanceError("The settings of the stream \(place.erased) are unknown: \(reason).")
        }
    }

    package func progress() async throws(StreamMaintenanceError) -> ErasureProgress {
        let created = try await known()
        let answer = try await ask(
            "$JS.API.DIRECT.GET.\(place.erased)",
            body: Array("{\"last_by_subj\":\"\(place.erasedProgress)\"}".utf8)
        )
        // If a copy lags, more records than necessary are searched.
        if answer.status == nil { return ErasureProgress(json: answer.body, of: created) ?? ErasureProgress() }
        if try await isEmpty(place.erasedProgress) { return ErasureProgress() }
        throw StreamMaintenanceError("The stream \(place.erased) cannot currently be read.")
    }

    package func note(_ progress: ErasureProgress) async throws(StreamMaintenanceError) {
        try await publish(progress.json(of: try await known()), to: place.erasedProgress)
    }

    package func list(_ record: DeletedRecordEntry) async throws(StreamMaintenanceError) {
        try await publish(record.json(of: try await known()), to: place.erasedSubject(of: record.sequence))
    }

    package func delete(_ sequence: UInt64) async throws(StreamMaintenanceError) {
        let subject = "$JS.API.STREAM.MSG.DELETE.\(place.stream)"
        let answer: NATSMessage
        do {
            answer = try await engine.request(
                subject,
                headers: nil,
                body: Array("{\"seq\":\(sequence),\"no_erase\":false}".utf8),
                within: Self.answerTime
            )
        } catch {
            guard case .unanswered = error else {
                let reason = PublishOutcome(error).reason ?? "the NATS cluster does not answer"
                throw StreamMaintenanceError("The stream \(place.stream) cannot be reached: \(reason).")
            }
            // A server does not answer a user without the permission.
            throw StreamMaintenanceError(
                "Erased records stay in \(place.stream), because deletions get no answer: it has no leader, or the "
                    + "forwarder's user cannot publish to \(subject). If this persists, allow it in NATS."
            )
        }
        // An invalid answer does not prove success.
        let json = answer.status == nil ? try? JSONValue.parse(answer.body) : nil
        if json?["success"]?.boolean == true { return }
        // Another process has already deleted it.
        if let number = Self.errorNumber(answer), [Self.noRecordFound, Self.noSequenceFound].contains(number) {
            return
        }
        let words = json?["error"]?["description"]?.string.map { "NATS reported “\($0)”" }
        throw StreamMaintenanceError(
            "Erased records stay in \(place.stream): \(words ?? "it has no leader"). Make sure that it has no "
                + "deny_delete, and that the forwarder's user is allowed to publish to \(subject)."
        )
    }

    private func known() async throws(StreamMaintenanceError) -> String {
        if let created = await created() { return created }
        throw StreamMaintenanceError("NATS has not reported on the stream \(place.stream) yet.")
    }

    private func publish(_ body: [UInt8], to subject: String) async throws(StreamMaintenanceError) {
        let answer = try await ask(subject, headers: ["Nats-Expected-Stream": place.erased], body: body)
        switch PublishOutcome(answer, stream: place.erased) {
        case .stored: return
        case .notStored(let reason), .misconfigured(let reason), .full(let reason), .unknown(let reason):
            // It may have been replaced or deleted, so it is checked again before the next use.
            isProven.withLock { $0 = false }
            throw StreamMaintenanceError("The stream \(place.erased) does not accept deletions: \(reason).")
        case .inProcess:
            throw StreamMaintenanceError(
                "The stream \(place.erased) does not accept the deletion yet: it is still processing it."
            )
        }
    }
}

extension StreamNames {
    /// Returns the placeholder for a deleted record.
    func substitute(for record: DeletedRecordEntry) -> StreamedRecord {
        record.substitute(
            from: LogPosition(stream: number, sequence: record.sequence),
            to: position(behind: record.sequence)
        )
    }
}
