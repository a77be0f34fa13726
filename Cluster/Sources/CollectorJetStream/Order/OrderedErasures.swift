// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import Collector
internal import TrackwayEvents

/// The lists of what was deleted from the streams of an order, each beside its stream, as one: by numbers of the order. Safe from any
/// thread.
package final class OrderedErasures: ErasedRecords {
    private let order: OrderFollower
    private let engine: any StreamEngine
    private let list: @Sendable (Int) -> ErasedList

    /// The lists of an order.
    ///
    /// - Parameters:
    ///   - engine: Where the streams are.
    ///   - list: That of a stream of a number.
    init(_ order: OrderFollower, engine: any StreamEngine, list: @escaping @Sendable (Int) -> ErasedList) {
        self.order = order
        self.engine = engine
        self.list = list
    }

    // How far the order is looked through stands beside the first stream, from which everything begins.

    package func prepare() async throws(UpkeepFailure) { try await list(0).prepare() }

    package func progress() async throws(UpkeepFailure) -> ErasureProgress { try await list(0).progress() }

    package func note(_ progress: ErasureProgress) async throws(UpkeepFailure) { try await list(0).note(progress) }

    /// How many records are listed, of all streams.
    ///
    /// - Throws: ``UpkeepFailure``.
    package func count() async throws(UpkeepFailure) -> UInt64 {
        var count: UInt64 = 0
        for stream in 0...(order.ends.keys.max() ?? 0) { count += try await list(stream).count() }
        return count
    }

    package func list(_ record: ErasedRecord) async throws(UpkeepFailure) {
        let place = try await place(of: record.sequence)
        var record = record
        record.sequence = place.sequence
        if place.stream > 0 { try await list(place.stream).prepare() }
        try await list(place.stream).list(record)
    }

    package func delete(_ sequence: UInt64) async throws(UpkeepFailure) {
        let place = try await place(of: sequence)
        try await follow(place.sequence, in: StreamPlace(number: place.stream))
        try await list(place.stream).delete(place.sequence)
    }

    private func place(of sequence: UInt64) async throws(UpkeepFailure) -> (stream: Int, sequence: UInt64) {
        do {
            if let place = try await order.place(of: sequence) { return place }
        } catch {
            throw UpkeepFailure("\(error)")
        }
        throw UpkeepFailure("The order has no record \(sequence) yet.")
    }

    /// Sees that a stream has a record behind one: its last one says how far it has come, whatever is deleted. In the order another may
    /// follow that is of another stream.
    private func follow(_ sequence: UInt64, in place: StreamPlace) async throws(UpkeepFailure) {
        guard place.number > 0 else { return }
        do {
            guard let facts = try await StreamSetup.facts(of: place, on: engine), facts.lastSequence <= sequence,
                let subject = facts.subjects.first
            else { return }
            let answer = try await engine.request(
                subject,
                headers: [
                    "Nats-Msg-Id": "behind.\(sequence)", "Nats-Expected-Stream": place.stream,
                    StreamPlace.kindHeader: StreamPlace.emptyKind,
                ],
                body: [],
                within: StreamSetup.answerTime
            )
            if case .stored = PublishOutcome(answer, stream: place.stream) { return }
        } catch {
            throw UpkeepFailure("The stream \(place.stream) takes nothing behind the record \(sequence) now: \(error).")
        }
        throw UpkeepFailure("The stream \(place.stream) takes nothing behind the record \(sequence) now.")
    }
}

/// When a stream was made, as a watch was told, or as the engine says when it is asked. Safe from any thread.
final class StreamOrigin: Sendable {
    private let place: StreamPlace
    private let engine: any StreamEngine
    private let told: @Sendable () -> String?
    private let known = Locked<String?>(nil)

    /// The origin of a stream.
    ///
    /// - Parameter told: What a watch over it was told; nil for nothing.
    init(_ place: StreamPlace, on engine: any StreamEngine, told: @escaping @Sendable () -> String?) {
        self.place = place
        self.engine = engine
        self.told = told
    }

    /// In the engine's words; nil when it does not tell now.
    func created() async -> String? {
        if let told = told() { return told }
        if let known = known.withLock({ $0 }) { return known }
        // Whoever needs it tries again, and says what it waits for.
        guard let facts = try? await StreamSetup.facts(of: place, on: engine) else { return nil }
        known.withLock { $0 = facts.created }
        return facts.created
    }
}
