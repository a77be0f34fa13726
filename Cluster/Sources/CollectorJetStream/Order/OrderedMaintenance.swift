// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import CollectorCore
package import TrackwayCore

/// Maintains all streams as one order: tracks readers and purges records.
///
/// Safe from any thread.
///
/// A purge removes everything before a position of the order: each stream's records before it, and the entries of the
/// order that are no longer needed.
package final class OrderedMaintenance: StreamMaintenance {
    private let order: OrderFollower
    private let retention: @Sendable (Int) -> StreamRetention

    /// Creates maintenance for the streams of an order.
    ///
    /// - Parameter retention: Returns the retention of the stream with the given number.
    init(_ order: OrderFollower, retention: @escaping @Sendable (Int) -> StreamRetention) {
        self.order = order
        self.retention = retention
    }

    // MARK: Readers

    /// Reports how far a collector's index has read the order.
    ///
    /// - Parameters:
    ///   - name: The collector, as in ``ReaderPosition/name``.
    ///   - next: The sequence, in the order, of the first record that its index does not have; 1 or more.
    /// - Throws: ``StreamMaintenanceError``; the report may have been stored anyway.
    package func reportPosition(of name: String, next: UInt64) async throws(StreamMaintenanceError) {
        try await retention(0).reportPosition(of: name, next: next)
    }

    package func readers() async throws(StreamMaintenanceError) -> [ReaderPosition] { try await retention(0).readers() }

    /// Deletes a collector's report. A running collector reports again.
    ///
    /// - Throws: ``StreamMaintenanceError``; the report may have been deleted anyway.
    package func deletePosition(of name: String) async throws(StreamMaintenanceError) {
        try await retention(0).deletePosition(of: name)
    }

    // MARK: Records

    package func extent() async throws(StreamMaintenanceError) -> StreamExtent {
        switch order.status {
        case .unknown: throw unknownOrderError
        case .single: return try await retention(0).extent()
        case .ordered(let streamOrder):
            return StreamExtent(first: try await first(streamOrder), last: streamOrder.end - 1)
        }
    }

    /// Returns the sequence, in the order, of the first record after all purged records.
    private func first(_ streamOrder: StreamOrder) async throws(StreamMaintenanceError) -> UInt64 {
        let extent = try await translatingErrors { () async throws(BlockDecisionFailure) in
            try await order.stream.extent()
        }
        guard let extent, extent.last > 0 else { return streamOrder.end }
        var (number, first) = (extent.first, UInt64(0))
        var known: [Int: UInt64] = [:]
        while number <= extent.last {
            let page = try await translatingErrors { () async throws(BlockDecisionFailure) in
                try await order.stream.entries(from: number)
            }
            guard let start = page.first?.first else { break }
            if first == 0 {
                first = start
                // Before the very first entry, the first stream has records in its own order.
                let oldest = number == 1 ? try await retention(0).extent().first : start
                if oldest < start { return oldest }
            }
            var hasPurgedRecords = false
            for part in page.flatMap({ $0.runs(from: $0.first) }) {
                let stream = part.run.stream
                if known[stream] == nil { known[stream] = try await retention(stream).extent().first }
                let purgedEnd = min(known[stream] ?? 0, part.run.last + 1)
                guard purgedEnd > part.run.first else { continue }
                hasPurgedRecords = true
                first = max(first, part.first + (purgedEnd - part.run.first))
            }
            // A purge removes only the start of the order, so no purged record follows an existing one.
            if !hasPurgedRecords { break }
            number += UInt64(page.count)
        }
        return first
    }

    package func time(of sequence: UInt64) async throws(StreamMaintenanceError) -> Timestamp? {
        let location: (stream: Int, sequence: UInt64)?
        do {
            location = try await order.location(of: sequence)
        } catch let fault as StreamFault where fault.isGap {
            return nil
        } catch {
            throw StreamMaintenanceError("\(error)")
        }
        guard let location else { return nil }
        return try await retention(location.stream).time(of: location.sequence)
    }

    package func purge(before sequence: UInt64) async throws(StreamMaintenanceError) -> UInt64 {
        switch order.status {
        case .unknown: throw unknownOrderError
        case .single: return try await retention(0).purge(before: sequence)
        case .ordered: break
        }
        let purgePoint = try await purgePoint(before: sequence)
        var removed: UInt64 = 0
        for (stream, end) in purgePoint.ends.sorted(by: { $0.key < $1.key }) where end > 0 {
            removed += try await retention(stream).purge(before: end + 1)
        }
        // Purge the entries after the records, because the entries are needed to find the records.
        if purgePoint.entry > 1 { _ = try await order.stream.purge(before: purgePoint.entry, using: retention(0)) }
        return removed
    }

    /// Returns where to purge the streams and the order before a position.
    ///
    /// The result contains each stream's last record before the position, and the entry with which the order can start
    /// after the purge.
    private func purgePoint(before sequence: UInt64) async throws(StreamMaintenanceError) -> (
        ends: [Int: UInt64], entry: UInt64
    ) {
        try await translatingErrors { () async throws(BlockDecisionFailure) in
            guard let extent = try await order.stream.extent(), extent.last > 0 else { return ([0: sequence - 1], 0) }
            var ends: [Int: UInt64] = [:]
            var (number, entry) = (extent.first, UInt64(0))
            while number <= extent.last {
                let page = try await order.stream.entries(from: number)
                if page.isEmpty { break }
                if number == 1 { ends[0] = min(sequence, page[0].first) - 1 }
                for next in page {
                    guard next.first < sequence else { return (ends, entry) }
                    if next.isBeginning { entry = next.number }
                    // All records of a closed stream are before the position.
                    for part in next.runs(from: next.first) where part.first < sequence {
                        ends[part.run.stream] = min(part.run.last, part.run.first + (sequence - part.first) - 1)
                    }
                }
                number += UInt64(page.count)
            }
            return (ends, entry)
        }
    }

    private var unknownOrderError: StreamMaintenanceError {
        StreamMaintenanceError(order.failureReason ?? "The order of the streams is not known yet.")
    }

    private func translatingErrors<Result>(_ body: () async throws(BlockDecisionFailure) -> Result)
        async throws(StreamMaintenanceError)
        -> Result
    {
        do {
            return try await body()
        } catch {
            throw StreamMaintenanceError(error.description)
        }
    }
}
