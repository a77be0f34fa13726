// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import CollectorCore
internal import TrackwayCore
package import TrackwayJournal

/// The records of all streams in one order, for indexes and forwarders.
///
/// Each record has its position in the order, so positions are the same for every reader. Safe from any thread.
package final class OrderedRecords: RecordStream {
    /// The maximum number of records per request.
    private static let maxRecords = 256

    private let order: OrderFollower
    private let follower: @Sendable (Int) -> StreamFollower
    private let window = Locked<[StreamedRecord]>([])

    /// Creates a reader of an order's records.
    ///
    /// - Parameter follower: Returns the reader of the stream with the given number.
    init(_ order: OrderFollower, follower: @escaping @Sendable (Int) -> StreamFollower) {
        self.order = order
        self.follower = follower
    }

    package func records(from start: LogPosition, upTo limit: LogPosition) async throws -> [StreamedRecord] {
        switch order.status {
        case .unknown:
            throw BlockDecisionFailure(order.failureReason ?? "The order of the streams is not known yet.")
        case .single: return try await follower(0).records(from: start, upTo: limit)
        case .ordered: break
        }
        let first = max(start.streamSequence, 1)
        if let cached = cached(from: first) { return cached }
        let runs = try await order.runs(from: first, records: Self.maxRecords)
        guard !runs.isEmpty else { throw StreamFault.missing(stream: OrderStream.name, sequence: first) }
        let records = try await read(runs)
        window.withLock { $0 = records }
        return records
    }

    /// Returns the records in memory, starting at a sequence.
    ///
    /// Returns nil if the record with that sequence is not in memory.
    private func cached(from first: UInt64) -> [StreamedRecord]? {
        window.withLock { window in
            let records = Array(window.drop { $0.start.streamSequence < first })
            return records.first?.start.streamSequence == first ? records : nil
        }
    }

    /// Reads runs of several streams concurrently, with one answer for each stream.
    ///
    /// - Returns: Consecutive records of the order, at least one.
    private func read(_ runs: [OrderedRun]) async throws -> [StreamedRecord] {
        // Runs from the same stream are requested together, even if the order alternates between streams.
        var requested: [Int: OrderRun] = [:]
        for part in runs {
            let known = requested[part.run.stream]
            requested[part.run.stream] = OrderRun(
                stream: part.run.stream,
                first: known?.first ?? part.run.first,
                last: part.run.last
            )
        }
        let firstStream = runs[0].run.stream
        var read = try await withThrowingTaskGroup(of: (Int, ArraySlice<StreamedRecord>).self) { [follower] group in
            for (stream, run) in requested {
                group.addTask {
                    do {
                        return (stream, try await Self.records(run, of: follower(stream))[...])
                    } catch  where stream != firstStream {
                        // The records before this run are usable. If the failure persists, the error is thrown once
                        // this run is the first one requested.
                        return (stream, [])
                    }
                }
            }
            return try await group.reduce(into: [Int: ArraySlice<StreamedRecord>]()) { $0[$1.0] = $1.1 }
        }
        var records: [StreamedRecord] = []
        for part in runs {
            let count = Int(part.run.count)
            let found = read[part.run.stream, default: []].prefix(count)
            read[part.run.stream]?.removeFirst(found.count)
            for (index, record) in found.enumerated() {
                var record = record
                record.start = LogPosition(stream: 0, sequence: part.first + UInt64(index))
                record.end = LogPosition(stream: 0, sequence: part.first + UInt64(index) + 1)
                records.append(record)
            }
            if found.count < count { break }
        }
        return records
    }

    private static func records(_ run: OrderRun, of follower: StreamFollower) async throws -> [StreamedRecord] {
        let start = LogPosition(stream: run.stream, sequence: run.first)
        let records = try await follower.records(
            from: start,
            upTo: LogPosition(stream: run.stream, sequence: run.last + 1)
        )
        return records.filter { $0.start.streamSequence <= run.last }
    }
}
