// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import CollectorCore
internal import TrackwayCore

/// The combined lists of the records deleted from all streams.
///
/// Records are identified by their sequence in the order. Each list is stored next to its stream. Safe from any thread.
package final class DeletionIndexSet: DeletedRecordList {
    let order: OrderFollower
    private let engine: any NATSRequesting
    let list: @Sendable (Int) -> DeletionIndex
    let rewrites: @Sendable (Int) -> RewrittenRecords

    /// Creates the combined list for an order.
    ///
    /// - Parameters:
    ///   - engine: The NATS cluster with the streams.
    ///   - list: Returns the list of the stream with the given number.
    ///   - rewrites: Returns the replacements of the stream with the given number.
    init(
        _ order: OrderFollower,
        engine: any NATSRequesting,
        list: @escaping @Sendable (Int) -> DeletionIndex,
        rewrites: @escaping @Sendable (Int) -> RewrittenRecords
    ) {
        self.order = order
        self.engine = engine
        self.list = list
        self.rewrites = rewrites
    }

    // The progress of the search through the order is stored next to the first stream, which always exists.

    package func prepare() async throws(StreamMaintenanceError) { try await list(0).prepare() }

    package func progress() async throws(StreamMaintenanceError) -> ErasureProgress { try await list(0).progress() }

    package func save(_ progress: ErasureProgress) async throws(StreamMaintenanceError) {
        try await list(0).save(progress)
    }

    /// Returns the total number of listed records in all streams.
    ///
    /// - Throws: ``StreamMaintenanceError``.
    package func count() async throws(StreamMaintenanceError) -> UInt64 {
        var count: UInt64 = 0
        for stream in 0...(order.ends.keys.max() ?? 0) { count += try await list(stream).count() }
        return count
    }

    package func append(_ record: DeletedRecordEntry) async throws(StreamMaintenanceError) {
        let location = try await location(of: record.sequence)
        var record = record
        record.sequence = location.sequence
        if location.stream > 0 { try await list(location.stream).prepare() }
        try await list(location.stream).append(record)
    }

    package func delete(_ sequence: UInt64) async throws(StreamMaintenanceError) {
        let location = try await location(of: sequence)
        try await ensureSuccessor(of: location.sequence, in: StreamNames(number: location.stream))
        try await list(location.stream).delete(location.sequence)
    }

    func location(of sequence: UInt64) async throws(StreamMaintenanceError) -> (stream: Int, sequence: UInt64) {
        do {
            if let location = try await order.location(of: sequence) { return location }
        } catch {
            throw StreamMaintenanceError("\(error)")
        }
        throw StreamMaintenanceError("The order has no record \(sequence) yet.")
    }

    /// Ensures that a stream has at least one record after the given one.
    ///
    /// A stream's last record marks the stream's end, regardless of deletions.
    ///
    /// In the order, the next record may belong to another stream, so the given record may be the last one in its own
    /// stream.
    func ensureSuccessor(of sequence: UInt64, in names: StreamNames) async throws(StreamMaintenanceError) {
        // A single stream ends with the record that the erasing process committed.
        guard names.number > 0 || order.status != .single else { return }
        do {
            guard let facts = try await StreamSetup.facts(of: names, on: engine), facts.lastSequence <= sequence,
                let subject = facts.subjects.first
            else { return }
            let answer = try await engine.request(
                subject,
                headers: [
                    "Nats-Msg-Id": "behind.\(sequence)", "Nats-Expected-Stream": names.stream,
                    StreamNames.kindHeader: StreamNames.emptyKind,
                ],
                body: [],
                within: StreamSetup.requestTimeout
            )
            if case .stored = PublishOutcome(answer, stream: names.stream) { return }
        } catch {
            throw StreamMaintenanceError(
                "The stream \(names.stream) currently accepts no record after \(sequence): \(error)."
            )
        }
        throw StreamMaintenanceError("The stream \(names.stream) currently accepts no record after \(sequence).")
    }
}

/// Provides a stream's creation time, from a watch or by a request.
///
/// Safe from any thread.
final class StreamOrigin: Sendable {
    private let names: StreamNames
    private let engine: any NATSRequesting
    private let watchedCreationTime: @Sendable () -> String?
    private let known = Locked<String?>(nil)

    /// Creates a source of a stream's creation time.
    ///
    /// - Parameter watchedCreationTime: Returns the time known to a watch of the stream; nil if unknown.
    init(_ names: StreamNames, on engine: any NATSRequesting, watchedCreationTime: @escaping @Sendable () -> String?) {
        self.names = names
        self.engine = engine
        self.watchedCreationTime = watchedCreationTime
    }

    /// Returns the creation time as NATS reports it.
    ///
    /// Returns nil if NATS currently does not report the time.
    func created() async -> String? {
        if let watchedTime = watchedCreationTime() { return watchedTime }
        if let known = known.withLock({ $0 }) { return known }
        // The caller retries, and reports what it is waiting for.
        guard let facts = try? await StreamSetup.facts(of: names, on: engine) else { return nil }
        known.withLock { $0 = facts.created }
        return facts.created
    }
}
