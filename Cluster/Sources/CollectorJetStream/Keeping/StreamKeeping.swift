// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import Collector
package import TrackwayEvents

/// A stream's upkeep: collectors say in a stream beside it how far their indexes have read it, and records that all of them have read can
/// be removed. Safe from any thread.
///
/// Of what a collector says the last is kept, under a subject of its own, so that what one says replaces nothing of another.
package final class StreamKeeping: StreamUpkeep {
    /// How long the engine may take: all servers have to agree.
    private static let answerTime: Duration = .seconds(5)
    private static let time = "Nats-Time-Stamp"

    private let engine: any StreamEngine
    private let place: StreamPlace
    private let erased: ErasedList?

    /// The upkeep of a stream.
    ///
    /// - Parameter erased: What was deleted from it since it was erased; nil for nothing.
    init(_ engine: any StreamEngine, place: StreamPlace, erased: ErasedList? = nil) {
        self.engine = engine
        self.place = place
        self.erased = erased
    }

    // MARK: Readers

    /// Says how far a collector's index has read the stream. The first to say so makes the stream in which that is kept.
    ///
    /// - Parameters:
    ///   - name: Which collector, as ``ReaderPlace/name`` has it.
    ///   - next: The sequence of the first record that its index does not have; 1 or more.
    /// - Throws: ``UpkeepFailure``; it may be kept nevertheless.
    package func tell(_ name: String, next: UInt64) async throws(UpkeepFailure) {
        let subject = place.readerSubject(of: name)
        let body = JSONWriter.withThreadBuffer { writer -> [UInt8] in
            writer.beginObject()
            writer.member("collector", name)
            writer.member("next", next)
            // Earlier versions stop at a record that was deleted, and do not say this.
            writer.member("passes_erased", true)
            writer.endObject()
            return writer.array()
        }
        var outcome = try await publish(body, to: subject)
        if case .kept = outcome { return }
        if case .refused = outcome {
            do {
                // It is not there yet, or not any more.
                _ = try await StreamSetup(readersOf: place).make(on: engine)
            } catch {
                throw UpkeepFailure(error.description)
            }
            outcome = try await publish(body, to: subject)
        }
        if case .refused(let reason) = outcome {
            throw UpkeepFailure("The stream \(place.readers) does not take how far this index is: \(reason).")
        }
    }

    private enum Told: Sendable, Hashable {
        case kept
        case refused(String)
    }

    private func publish(_ body: [UInt8], to subject: String) async throws(UpkeepFailure) -> Told {
        let answer = try await ask(subject, headers: ["Nats-Expected-Stream": place.readers], body: body)
        switch PublishOutcome(answer, stream: place.readers) {
        case .stored: return .kept
        case .notStored(let reason), .misconfigured(let reason), .full(let reason), .unknown(let reason):
            return .refused(reason)
        case .inProcess: return .refused("it is being taken already")
        }
    }

    package func readers() async throws(UpkeepFailure) -> [ReaderPlace] {
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
                throw UpkeepFailure("The engine does not tell about the stream \(place.readers): \(words).")
            }
        }
        // The leader says who there are; what one of them said last may come from a copy, and then is no further than the truth.
        let subjects: [String]
        do {
            let state = try JSONValue.parse(answer.body)["state"]
            subjects = (state?["subjects"]?.object?.members ?? []).map(\.key)
        } catch {
            throw UpkeepFailure("What the engine tells about the stream \(place.readers) cannot be read: \(error)")
        }
        var readers: [ReaderPlace] = []
        for subject in subjects.sorted() {
            let answer = try await ask(
                "$JS.API.DIRECT.GET.\(place.readers)",
                body: Array("{\"last_by_subj\":\"\(subject)\"}".utf8)
            )
            guard let reader = reader(answer), place.readerSubject(of: reader.name) == subject else {
                throw UpkeepFailure(
                    "What a collector said of its index under \(subject) cannot be read now. If that stays so, see who else writes into "
                        + "the stream \(place.readers)."
                )
            }
            readers.append(reader)
        }
        return readers
    }

    private func reader(_ answer: NATSMessage) -> ReaderPlace? {
        // Whatever else it is, whose place it is cannot be known, and that is told.
        guard answer.status == nil, let json = try? JSONValue.parse(answer.body),
            let heard = answer.headers?[Self.time].flatMap({ Timestamp(engine: $0) }),
            let name = json["collector"]?.string, let next = json["next"]?.integer, next > 0
        else { return nil }
        return ReaderPlace(
            name: name,
            next: UInt64(next),
            heard: heard,
            passesErased: json["passes_erased"]?.boolean ?? false
        )
    }

    /// Forgets what a collector said. One that runs says it again.
    ///
    /// - Throws: ``UpkeepFailure``; it may be forgotten nevertheless.
    package func forget(_ name: String) async throws(UpkeepFailure) {
        _ = try await purge(place.readers, "{\"filter\":\"\(place.readerSubject(of: name))\"}")
    }

    // MARK: Records

    package func extent() async throws(UpkeepFailure) -> StreamExtent {
        let answer = try await ask("$JS.API.STREAM.INFO.\(place.stream)", body: [])
        var extent: StreamExtent
        do throws(StreamFacts.Failure) {
            let facts = try StreamFacts(answer)
            guard facts.isToldByMajority(after: DurabilityGate.Demands().silence) else {
                throw .refused("whoever leads it does not hear the others")
            }
            extent = StreamExtent(first: max(facts.firstSequence, 1), last: facts.lastSequence)
        } catch {
            switch error {
            case .missing: throw UpkeepFailure("There is no stream \(place.stream).")
            case .refused(let words), .unreadable(let words):
                throw UpkeepFailure("The engine does not tell about the stream \(place.stream): \(words).")
            }
        }
        // Those in front that were erased are no loss to whoever begins with them.
        if let erased { extent.first = try await erased.beginning(before: extent.first) }
        return extent
    }

    package func time(of sequence: UInt64) async throws(UpkeepFailure) -> Timestamp? {
        let answer = try await ask(
            "$JS.API.DIRECT.GET.\(place.stream)",
            // Of one that was erased the time of what follows is told: it is no older than that.
            body: Array("{\"seq\":\(sequence),\"next_by_subj\":\">\"}".utf8)
        )
        if answer.status == 404 { return nil }
        guard let time = answer.headers?[Self.time].flatMap({ Timestamp(engine: $0) }) else {
            throw UpkeepFailure("No server says now when the record \(sequence) of the stream \(place.stream) came.")
        }
        return time
    }

    package func purge(before sequence: UInt64) async throws(UpkeepFailure) -> UInt64 {
        try await purge(place.stream, "{\"seq\":\(sequence)}")
    }

    /// Purges a stream of a name.
    func purge(_ stream: String, _ body: String) async throws(UpkeepFailure) -> UInt64 {
        let answer = try await ask("$JS.API.STREAM.PURGE.\(stream)", body: Array(body.utf8))
        // What cannot be read says nothing of success.
        let json = answer.status == nil ? try? JSONValue.parse(answer.body) : nil
        if json?["success"]?.boolean == true { return UInt64(clamping: json?["purged"]?.integer ?? 0) }
        let words = json?["error"]?["description"]?.string.map { "the engine says “\($0)”" }
        throw UpkeepFailure("The stream \(stream) could not be purged: \(words ?? "it has no leader now").")
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
            throw UpkeepFailure("The engine cannot be asked about the stream \(place.stream): \(reason).")
        }
    }
}

extension Timestamp {
    /// Reads a time as the engine writes it, `2026-11-26T13:00:00.123456789Z` with as many digits as it takes; nil for anything else.
    init?(engine text: String) {
        guard text.hasSuffix("Z"), text.utf8.count >= 20 else { return nil }
        let fraction = text.dropLast().dropFirst(19)
        guard fraction.isEmpty || fraction.hasPrefix(".") else { return nil }
        let digits = (fraction.dropFirst() + "000").prefix(3)
        self.init(iso8601: text.prefix(19) + "." + digits + "Z")
    }
}
