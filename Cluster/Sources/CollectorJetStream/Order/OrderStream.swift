// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import CollectorCore
internal import TrackwayCore

/// The stream that contains the common order of several streams' records.
///
/// Safe from any thread.
///
/// This stream does not exist while the first stream accepts all records. During that time, the first stream's own
/// order applies.
package final class OrderStream: Sendable {
    /// The stream's name.
    package static let name = "ORDER_0"
    /// The subject of the stream's entries.
    static let subject = "order.0"
    /// The maximum number of entries per request.
    static let page = 64

    private let engine: any NATSRequesting
    private let stream: DecisionStream

    /// Creates a reference to the order on a NATS cluster.
    ///
    /// - Parameters:
    ///   - engine: The NATS cluster with the stream.
    ///   - system: A connection that may request the servers' reports; the same as `engine` if its user may do so.
    init(_ engine: any NATSRequesting, system: any NATSRequesting) {
        self.engine = engine
        stream = DecisionStream(
            Self.name,
            subject: Self.subject,
            remedy: "`trackway-cluster cluster plan` with --streams creates it.",
            on: engine,
            system: system
        )
    }

    /// Returns the range of existing entries.
    ///
    /// Returns nil if the stream does not exist.
    ///
    /// - Returns: The first and last entry numbers. In an empty stream, `first` is the next entry's number; `last` is 0
    ///   before the first entry.
    /// - Throws: ``BlockDecisionFailure``.
    func extent() async throws(BlockDecisionFailure) -> (first: UInt64, last: UInt64)? {
        let answer = try await stream.request("$JS.API.STREAM.INFO.\(Self.name)", body: [])
        do throws(StreamFacts.Failure) {
            let facts = try StreamFacts(answer)
            return (max(facts.firstSequence, 1), facts.lastSequence)
        } catch {
            switch error {
            case .missing: return nil
            case .rejected(let reason), .invalid(let reason):
                throw BlockDecisionFailure("NATS does not report on the stream \(Self.name): \(reason).")
            }
        }
    }

    /// Returns whether the stream exists, according to any server with a copy.
    ///
    /// This check is faster than ``extent()`` but not reliable.
    func exists() async -> Bool {
        do throws(NATSRequestFailure) {
            let answer = try await engine.request(
                "$JS.API.DIRECT.GET.\(Self.name)",
                headers: nil,
                body: Array("{\"last_by_subj\":\"\(Self.subject)\"}".utf8),
                within: DecisionStream.requestTimeout
            )
            // The status is 503 if no server has the stream.
            return answer.status != 503
        } catch {
            return false
        }
    }

    /// Returns the entry with the given number.
    ///
    /// Returns nil if the entry is not decided yet, or was purged.
    ///
    /// - Throws: ``BlockDecisionFailure``.
    package func entry(_ number: UInt64) async throws(BlockDecisionFailure) -> OrderEntry? {
        guard let body = try await stream.decision(number) else { return nil }
        return try read(body, number)
    }

    /// Returns entries starting at a number, up to as many as one answer can contain.
    ///
    /// The result is empty at the end of the order.
    ///
    /// - Throws: ``BlockDecisionFailure``.
    func entries(from number: UInt64) async throws(BlockDecisionFailure) -> [OrderEntry] {
        let messages: [NATSMessage]
        do {
            messages = try await engine.collect(
                "$JS.API.DIRECT.GET.\(Self.name)",
                body: Array("{\"seq\":\(number),\"batch\":\(Self.page)}".utf8),
                upTo: Self.page + 1,
                within: DecisionStream.requestTimeout
            )
        } catch {
            let reason = PublishOutcome(error).reason ?? "the NATS cluster is not responding"
            throw BlockDecisionFailure("The stream \(Self.name) cannot be reached: \(reason).")
        }
        var names = StreamNames()
        names.stream = Self.name
        switch StreamReadResult(messages, from: number, of: names) {
        case .empty: return []
        case .records(let records, _):
            var entries: [OrderEntry] = []
            for record in records { entries.append(try read(record.payload, record.start.streamSequence)) }
            return entries
        case .gap(let next):
            throw BlockDecisionFailure(
                "\(Self.name) starts with entry \(next): entry \(number) was purged before it was read.",
                isPermanent: true
            )
        case .unavailable(let reason):
            throw BlockDecisionFailure("\(Self.name) cannot currently be read from entry \(number) onward: \(reason).")
        }
    }

    private func read(_ body: [UInt8], _ number: UInt64) throws(BlockDecisionFailure) -> OrderEntry {
        if let entry = OrderEntry(json: body), entry.number == number { return entry }
        throw BlockDecisionFailure(
            "Record \(number) of the stream \(Self.name) is not an entry of the order: another client writes to it. "
                + "Check who is allowed to publish to \(Self.subject).",
            isPermanent: true
        )
    }

    /// Decides the next entry.
    ///
    /// - Returns: Whether this entry was accepted. If not, another process has decided an entry with this number.
    /// - Throws: ``BlockDecisionFailure``; the entry may have been accepted anyway.
    package func decide(_ entry: OrderEntry) async throws(BlockDecisionFailure) -> Bool {
        try await stream.decide(entry.number, entry.json, "Entry \(entry.number) of the order")
    }

    /// Checks whether the order is durable.
    package func proof() async -> BlockStream.Proof { await stream.proof() }

    /// Removes the entries before the given one.
    ///
    /// - Returns: The number of removed entries.
    /// - Throws: ``StreamMaintenanceError``; the entries may have been removed anyway.
    func purge(before number: UInt64, using retention: StreamRetention) async throws(StreamMaintenanceError) -> UInt64 {
        try await retention.purge(Self.name, "{\"seq\":\(number)}")
    }
}
