// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import Collector
internal import TrackwayEvents

/// The common order of several streams' records, as entries in a separate stream.
///
/// Safe from any thread.
///
/// It does not exist while the first stream accepts all records; that stream's own order applies then.
package final class OrderStream: Sendable {
    /// The stream's name.
    package static let name = "ORDER_0"
    /// The subject of its entries.
    static let subject = "order.0"
    /// The maximum number of entries of a request.
    static let page = 64

    private let engine: any NATSRequesting
    private let stream: DecisionStream

    /// Creates the order on a NATS cluster.
    ///
    /// - Parameters:
    ///   - engine: The NATS cluster with the stream.
    ///   - system: May request reports from the servers. The same as `engine` if that user may.
    init(_ engine: any NATSRequesting, system: any NATSRequesting) {
        self.engine = engine
        stream = DecisionStream(
            Self.name,
            subject: Self.subject,
            remedy: "`trackway-cluster engine plan` with --streams creates it.",
            on: engine,
            system: system
        )
    }

    /// Returns the range of existing entries.
    ///
    /// Nil if the stream does not exist.
    ///
    /// - Returns: In an empty stream, `first` is the next entry's number; `last` is 0 before the first entry.
    /// - Throws: ``BlockDecisionFailure``.
    func extent() async throws(BlockDecisionFailure) -> (first: UInt64, last: UInt64)? {
        let answer = try await stream.ask("$JS.API.STREAM.INFO.\(Self.name)", body: [])
        do throws(StreamFacts.Failure) {
            let facts = try StreamFacts(answer)
            return (max(facts.firstSequence, 1), facts.lastSequence)
        } catch {
            switch error {
            case .missing: return nil
            case .refused(let words), .unreadable(let words):
                throw BlockDecisionFailure("NATS does not report on the stream \(Self.name): \(words).")
            }
        }
    }

    /// Whether the stream exists according to any server with a copy.
    ///
    /// Faster than ``extent()`` but not certain.
    func isThere() async -> Bool {
        do throws(NATSRequestFailure) {
            let answer = try await engine.request(
                "$JS.API.DIRECT.GET.\(Self.name)",
                headers: nil,
                body: Array("{\"last_by_subj\":\"\(Self.subject)\"}".utf8),
                within: DecisionStream.answerTime
            )
            // If no server has the stream, the status is 503.
            return answer.status != 503
        } catch {
            return false
        }
    }

    /// Returns the entry with a number.
    ///
    /// Nil if it is not decided yet, or was purged.
    ///
    /// - Throws: ``BlockDecisionFailure``.
    package func entry(_ number: UInt64) async throws(BlockDecisionFailure) -> OrderEntry? {
        guard let body = try await stream.decision(number) else { return nil }
        return try read(body, number)
    }

    /// Returns entries starting at a number, as many as one answer has.
    ///
    /// Empty at the end.
    ///
    /// - Throws: ``BlockDecisionFailure``.
    func entries(from number: UInt64) async throws(BlockDecisionFailure) -> [OrderEntry] {
        let messages: [NATSMessage]
        do {
            messages = try await engine.collect(
                "$JS.API.DIRECT.GET.\(Self.name)",
                body: Array("{\"seq\":\(number),\"batch\":\(Self.page)}".utf8),
                upTo: Self.page + 1,
                within: DecisionStream.answerTime
            )
        } catch {
            let reason = PublishOutcome(error).reason ?? "the NATS cluster does not answer"
            throw BlockDecisionFailure("The stream \(Self.name) cannot be reached: \(reason).")
        }
        var place = StreamNames()
        place.stream = Self.name
        switch StreamReadResult(messages, from: number, of: place) {
        case .nothing: return []
        case .records(let records, _):
            var entries: [OrderEntry] = []
            for record in records { entries.append(try read(record.payload, record.start.streamSequence)) }
            return entries
        case .gap(let next):
            throw BlockDecisionFailure(
                "\(Self.name) no longer has entry \(number), and starts with \(next): it was purged before being read.",
                isLasting: true
            )
        case .unavailable(let reason):
            throw BlockDecisionFailure("\(Self.name) cannot currently be read from entry \(number) onward: \(reason).")
        }
    }

    private func read(_ body: [UInt8], _ number: UInt64) throws(BlockDecisionFailure) -> OrderEntry {
        if let entry = OrderEntry(json: body), entry.number == number { return entry }
        throw BlockDecisionFailure(
            "Record \(number) of the stream \(Self.name) is not an entry of the order: another client writes into it. "
                + "Check who is allowed to publish to \(Self.subject).",
            isLasting: true
        )
    }

    /// Decides the entry after the last one.
    ///
    /// - Returns: Whether this entry was accepted. If not, another process has decided one.
    /// - Throws: ``BlockDecisionFailure``; the entry may have been accepted anyway.
    package func decide(_ entry: OrderEntry) async throws(BlockDecisionFailure) -> Bool {
        try await stream.decide(entry.number, entry.json, "Entry \(entry.number) of the order")
    }

    /// Checks whether the order is durable.
    package func proof() async -> BlockStream.Proof { await stream.proof() }

    /// Removes the entries before one.
    ///
    /// - Returns: The number of removed entries.
    /// - Throws: ``StreamMaintenanceError``; they may have been removed anyway.
    func purge(before number: UInt64, by keeping: StreamRetention) async throws(StreamMaintenanceError) -> UInt64 {
        try await keeping.purge(Self.name, "{\"seq\":\(number)}")
    }
}
