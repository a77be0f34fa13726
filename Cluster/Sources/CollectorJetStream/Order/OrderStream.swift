// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import Collector
internal import TrackwayEvents

/// The order of several streams' records, in a stream of its own: entries are read there, and decided. Safe from any thread.
///
/// There is none as long as the first stream takes all records: then its own order is the order.
package final class OrderStream: Sendable {
    /// The stream's name.
    package static let name = "ORDER_0"
    /// The subject of its entries.
    static let subject = "order.0"
    /// So many entries are read at once.
    static let page = 64

    private let engine: any StreamEngine
    private let stream: DecisionStream

    /// The order on an engine.
    ///
    /// - Parameters:
    ///   - engine: Where it is.
    ///   - system: May ask the servers about themselves; the same as `engine` where that may.
    init(_ engine: any StreamEngine, system: any StreamEngine) {
        self.engine = engine
        stream = DecisionStream(
            Self.name,
            subject: Self.subject,
            remedy: "`trackway-cluster engine plan` with --streams makes it.",
            on: engine,
            system: system
        )
    }

    /// Between which entries those lie that are there; nil when the stream is not there.
    ///
    /// - Returns: `last` is 0 when there is none yet; `first` is that of the next one when there is none.
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
                throw BlockDecisionFailure("The engine does not tell about the stream \(Self.name): \(words).")
            }
        }
    }

    /// Whether the stream is there, as far as any server that has a copy tells; quicker than ``extent()``, and not certain.
    func isThere() async -> Bool {
        do throws(NATSRequestFailure) {
            let answer = try await engine.request(
                "$JS.API.DIRECT.GET.\(Self.name)",
                headers: nil,
                body: Array("{\"last_by_subj\":\"\(Self.subject)\"}".utf8),
                within: DecisionStream.answerTime
            )
            // Where nobody has such a stream nobody answers.
            return answer.status != 503
        } catch {
            return false
        }
    }

    /// The entry of a number; nil when it is not decided, or not there any more.
    ///
    /// - Throws: ``BlockDecisionFailure``.
    package func entry(_ number: UInt64) async throws(BlockDecisionFailure) -> OrderEntry? {
        guard let body = try await stream.decision(number) else { return nil }
        return try read(body, number)
    }

    /// Entries from a number on, as many as a server hands out at once; none where it has none.
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
            let reason = PublishOutcome(error).reason ?? "the engine does not answer"
            throw BlockDecisionFailure("The stream \(Self.name) cannot be reached: \(reason).")
        }
        var place = StreamPlace()
        place.stream = Self.name
        switch StreamAnswer(messages, from: number, of: place) {
        case .nothing: return []
        case .records(let records, _):
            var entries: [OrderEntry] = []
            for record in records { entries.append(try read(record.payload, record.start.streamSequence)) }
            return entries
        case .gap(let next):
            throw BlockDecisionFailure(
                "The stream \(Self.name) has no entry \(number) any more, and goes on with \(next): it was purged before it was read here.",
                isLasting: true
            )
        case .unavailable(let reason):
            throw BlockDecisionFailure("The stream \(Self.name) cannot be read from \(number) on now: \(reason).")
        }
    }

    private func read(_ body: [UInt8], _ number: UInt64) throws(BlockDecisionFailure) -> OrderEntry {
        if let entry = OrderEntry(json: body), entry.number == number { return entry }
        throw BlockDecisionFailure(
            "Record \(number) of the stream \(Self.name) is no entry of the order: somebody else writes into it. See who may publish to "
                + "\(Self.subject).",
            isLasting: true
        )
    }

    /// Decides the entry behind the last one.
    ///
    /// - Returns: Whether it was decided so. If not, somebody else has decided it.
    /// - Throws: ``BlockDecisionFailure``; it may be decided so nevertheless.
    package func decide(_ entry: OrderEntry) async throws(BlockDecisionFailure) -> Bool {
        try await stream.decide(entry.number, entry.json, "Entry \(entry.number) of the order")
    }

    /// Looks whether what is decided there is durable.
    package func proof() async -> BlockStream.Proof { await stream.proof() }

    /// Removes the entries before one.
    ///
    /// - Returns: How many were removed.
    /// - Throws: ``UpkeepFailure``; they may be removed nevertheless.
    func purge(before number: UInt64, by keeping: StreamKeeping) async throws(UpkeepFailure) -> UInt64 {
        try await keeping.purge(Self.name, "{\"seq\":\(number)}")
    }
}
