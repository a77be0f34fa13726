// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import CollectorCore
package import TrackwayCore

/// Removes records that all collectors' indexes have read.
///
/// Tracks which records each index has read.
///
/// Safe from any thread.
///
/// Collectors report in a separate stream, each under its own subject. The stream keeps only the last report of each
/// subject, so collectors do not replace each other's reports.
package final class StreamRetention: StreamMaintenance {
    /// The timeout of a request that all servers must agree on.
    private static let requestTimeout: Duration = .seconds(5)
    private static let time = "Nats-Time-Stamp"

    private let engine: any NATSRequesting
    private let names: StreamNames
    private let deletionIndex: DeletionIndex?
    private let rewrites: RewrittenRecords?

    /// Creates retention for a stream.
    ///
    /// - Parameters:
    ///   - deletionIndex: The records deleted from the stream for erasure; nil for none.
    ///   - rewrites: The replacements of records from which erased people were removed; nil for none.
    init(
        _ engine: any NATSRequesting,
        names: StreamNames,
        deletionIndex: DeletionIndex? = nil,
        rewrites: RewrittenRecords? = nil
    ) {
        self.engine = engine
        self.names = names
        self.deletionIndex = deletionIndex
        self.rewrites = rewrites
    }

    // MARK: Readers

    /// Reports how far a collector's index has read the stream.
    ///
    /// The first report creates the stream for reports.
    ///
    /// - Parameters:
    ///   - name: The collector, as in ``ReaderPosition/name``.
    ///   - next: The sequence of the first record that its index does not have; 1 or more.
    /// - Throws: ``StreamMaintenanceError``; the report may have been stored anyway.
    package func reportPosition(of name: String, next: UInt64) async throws(StreamMaintenanceError) {
        let subject = names.readerSubject(of: name)
        let body = JSONWriter.withThreadBuffer { writer -> [UInt8] in
            writer.beginObject()
            writer.member("collector", name)
            writer.member("next", next)
            // Earlier versions of the collector, which stop at a deleted record, do not send this member.
            writer.member("passes_erased", true)
            writer.endObject()
            return writer.array()
        }
        var outcome = try await publish(body, to: subject)
        if case .stored = outcome { return }
        if case .rejected = outcome {
            do {
                // The stream does not exist yet, or no longer exists.
                _ = try await StreamSetup(readersOf: names).createIfMissing(on: engine)
            } catch {
                throw StreamMaintenanceError(error.description)
            }
            outcome = try await publish(body, to: subject)
        }
        if case .rejected(let reason) = outcome {
            throw StreamMaintenanceError(
                "The stream \(names.readers) does not accept this index's position: \(reason)."
            )
        }
    }

    private enum ReportOutcome: Sendable, Hashable {
        case stored
        case rejected(String)
    }

    private func publish(_ body: [UInt8], to subject: String) async throws(StreamMaintenanceError) -> ReportOutcome {
        let answer = try await request(subject, headers: ["Nats-Expected-Stream": names.readers], body: body)
        switch PublishOutcome(answer, stream: names.readers) {
        case .stored: return .stored
        case .notStored(let reason), .misconfigured(let reason), .full(let reason), .unknown(let reason):
            return .rejected(reason)
        case .inProgress: return .rejected("NATS is still processing it")
        }
    }

    package func readers() async throws(StreamMaintenanceError) -> [ReaderPosition] {
        let answer = try await request(
            "$JS.API.STREAM.INFO.\(names.readers)",
            body: Array("{\"subjects_filter\":\"\(names.readerSubjects)\"}".utf8)
        )
        do throws(StreamFacts.Failure) {
            _ = try StreamFacts(answer)
        } catch {
            switch error {
            case .missing: return []
            case .rejected(let reason), .invalid(let reason):
                throw StreamMaintenanceError("NATS does not report on the stream \(names.readers): \(reason).")
            }
        }
        // The leader lists the collectors. A report itself may come from a lagging copy, in which case its position is
        // lower than the true one.
        let subjects: [String]
        do {
            let state = try JSONValue.parse(answer.body)["state"]
            subjects = (state?["subjects"]?.object?.members ?? []).map(\.key)
        } catch {
            throw StreamMaintenanceError("The report from NATS on the stream \(names.readers) is invalid: \(error)")
        }
        var readers: [ReaderPosition] = []
        for subject in subjects.sorted() {
            let answer = try await request(
                "$JS.API.DIRECT.GET.\(names.readers)",
                body: Array("{\"last_by_subj\":\"\(subject)\"}".utf8)
            )
            guard let reader = reader(answer), names.readerSubject(of: reader.name) == subject else {
                throw StreamMaintenanceError(
                    "A collector's report on its index under \(subject) is unavailable. If this persists, check "
                        + "which other client writes to the stream \(names.readers)."
                )
            }
            readers.append(reader)
        }
        return readers
    }

    private func reader(_ answer: NATSMessage) -> ReaderPosition? {
        // Without a valid report, the position is unknown, which the caller reports.
        guard answer.status == nil, let json = try? JSONValue.parse(answer.body),
            let reportTime = answer.headers?[Self.time].flatMap({ Timestamp(engine: $0) }),
            let name = json["collector"]?.string, let next = json["next"]?.integer, next > 0
        else { return nil }
        return ReaderPosition(
            name: name,
            next: UInt64(next),
            lastReport: reportTime,
            skipsErasedRecords: json["passes_erased"]?.boolean ?? false
        )
    }

    /// Deletes a collector's report. A running collector reports again.
    ///
    /// - Throws: ``StreamMaintenanceError``; the report may have been deleted anyway.
    package func deletePosition(of name: String) async throws(StreamMaintenanceError) {
        _ = try await purge(names.readers, "{\"filter\":\"\(names.readerSubject(of: name))\"}")
    }

    // MARK: Records

    package func extent() async throws(StreamMaintenanceError) -> StreamExtent {
        let answer = try await request("$JS.API.STREAM.INFO.\(names.stream)", body: [])
        var extent: StreamExtent
        do throws(StreamFacts.Failure) {
            let facts = try StreamFacts(answer)
            guard facts.isReportedByMajority(after: DurabilityGate.Requirements().contactTimeout) else {
                throw .rejected("its leader has no contact with the other servers")
            }
            extent = StreamExtent(first: max(facts.firstSequence, 1), last: facts.lastSequence)
        } catch {
            switch error {
            case .missing: throw StreamMaintenanceError("The stream \(names.stream) does not exist.")
            case .rejected(let reason), .invalid(let reason):
                throw StreamMaintenanceError("NATS does not report on the stream \(names.stream): \(reason).")
            }
        }
        // Deleted and replaced records at the start are not a loss for a reader that starts with them.
        while true {
            let first = extent.first
            if let deletionIndex { extent.first = try await deletionIndex.startOfListedRun(before: extent.first) }
            if let rewrites { extent.first = try await rewrites.startOfRun(before: extent.first) }
            if extent.first == first { return extent }
        }
    }

    package func time(of sequence: UInt64) async throws(StreamMaintenanceError) -> Timestamp? {
        let answer = try await request(
            "$JS.API.DIRECT.GET.\(names.stream)",
            // For a deleted record, this request returns the time of the next record, which is never older.
            body: Array("{\"seq\":\(sequence),\"next_by_subj\":\">\"}".utf8)
        )
        if answer.status == 404 { return nil }
        guard let time = answer.headers?[Self.time].flatMap({ Timestamp(engine: $0) }) else {
            throw StreamMaintenanceError(
                "No server currently reports the time of record \(sequence) of the stream \(names.stream)."
            )
        }
        return time
    }

    package func purge(before sequence: UInt64) async throws(StreamMaintenanceError) -> UInt64 {
        let purged = try await purge(names.stream, "{\"seq\":\(sequence)}")
        try await rewrites?.removeAll(before: sequence)
        return purged
    }

    /// Purges the stream with the given name, and returns the number of purged records.
    func purge(_ stream: String, _ body: String) async throws(StreamMaintenanceError) -> UInt64 {
        let answer = try await request("$JS.API.STREAM.PURGE.\(stream)", body: Array(body.utf8))
        // An invalid answer does not prove success.
        let json = answer.status == nil ? try? JSONValue.parse(answer.body) : nil
        if json?["success"]?.boolean == true { return UInt64(clamping: json?["purged"]?.integer ?? 0) }
        let reason = json?["error"]?["description"]?.string.map { "NATS reported “\($0)”" }
        throw StreamMaintenanceError("The stream \(stream) could not be purged: \(reason ?? "it has no leader").")
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
            throw StreamMaintenanceError("Requests about the stream \(names.stream) fail: \(reason).")
        }
    }
}

extension Timestamp {
    /// Parses a time as NATS writes it, `2026-11-26T13:00:00.123456789Z` with any number of fractional digits.
    ///
    /// Returns nil for anything else.
    init?(engine text: String) {
        guard text.hasSuffix("Z"), text.utf8.count >= 20 else { return nil }
        let fraction = text.dropLast().dropFirst(19)
        guard fraction.isEmpty || fraction.hasPrefix(".") else { return nil }
        let digits = (fraction.dropFirst() + "000").prefix(3)
        self.init(iso8601: text.prefix(19) + "." + digits + "Z")
    }
}
