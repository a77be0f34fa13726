// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import CollectorCore
internal import TrackwayCore
package import TrackwayJournal

/// The replacements of a stream's records from which erased people were removed.
///
/// A separate stream with one record per replaced record, under a subject with the replaced sequence. Readers look up
/// each gap of their stream here, after the list of deleted records (``DeletionIndex``). Safe from any thread.
final class RewrittenRecords: Sendable {
    /// The result of looking up a missing record.
    enum Lookup: Sendable, Hashable {
        /// The replacements of this record and of those that follow it without a gap.
        case found([StreamedRecord])
        /// The record has no replacement.
        case missing
        /// The replacements currently cannot be read. Carries the reason, as a clause.
        case unavailable(String)
    }

    private enum Header {
        static let rewrite = "Trackway-Rewrite"
        static let stream = "Trackway-Stream"
        static let sequence = "Nats-Sequence"
    }

    /// The maximum number of replacements per request.
    private static let sequencesPerRequest: UInt64 = 64
    private static let requestTimeout: Duration = .seconds(5)
    /// JetStream's error codes.
    private static let noRecordFound: Int64 = 10_037
    private static let noStreamFound: Int64 = 10_059

    private let engine: any NATSRequesting
    private let system: any NATSRequesting
    private let names: StreamNames
    private let created: @Sendable () async -> String?
    private let isProven = Locked(false)

    /// Creates a reference to a stream's replacements.
    ///
    /// - Parameters:
    ///   - engine: The NATS cluster with the streams.
    ///   - system: A connection that may request the servers' reports; the same as `engine` if its user may do so.
    ///   - created: Returns the stream's creation time, as NATS reports it; nil while unknown. Replacements of records
    ///     of an earlier stream of the same name are ignored.
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
    func lookUp(from first: UInt64, upTo last: UInt64) async -> Lookup {
        switch await fetch(first...min(max(first, last), first + Self.sequencesPerRequest - 1)) {
        case .failure(let failure): return .unavailable(failure.description)
        case .success(let found):
            var records: [StreamedRecord] = []
            while let record = found[first + UInt64(records.count)] { records.append(record) }
            return records.isEmpty ? await askLeader(about: first) : .found(records)
        }
    }

    /// Returns the first sequence of the replaced records directly before a record.
    ///
    /// Returns the sequence of that record itself if the record directly before it has no replacement.
    ///
    /// - Throws: ``StreamMaintenanceError`` if the replacements currently cannot be read.
    func startOfRun(before sequence: UInt64) async throws(StreamMaintenanceError) -> UInt64 {
        var first = sequence
        while first > 1 {
            let lower = first > Self.sequencesPerRequest ? first - Self.sequencesPerRequest : 1
            let found = try await fetch(lower...first - 1).get()
            var next = first
            while next > lower, found[next - 1] != nil { next -= 1 }
            if next == first {
                // The answering server's copy may lag behind.
                guard case .unavailable(let reason) = await askLeader(about: first - 1) else { return first }
                throw StreamMaintenanceError("The stream \(names.rewritten) cannot currently be read: \(reason).")
            }
            first = next
        }
        return first
    }

    private func fetch(
        _ sequences: ClosedRange<UInt64>
    ) async -> Result<[UInt64: StreamedRecord], StreamMaintenanceError> {
        guard let created = await created() else {
            return .failure(StreamMaintenanceError("NATS has not reported on the stream \(names.stream) yet"))
        }
        let messages: [NATSMessage]
        do {
            messages = try await engine.collect(
                "$JS.API.DIRECT.GET.\(names.rewritten)",
                body: JSONWriter.withThreadBuffer { [names] writer -> [UInt8] in
                    writer.beginObject()
                    writer.list("multi_last", Array(sequences)) { $1.string(names.rewrittenSubject(of: $0)) }
                    writer.member("max_bytes", Int64(8 << 20))
                    writer.endObject()
                    return writer.array()
                },
                upTo: sequences.count + 1,
                within: Self.requestTimeout
            )
        } catch {
            let reason = PublishOutcome(error).reason ?? "the NATS cluster is not responding"
            return .failure(StreamMaintenanceError("its replaced records cannot be read: \(reason)"))
        }
        var found: [UInt64: StreamedRecord] = [:]
        for message in messages {
            if message.status != nil, message.headers?[Header.sequence] == nil { break }
            guard let record = record(message, of: created), sequences.contains(record.start.streamSequence) else {
                continue
            }
            found[record.start.streamSequence] = record
        }
        return .success(found)
    }

    private func record(_ message: NATSMessage, of created: String) -> StreamedRecord? {
        guard let headers = message.headers, headers[Header.stream] == created,
            let subject = headers["Nats-Subject"],
            let sequence = subject.split(separator: ".").last.flatMap({ UInt64($0) }),
            let kind = headers[StreamNames.kindHeader].flatMap({ FrameKind(streamName: $0) })
        else { return nil }
        var record = StreamedRecord(
            kind: kind,
            start: LogPosition(stream: names.number, sequence: sequence),
            end: names.position(after: sequence),
            payload: message.body
        )
        record.rewrite = headers[Header.rewrite].flatMap { RecordRewrite($0) }
        return record
    }

    /// Asks the leader about a record whose replacement a server's copy does not have.
    private func askLeader(about sequence: UInt64) async -> Lookup {
        do throws(StreamMaintenanceError) {
            let subject = names.rewrittenSubject(of: sequence)
            let number = try await leaderError("{\"last_by_subj\":\"\(subject)\"}").number
            if number == Self.noRecordFound || number == Self.noStreamFound { return .missing }
        } catch {
            return .unavailable(error.description)
        }
        return .unavailable("a server's copy of its replaced records is incomplete")
    }

    /// Requests a record from the leader.
    ///
    /// - Returns: JetStream's error code, or the record's sequence.
    private func leaderError(_ query: String) async throws(StreamMaintenanceError) -> (
        number: Int64?, sequence: UInt64?
    ) {
        let answer = try await request("$JS.API.STREAM.MSG.GET.\(names.rewritten)", body: Array(query.utf8))
        // An invalid answer has neither.
        let json = try? JSONValue.parse(answer.body)
        let sequence = json?["message"]?["seq"]?.integer.map { UInt64(clamping: $0) }
        guard sequence != nil || json?["error"] != nil else {
            throw StreamMaintenanceError("The stream \(names.rewritten) cannot currently be read.")
        }
        return (json?["error"]?["err_code"]?.integer, sequence)
    }

    // MARK: Writing

    /// Creates the stream if missing, and verifies its durability.
    func prepare() async throws(StreamMaintenanceError) {
        if isProven.withLock({ $0 }) { return }
        do {
            _ = try await StreamSetup(rewrittenOf: names).createIfMissing(on: engine)
        } catch {
            throw StreamMaintenanceError(error.description)
        }
        let (result, _, _) = await DurabilityCheck(engine, system: system, stream: names.rewritten) { [names] in
            DecisionStream.requirements(names.rewrittenSubjects)
        }.run()
        switch result {
        case .verdict(.proven): isProven.withLock { $0 = true }
        case .verdict(.unproven(let faults)):
            throw StreamMaintenanceError(
                "Records of the stream \(names.stream) could not be replaced safely: "
                    + faults.map(\.description).joined(separator: " ")
            )
        case .failed(let reason), .closed(let reason):
            throw StreamMaintenanceError("The settings of the stream \(names.rewritten) are unknown: \(reason).")
        }
    }

    /// Stores a replacement.
    func store(
        _ sequence: UInt64,
        _ kind: FrameKind,
        _ payload: [UInt8],
        _ rewrite: RecordRewrite
    ) async throws(StreamMaintenanceError) {
        guard let created = await created() else {
            throw StreamMaintenanceError("NATS has not reported on the stream \(names.stream) yet.")
        }
        let answer = try await request(
            names.rewrittenSubject(of: sequence),
            headers: [
                "Nats-Expected-Stream": names.rewritten, StreamNames.kindHeader: kind.streamName,
                Header.stream: created, Header.rewrite: rewrite.text,
            ],
            body: payload
        )
        guard case .stored = PublishOutcome(answer, stream: names.rewritten) else {
            // The stream may have been replaced, so its durability is checked again before the next use.
            isProven.withLock { $0 = false }
            let reason = PublishOutcome(answer, stream: names.rewritten).reason ?? "NATS is still processing it"
            throw StreamMaintenanceError("The stream \(names.rewritten) does not accept a replacement: \(reason).")
        }
    }

    /// Deletes all replacements of a record except the last, and overwrites their bytes.
    ///
    /// - Parameter includesLast: Whether to delete the last one, too.
    func removeEarlier(of sequence: UInt64, includesLast: Bool = false) async throws(StreamMaintenanceError) {
        let subject = names.rewrittenSubject(of: sequence)
        let found = try await leaderError("{\"last_by_subj\":\"\(subject)\"}").sequence
        guard let last = found.map({ includesLast ? $0 + 1 : $0 }) else { return }
        while let first = try await leaderError("{\"seq\":1,\"next_by_subj\":\"\(subject)\"}").sequence, first < last {
            let answer = try await request(
                "$JS.API.STREAM.MSG.DELETE.\(names.rewritten)",
                body: Array("{\"seq\":\(first),\"no_erase\":false}".utf8)
            )
            let json = try? JSONValue.parse(answer.body)  // An invalid answer does not prove success.
            guard json?["success"]?.boolean == true || DeletionIndex.isMissing(json) else {
                throw StreamMaintenanceError(
                    "An earlier replacement stays in \(names.rewritten). Make sure that the forwarder's user is "
                        + "allowed to publish to $JS.API.STREAM.MSG.DELETE.\(names.rewritten)."
                )
            }
        }
    }

    /// Deletes all replacements that were replaced themselves.
    func removeAllEarlier() async throws(StreamMaintenanceError) {
        for (sequence, count) in try await sequences() where count > 1 { try await removeEarlier(of: sequence) }
    }

    /// Deletes the replacements of all records before a sequence.
    func removeAll(before sequence: UInt64) async throws(StreamMaintenanceError) {
        for (replaced, _) in try await sequences() where replaced < sequence {
            try await removeEarlier(of: replaced, includesLast: true)
        }
    }

    /// Returns the replaced sequences, with the number of their replacements.
    private func sequences() async throws(StreamMaintenanceError) -> [(sequence: UInt64, count: Int64)] {
        var found: [(sequence: UInt64, count: Int64)] = []
        var offset = 0
        while true {
            let answer = try await request(
                "$JS.API.STREAM.INFO.\(names.rewritten)",
                body: Array("{\"subjects_filter\":\"\(names.rewrittenSubjects)\",\"offset\":\(offset)}".utf8)
            )
            let json = try? JSONValue.parse(answer.body)  // An invalid answer has no subjects.
            if json?["error"]?["err_code"]?.integer == Self.noStreamFound { return [] }
            guard let state = json?["state"], let messages = state["messages"]?.integer else {
                throw StreamMaintenanceError("NATS does not report on the stream \(names.rewritten).")
            }
            let subjects = state["subjects"]?.object?.members ?? []
            found += subjects.compactMap { subject in
                subject.key.split(separator: ".").last.flatMap { UInt64($0) }.map { ($0, subject.value.integer ?? 0) }
            }
            offset += subjects.count
            if subjects.isEmpty || Int64(offset) >= messages { return found }
        }
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
            throw StreamMaintenanceError("The stream \(names.rewritten) cannot be reached: \(reason).")
        }
    }
}

extension StreamNames {
    /// The stream with the replacements of this stream's records.
    package var rewritten: String { "REWRITTEN_\(number)" }

    /// The subjects of replacements.
    var rewrittenSubjects: String { "rewritten.\(number).*" }

    /// Returns the subject of a record's replacement.
    func rewrittenSubject(of sequence: UInt64) -> String { "rewritten.\(number).\(sequence)" }

    /// The stream with the requests and receipts of erasures.
    package var erasures: String { "ERASURES_\(number)" }

    /// The subjects of erasures.
    var erasureSubjects: String { "erasures.\(number).>" }
}

extension DeletionIndexSet: RecordRewriting {
    package func prepareRewriting() async throws(StreamMaintenanceError) { try await rewrites(0).prepare() }

    package func replace(
        _ sequence: UInt64,
        _ kind: FrameKind,
        _ payload: [UInt8],
        _ rewrite: RecordRewrite
    ) async throws(StreamMaintenanceError) {
        let location = try await location(of: sequence)
        let rewrites = rewrites(location.stream)
        if location.stream > 0 { try await rewrites.prepare() }
        try await rewrites.store(location.sequence, kind, payload, rewrite)
        try await ensureSuccessor(of: location.sequence, in: StreamNames(number: location.stream))
        try await list(location.stream).delete(location.sequence)
        try await rewrites.removeEarlier(of: location.sequence)
    }

    package func removeSuperseded() async throws(StreamMaintenanceError) {
        for stream in 0...(order.ends.keys.max() ?? 0) { try await rewrites(stream).removeAllEarlier() }
    }
}
