// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import Collector
internal import TrackwayEvents

/// Combines the lists of deleted records of all streams, by numbers of the order.
///
/// Each list is stored next to its stream. Safe from any thread.
package final class DeletionIndexSet: DeletedRecordList {
    private let order: OrderFollower
    private let engine: any NATSRequesting
    private let list: @Sendable (Int) -> DeletionIndex

    /// Creates the combined list of an order.
    ///
    /// - Parameters:
    ///   - engine: The NATS cluster with the streams.
    ///   - list: Returns the list of the stream with a number.
    init(_ order: OrderFollower, engine: any NATSRequesting, list: @escaping @Sendable (Int) -> DeletionIndex) {
        self.order = order
        self.engine = engine
        self.list = list
    }

    // The progress of the search through the order is stored next to the first stream, which always exists.

    package func prepare() async throws(StreamMaintenanceError) { try await list(0).prepare() }

    package func progress() async throws(StreamMaintenanceError) -> ErasureProgress { try await list(0).progress() }

    package func note(_ progress: ErasureProgress) async throws(StreamMaintenanceError) {
        try await list(0).note(progress)
    }

    /// Returns the number of listed records of all streams.
    ///
    /// - Throws: ``StreamMaintenanceError``.
    package func count() async throws(StreamMaintenanceError) -> UInt64 {
        var count: UInt64 = 0
        for stream in 0...(order.ends.keys.max() ?? 0) { count += try await list(stream).count() }
        return count
    }

    package func list(_ record: DeletedRecordEntry) async throws(StreamMaintenanceError) {
        let place = try await place(of: record.sequence)
        var record = record
        record.sequence = place.sequence
        if place.stream > 0 { try await list(place.stream).prepare() }
        try await list(place.stream).list(record)
    }

    package func delete(_ sequence: UInt64) async throws(StreamMaintenanceError) {
        let place = try await place(of: sequence)
        try await follow(place.sequence, in: StreamNames(number: place.stream))
        try await list(place.stream).delete(place.sequence)
    }

    private func place(of sequence: UInt64) async throws(StreamMaintenanceError) -> (stream: Int, sequence: UInt64) {
        do {
            if let place = try await order.place(of: sequence) { return place }
        } catch {
            throw StreamMaintenanceError("\(error)")
        }
        throw StreamMaintenanceError("The order has no record \(sequence) yet.")
    }

    /// Ensures that a stream has a record after the given one.
    ///
    /// A stream's last record marks its end, whatever is deleted.
    ///
    /// In the order, a record of another stream may follow, so this one may be the last of its stream.
    private func follow(_ sequence: UInt64, in place: StreamNames) async throws(StreamMaintenanceError) {
        guard place.number > 0 else { return }
        do {
            guard let facts = try await StreamSetup.facts(of: place, on: engine), facts.lastSequence <= sequence,
                let subject = facts.subjects.first
            else { return }
            let answer = try await engine.request(
                subject,
                headers: [
                    "Nats-Msg-Id": "behind.\(sequence)", "Nats-Expected-Stream": place.stream,
                    StreamNames.kindHeader: StreamNames.emptyKind,
                ],
                body: [],
                within: StreamSetup.answerTime
            )
            if case .stored = PublishOutcome(answer, stream: place.stream) { return }
        } catch {
            throw StreamMaintenanceError(
                "The stream \(place.stream) currently accepts no record after \(sequence): \(error)."
            )
        }
        throw StreamMaintenanceError("The stream \(place.stream) currently accepts no record after \(sequence).")
    }
}

/// A stream's creation time, from a watch or on request.
///
/// Safe from any thread.
final class StreamOrigin: Sendable {
    private let place: StreamNames
    private let engine: any NATSRequesting
    private let told: @Sendable () -> String?
    private let known = Locked<String?>(nil)

    /// Creates the origin of a stream.
    ///
    /// - Parameter told: Returns the time known to a watch of the stream; nil if unknown.
    init(_ place: StreamNames, on engine: any NATSRequesting, told: @escaping @Sendable () -> String?) {
        self.place = place
        self.engine = engine
        self.told = told
    }

    /// Returns the time as NATS reports it.
    ///
    /// Nil if it does not report it now.
    func created() async -> String? {
        if let told = told() { return told }
        if let known = known.withLock({ $0 }) { return known }
        // The caller retries, and reports what it waits for.
        guard let facts = try? await StreamSetup.facts(of: place, on: engine) else { return nil }
        known.withLock { $0 = facts.created }
        return facts.created
    }
}
