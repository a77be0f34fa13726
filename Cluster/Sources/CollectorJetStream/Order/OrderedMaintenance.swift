// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import Collector
package import TrackwayEvents

/// Tracks readers of all streams as one order, and removes records from its start.
///
/// Safe from any thread.
///
/// A purge removes everything before a position of the order: each stream's records before it, and the entries of the
/// order that are no longer needed.
package final class OrderedMaintenance: StreamMaintenance {
    private let order: OrderFollower
    private let keeping: @Sendable (Int) -> StreamRetention

    /// Creates the maintenance of an order.
    ///
    /// - Parameter keeping: Returns the retention of the stream with a number.
    init(_ order: OrderFollower, keeping: @escaping @Sendable (Int) -> StreamRetention) {
        self.order = order
        self.keeping = keeping
    }

    // MARK: Readers

    /// Reports how far a collector's index has read the order.
    ///
    /// - Parameters:
    ///   - name: The collector, as in ``ReaderPosition/name``.
    ///   - next: The sequence, in the order, of the first record that its index does not have; 1 or more.
    /// - Throws: ``StreamMaintenanceError``; the report may have been stored anyway.
    package func tell(_ name: String, next: UInt64) async throws(StreamMaintenanceError) {
        try await keeping(0).tell(name, next: next)
    }

    package func readers() async throws(StreamMaintenanceError) -> [ReaderPosition] { try await keeping(0).readers() }

    /// Deletes a collector's report. A running collector reports again.
    ///
    /// - Throws: ``StreamMaintenanceError``; the report may have been deleted anyway.
    package func forget(_ name: String) async throws(StreamMaintenanceError) { try await keeping(0).forget(name) }

    // MARK: Records

    package func extent() async throws(StreamMaintenanceError) -> StreamExtent {
        switch order.standing {
        case .unknown: throw unknown
        case .single: return try await keeping(0).extent()
        case .ordered(let line):
            return StreamExtent(first: try await first(line), last: line.end - 1)
        }
    }

    /// Returns the first record of the order after all missing ones.
    private func first(_ line: StreamOrder) async throws(StreamMaintenanceError) -> UInt64 {
        let extent = try await asked { () async throws(BlockDecisionFailure) in try await order.stream.extent() }
        guard let extent, extent.last > 0 else { return line.end }
        var (number, first) = (extent.first, UInt64(0))
        var known: [Int: UInt64] = [:]
        while number <= extent.last {
            let page = try await asked { () async throws(BlockDecisionFailure) in
                try await order.stream.entries(from: number)
            }
            guard let beginning = page.first?.first else { break }
            if first == 0 {
                first = beginning
                // Before the very first entry, the first stream has records in its own order.
                let old = number == 1 ? try await keeping(0).extent().first : beginning
                if old < beginning { return old }
            }
            var isTouched = false
            for part in page.flatMap({ $0.runs(from: $0.first) }) {
                let stream = part.run.stream
                if known[stream] == nil { known[stream] = try await keeping(stream).extent().first }
                let gone = min(known[stream] ?? 0, part.run.last + 1)
                guard gone > part.run.first else { continue }
                isTouched = true
                first = max(first, part.first + (gone - part.run.first))
            }
            // A purge removes the start of the order, so no record is missing after an existing one.
            if !isTouched { break }
            number += UInt64(page.count)
        }
        return first
    }

    package func time(of sequence: UInt64) async throws(StreamMaintenanceError) -> Timestamp? {
        let place: (stream: Int, sequence: UInt64)?
        do {
            place = try await order.place(of: sequence)
        } catch let fault as StreamFault where fault.isGap {
            return nil
        } catch {
            throw StreamMaintenanceError("\(error)")
        }
        guard let place else { return nil }
        return try await keeping(place.stream).time(of: place.sequence)
    }

    package func purge(before sequence: UInt64) async throws(StreamMaintenanceError) -> UInt64 {
        switch order.standing {
        case .unknown: throw unknown
        case .single: return try await keeping(0).purge(before: sequence)
        case .ordered: break
        }
        let cut = try await cut(before: sequence)
        var removed: UInt64 = 0
        for (stream, end) in cut.ends.sorted(by: { $0.key < $1.key }) where end > 0 {
            removed += try await keeping(stream).purge(before: end + 1)
        }
        // Purge the entries after the records, because they are needed to find the records.
        if cut.entry > 1 { _ = try await order.stream.purge(before: cut.entry, by: keeping(0)) }
        return removed
    }

    /// Returns where to cut the streams and the order before a position.
    ///
    /// For each stream, that is its last record before the position; for the order, the entry that it can start with
    /// then.
    private func cut(before sequence: UInt64) async throws(StreamMaintenanceError) -> (
        ends: [Int: UInt64], entry: UInt64
    ) {
        try await asked { () async throws(BlockDecisionFailure) in
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
                    // For closed streams, everything is before the position.
                    for part in next.runs(from: next.first) where part.first < sequence {
                        ends[part.run.stream] = min(part.run.last, part.run.first + (sequence - part.first) - 1)
                    }
                }
                number += UInt64(page.count)
            }
            return (ends, entry)
        }
    }

    private var unknown: StreamMaintenanceError {
        StreamMaintenanceError(order.trouble ?? "The order of the streams is not known yet.")
    }

    private func asked<Result>(_ body: () async throws(BlockDecisionFailure) -> Result)
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
