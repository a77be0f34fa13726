// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import Collector
internal import TrackwayEvents
internal import TrackwayJournal

/// The list of the records that were deleted from a stream since everything in them was erased: a stream of its own beside it, with one
/// record for each, under a subject that names the sequence. Whoever reads the stream asks it about each hole. Safe from any thread.
package final class ErasedList: Sendable {
    /// What is known about a record that is missing.
    enum Answer: Sendable, Hashable {
        /// It is listed, and so are those behind it, each the one behind the one before.
        case listed([ErasedRecord])
        /// It is not listed.
        case unlisted
        /// That is not known now, half a sentence says why.
        case unavailable(String)
    }

    /// So many sequences are asked about at once. The engine answers about 1,024 subjects at the most.
    static let stretch: UInt64 = 256
    private static let answerTime: Duration = .seconds(5)
    /// JetStream's numbers of errors.
    private static let noRecordFound: Int64 = 10_037
    private static let noSequenceFound: Int64 = 10_043
    private static let noStreamFound: Int64 = 10_059

    private let engine: any StreamEngine
    private let system: any StreamEngine
    let place: StreamPlace
    private let created: @Sendable () async -> String?
    private let isProven = Locked(false)

    /// The list of a stream.
    ///
    /// - Parameters:
    ///   - engine: Where it is.
    ///   - system: May ask the servers about themselves; the same as `engine` where that may.
    ///   - created: When the stream was made, in the engine's words; nil while that is not known. What was deleted from another stream of
    ///     its name says nothing about this one.
    init(
        _ engine: any StreamEngine,
        system: any StreamEngine,
        place: StreamPlace,
        created: @escaping @Sendable () async -> String?
    ) {
        self.engine = engine
        self.system = system
        self.place = place
        self.created = created
    }

    // MARK: Asking

    /// What is known about a record that is missing, and about those behind it.
    ///
    /// Any server that has a copy of the list answers. That a record is not listed is believed of the list's leader alone.
    ///
    /// - Parameters:
    ///   - first: The record that is missing.
    ///   - last: The last one that is asked about.
    func answer(from first: UInt64, upTo last: UInt64) async -> Answer {
        switch await found(first...min(max(first, last), first + Self.stretch - 1)) {
        case .failure(let failure): return .unavailable(failure.description)
        case .success(let found):
            var listed: [ErasedRecord] = []
            while let record = found[first + UInt64(listed.count)] { listed.append(record) }
            if !listed.isEmpty { return .listed(listed) }
        }
        return await opinion(of: first)
    }

    /// The first record from which on everything before a record is listed; that record itself when the one before it is not.
    ///
    /// - Throws: ``UpkeepFailure`` when the list cannot be read now.
    func beginning(before sequence: UInt64) async throws(UpkeepFailure) -> UInt64 {
        var first = sequence
        while first > 1 {
            let lower = first > Self.stretch ? first - Self.stretch : 1
            let entries = try await found(lower...first - 1).get()
            var next = first
            while next > lower, entries[next - 1] != nil { next -= 1 }
            if next == first {
                // A copy of the list may lag behind.
                guard case .unavailable(let reason) = await opinion(of: first - 1) else { return first }
                throw UpkeepFailure("The stream \(place.erased) cannot be read now: \(reason).")
            }
            first = next
        }
        return first
    }

    /// Those of some records that a server's copy of the list has.
    private func found(
        _ sequences: ClosedRange<UInt64>
    ) async -> Result<[UInt64: ErasedRecord], UpkeepFailure> {
        guard let created = await created() else {
            return .failure(UpkeepFailure("the engine has not told about the stream \(place.stream) yet"))
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
            let reason = PublishOutcome(error).reason ?? "the engine does not answer"
            return .failure(UpkeepFailure("its list of erased records cannot be read: \(reason)"))
        }
        var found: [UInt64: ErasedRecord] = [:]
        for message in messages {
            if let status = message.status {
                // 404: none of them. 503: nobody has a copy, or there is no list; its leader is asked which.
                guard [204, 404, 503].contains(status) else {
                    return .failure(UpkeepFailure("its list of erased records answers with status \(status)"))
                }
                break
            }
            guard let record = ErasedRecord(json: message.body, of: created), sequences.contains(record.sequence) else {
                continue
            }
            found[record.sequence] = record
        }
        return .success(found)
    }

    /// Whether the list's leader has a record that a copy does not have.
    private func opinion(of sequence: UInt64) async -> Answer {
        do throws(UpkeepFailure) {
            if try await isEmpty(place.erasedSubject(of: sequence)) { return .unlisted }
        } catch {
            return .unavailable(error.description)
        }
        return .unavailable("its list of erased records is not known as a whole yet")
    }

    /// Whether the list's leader has nothing under a subject, or there is no list.
    private func isEmpty(_ subject: String) async throws(UpkeepFailure) -> Bool {
        let answer = try await ask(
            "$JS.API.STREAM.MSG.GET.\(place.erased)",
            body: Array("{\"last_by_subj\":\"\(subject)\"}".utf8)
        )
        let number = Self.errorNumber(answer)
        return number == Self.noRecordFound || number == Self.noStreamFound
    }

    /// How many records are listed; 0 where there is no list.
    ///
    /// - Throws: ``UpkeepFailure``.
    package func count() async throws(UpkeepFailure) -> UInt64 {
        let answer = try await ask(
            "$JS.API.STREAM.INFO.\(place.erased)",
            body: Array("{\"subjects_filter\":\"\(place.erasedProgress)\"}".utf8)
        )
        if Self.errorNumber(answer) == Self.noStreamFound { return 0 }
        // What cannot be read names no number.
        guard answer.status == nil, let state = (try? JSONValue.parse(answer.body))?["state"],
            let records = state["messages"]?.integer
        else { throw UpkeepFailure("The engine does not tell about the stream \(place.erased).") }
        let others = state["subjects"]?.object?.members.count ?? 0
        return UInt64(max(0, records - Int64(others)))
    }

    private func ask(
        _ subject: String,
        headers: NATSHeaders? = nil,
        body: [UInt8]
    ) async throws(UpkeepFailure) -> NATSMessage {
        do {
            return try await engine.request(subject, headers: headers, body: body, within: Self.answerTime)
        } catch {
            let reason = PublishOutcome(error).reason ?? "the engine does not answer"
            throw UpkeepFailure("The stream \(place.erased) cannot be reached: \(reason).")
        }
    }

    private static func errorNumber(_ answer: NATSMessage) -> Int64? {
        // An answer that cannot be read names no error.
        (try? JSONValue.parse(answer.body))?["error"]?["err_code"]?.integer
    }
}

extension ErasedList: ErasedRecords {
    package func prepare() async throws(UpkeepFailure) {
        if isProven.withLock({ $0 }) { return }
        do {
            _ = try await StreamSetup(erasedOf: place).make(on: engine)
        } catch {
            throw UpkeepFailure(error.description)
        }
        let (look, _, _) = await DurabilityLook(engine, system: system, stream: place.erased) { [place] in
            var demands = DecisionStream.demands(place.erasedSubjects)
            demands.keepsLast = true
            return demands
        }.run()
        switch look {
        case .verdict(.proven): isProven.withLock { $0 = true }
        case .verdict(.unproven(let faults)):
            throw UpkeepFailure(
                "What is deleted from the stream \(place.stream) could not be listed safely: "
                    + faults.map(\.description).joined(separator: " ")
            )
        case .failed(let reason), .closed(let reason):
            throw UpkeepFailure("What the stream \(place.erased) is like is not known: \(reason).")
        }
    }

    package func progress() async throws(UpkeepFailure) -> ErasureProgress {
        let created = try await known()
        let answer = try await ask(
            "$JS.API.DIRECT.GET.\(place.erased)",
            body: Array("{\"last_by_subj\":\"\(place.erasedProgress)\"}".utf8)
        )
        // Where a copy lags behind more is looked through than has to be.
        if answer.status == nil { return ErasureProgress(json: answer.body, of: created) ?? ErasureProgress() }
        if try await isEmpty(place.erasedProgress) { return ErasureProgress() }
        throw UpkeepFailure("The stream \(place.erased) cannot be read now.")
    }

    package func note(_ progress: ErasureProgress) async throws(UpkeepFailure) {
        try await publish(progress.json(of: try await known()), to: place.erasedProgress)
    }

    package func list(_ record: ErasedRecord) async throws(UpkeepFailure) {
        try await publish(record.json(of: try await known()), to: place.erasedSubject(of: record.sequence))
    }

    package func delete(_ sequence: UInt64) async throws(UpkeepFailure) {
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
                let reason = PublishOutcome(error).reason ?? "the engine does not answer"
                throw UpkeepFailure("The stream \(place.stream) cannot be reached: \(reason).")
            }
            // A server says nothing to who may not ask.
            throw UpkeepFailure(
                "Records of erased installations stay in the stream \(place.stream), as nobody answers whoever deletes them: it has no leader "
                    + "now, or the forwarder's user may not publish to \(subject). If that stays so, allow it in the servers' configuration."
            )
        }
        // What cannot be read says nothing of success.
        let json = answer.status == nil ? try? JSONValue.parse(answer.body) : nil
        if json?["success"]?.boolean == true { return }
        // Somebody has deleted it already.
        if let number = Self.errorNumber(answer), [Self.noRecordFound, Self.noSequenceFound].contains(number) {
            return
        }
        let words = json?["error"]?["description"]?.string.map { "the engine says “\($0)”" }
        throw UpkeepFailure(
            "Records of erased installations stay in the stream \(place.stream): \(words ?? "it has no leader now"). See that it has no "
                + "deny_delete, and that the forwarder's user may publish to \(subject)."
        )
    }

    private func known() async throws(UpkeepFailure) -> String {
        if let created = await created() { return created }
        throw UpkeepFailure("The engine has not told about the stream \(place.stream) yet.")
    }

    private func publish(_ body: [UInt8], to subject: String) async throws(UpkeepFailure) {
        let answer = try await ask(subject, headers: ["Nats-Expected-Stream": place.erased], body: body)
        switch PublishOutcome(answer, stream: place.erased) {
        case .stored: return
        case .notStored(let reason), .misconfigured(let reason), .full(let reason), .unknown(let reason):
            // It may be another one, or gone: looked at anew before it is relied on again.
            isProven.withLock { $0 = false }
            throw UpkeepFailure("The stream \(place.erased) does not take what is deleted: \(reason).")
        case .inProcess:
            throw UpkeepFailure(
                "The stream \(place.erased) does not take what is deleted now: it is being taken already."
            )
        }
    }
}

extension StreamPlace {
    /// What stands in the place of a record that was deleted.
    func substitute(for record: ErasedRecord) -> StreamedRecord {
        record.substitute(
            from: LogPosition(stream: number, sequence: record.sequence),
            to: position(behind: record.sequence)
        )
    }
}
