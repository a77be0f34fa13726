// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import Collector
package import TrackwayEvents

/// Removes records that all collectors' indexes have read.
///
/// Tracks which records each index has read.
///
/// Safe from any thread.
///
/// Collectors report in a separate stream, each under its own subject, which keeps only the last report. So the
/// collectors' reports do not replace each other.
package final class StreamRetention: StreamMaintenance {
    /// The timeout of a request that all servers must agree on.
    private static let answerTime: Duration = .seconds(5)
    private static let time = "Nats-Time-Stamp"

    private let engine: any NATSRequesting
    private let place: StreamNames
    private let erased: DeletionIndex?

    /// Creates the retention of a stream.
    ///
    /// - Parameter erased: The records deleted from it for erasure; nil for none.
    init(_ engine: any NATSRequesting, place: StreamNames, erased: DeletionIndex? = nil) {
        self.engine = engine
        self.place = place
        self.erased = erased
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
    package func tell(_ name: String, next: UInt64) async throws(StreamMaintenanceError) {
        let subject = place.readerSubject(of: name)
        let body = JSONWriter.withThreadBuffer { writer -> [UInt8] in
            writer.beginObject()
            writer.member("collector", name)
            writer.member("next", next)
            // Earlier versions stop at a deleted record and do not send this member.
            writer.member("passes_erased", true)
            writer.endObject()
            return writer.array()
        }
        var outcome = try await publish(body, to: subject)
        if case .kept = outcome { return }
        if case .refused = outcome {
            do {
                // The stream does not exist yet, or no longer exists.
                _ = try await StreamSetup(readersOf: place).make(on: engine)
            } catch {
                throw StreamMaintenanceError(error.description)
            }
            outcome = try await publish(body, to: subject)
        }
        if case .refused(let reason) = outcome {
            throw StreamMaintenanceError(
                "The stream \(place.readers) does not accept this index's position: \(reason)."
            )
        }
    }

    private enum Told: Sendable, Hashable {
        case kept
        case refused(String)
    }

    private func publish(_ body: [UInt8], to subject: String) async throws(StreamMaintenanceError) -> Told {
        let answer = try await ask(subject, headers: ["Nats-Expected-Stream": place.readers], body: body)
        switch PublishOutcome(answer, stream: place.readers) {
        case .stored: return .kept
        case .notStored(let reason), .misconfigured(let reason), .full(let reason), .unknown(let reason):
            return .refused(reason)
        case .inProcess: return .refused("it is still processing it")
        }
    }

    package func readers() async throws(StreamMaintenanceError) -> [ReaderPosition] {
        let answer = try await ask(
            "$JS.API.STREAM.INFO.\(place.readers)",
            body: Array("{\"subjects_filter\":\"\(place.readerSubjects)\"}".utf8)
        )
        do throws(StreamFacts.Failure) {
            _ = try StreamFacts(answer)
        } catch {
            switch error {
            case .missing: return []
            case .refused(let words), .unreadable(let words):
                throw StreamMaintenanceError("NATS does not report on the stream \(place.readers): \(words).")
            }
        }
        // The leader lists the collectors. A report itself may come from a lagging copy, and then is lower than the
        // true position.
        let subjects: [String]
        do {
            let state = try JSONValue.parse(answer.body)["state"]
            subjects = (state?["subjects"]?.object?.members ?? []).map(\.key)
        } catch {
            throw StreamMaintenanceError("The report from NATS on the stream \(place.readers) is invalid: \(error)")
        }
        var readers: [ReaderPosition] = []
        for subject in subjects.sorted() {
            let answer = try await ask(
                "$JS.API.DIRECT.GET.\(place.readers)",
                body: Array("{\"last_by_subj\":\"\(subject)\"}".utf8)
            )
            guard let reader = reader(answer), place.readerSubject(of: reader.name) == subject else {
                throw StreamMaintenanceError(
                    "A collector's report on its index under \(subject) is unavailable. If this persists, check "
                        + "who else writes to the stream \(place.readers)."
                )
            }
            readers.append(reader)
        }
        return readers
    }

    private func reader(_ answer: NATSMessage) -> ReaderPosition? {
        // Without a valid report the position is unknown, which the caller reports.
        guard answer.status == nil, let json = try? JSONValue.parse(answer.body),
            let heard = answer.headers?[Self.time].flatMap({ Timestamp(engine: $0) }),
            let name = json["collector"]?.string, let next = json["next"]?.integer, next > 0
        else { return nil }
        return ReaderPosition(
            name: name,
            next: UInt64(next),
            heard: heard,
            passesErased: json["passes_erased"]?.boolean ?? false
        )
    }

    /// Deletes a collector's report. A running collector reports again.
    ///
    /// - Throws: ``StreamMaintenanceError``; the report may have been deleted anyway.
    package func forget(_ name: String) async throws(StreamMaintenanceError) {
        _ = try await purge(place.readers, "{\"filter\":\"\(place.readerSubject(of: name))\"}")
    }

    // MARK: Records

    package func extent() async throws(StreamMaintenanceError) -> StreamExtent {
        let answer = try await ask("$JS.API.STREAM.INFO.\(place.stream)", body: [])
        var extent: StreamExtent
        do throws(StreamFacts.Failure) {
            let facts = try StreamFacts(answer)
            guard facts.isReportedByMajority(after: DurabilityGate.Demands().silence) else {
                throw .refused("its leader has no contact with the other servers")
            }
            extent = StreamExtent(first: max(facts.firstSequence, 1), last: facts.lastSequence)
        } catch {
            switch error {
            case .missing: throw StreamMaintenanceError("The stream \(place.stream) does not exist.")
            case .refused(let words), .unreadable(let words):
                throw StreamMaintenanceError("NATS does not report on the stream \(place.stream): \(words).")
            }
        }
        // Deleted records at the start are not a loss for a reader that starts with them.
        if let erased { extent.first = try await erased.beginning(before: extent.first) }
        return extent
    }

    package func time(of sequence: UInt64) async throws(StreamMaintenanceError) -> Timestamp? {
        let answer = try await ask(
            "$JS.API.DIRECT.GET.\(place.stream)",
            // For a deleted record, this returns the time of the one after it, which is never older.
            body: Array("{\"seq\":\(sequence),\"next_by_subj\":\">\"}".utf8)
        )
        if answer.status == 404 { return nil }
        guard let time = answer.headers?[Self.time].flatMap({ Timestamp(engine: $0) }) else {
            throw StreamMaintenanceError(
                "No server currently reports the time of record \(sequence) of the stream \(place.stream)."
            )
        }
        return time
    }

    package func purge(before sequence: UInt64) async throws(StreamMaintenanceError) -> UInt64 {
        try await purge(place.stream, "{\"seq\":\(sequence)}")
    }

    /// Purges the stream with this name.
    func purge(_ stream: String, _ body: String) async throws(StreamMaintenanceError) -> UInt64 {
        let answer = try await ask("$JS.API.STREAM.PURGE.\(stream)", body: Array(body.utf8))
        // An invalid answer does not prove success.
        let json = answer.status == nil ? try? JSONValue.parse(answer.body) : nil
        if json?["success"]?.boolean == true { return UInt64(clamping: json?["purged"]?.integer ?? 0) }
        let words = json?["error"]?["description"]?.string.map { "NATS reported “\($0)”" }
        throw StreamMaintenanceError("The stream \(stream) could not be purged: \(words ?? "it has no leader").")
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
            throw StreamMaintenanceError("Requests about the stream \(place.stream) fail: \(reason).")
        }
    }
}

extension Timestamp {
    /// Parses a time as NATS writes it, `2026-11-26T13:00:00.123456789Z` with any number of digits.
    ///
    /// Nil for anything else.
    init?(engine text: String) {
        guard text.hasSuffix("Z"), text.utf8.count >= 20 else { return nil }
        let fraction = text.dropLast().dropFirst(19)
        guard fraction.isEmpty || fraction.hasPrefix(".") else { return nil }
        let digits = (fraction.dropFirst() + "000").prefix(3)
        self.init(iso8601: text.prefix(19) + "." + digits + "Z")
    }
}
