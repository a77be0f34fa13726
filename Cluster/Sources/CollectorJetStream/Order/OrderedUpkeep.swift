// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import Collector
package import TrackwayEvents

/// The upkeep of all streams as one line of records: how far it is read, and what can be removed from its beginning. Safe from any thread.
///
/// Everything before a place of the order goes: from each stream what is before it there, and from the order the entries that nobody
/// needs any more.
package final class OrderedUpkeep: StreamUpkeep {
    private let order: OrderFollower
    private let keeping: @Sendable (Int) -> StreamKeeping

    /// The upkeep of an order.
    ///
    /// - Parameter keeping: The upkeep of a stream of a number.
    init(_ order: OrderFollower, keeping: @escaping @Sendable (Int) -> StreamKeeping) {
        self.order = order
        self.keeping = keeping
    }

    // MARK: Readers

    /// Says how far a collector's index has read the order.
    ///
    /// - Parameters:
    ///   - name: Which collector, as ``ReaderPlace/name`` has it.
    ///   - next: The sequence, in the order, of the first record that its index does not have; 1 or more.
    /// - Throws: ``UpkeepFailure``; it may be kept nevertheless.
    package func tell(_ name: String, next: UInt64) async throws(UpkeepFailure) {
        try await keeping(0).tell(name, next: next)
    }

    package func readers() async throws(UpkeepFailure) -> [ReaderPlace] { try await keeping(0).readers() }

    /// Forgets what a collector said. One that runs says it again.
    ///
    /// - Throws: ``UpkeepFailure``; it may be forgotten nevertheless.
    package func forget(_ name: String) async throws(UpkeepFailure) { try await keeping(0).forget(name) }

    // MARK: Records

    package func extent() async throws(UpkeepFailure) -> StreamExtent {
        switch order.standing {
        case .unknown: throw unknown
        case .single: return try await keeping(0).extent()
        case .ordered(let line):
            return StreamExtent(first: try await first(line), last: line.end - 1)
        }
    }

    /// The first record of the order that is there with all behind it: the one behind the last that is gone.
    private func first(_ line: OrderLine) async throws(UpkeepFailure) -> UInt64 {
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
                // Before the first entry of all the first stream has records of its own.
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
            // A purge takes a beginning of the order, so nothing is gone behind what is there.
            if !isTouched { break }
            number += UInt64(page.count)
        }
        return first
    }

    package func time(of sequence: UInt64) async throws(UpkeepFailure) -> Timestamp? {
        let place: (stream: Int, sequence: UInt64)?
        do {
            place = try await order.place(of: sequence)
        } catch let fault as StreamFault where fault.isGap {
            return nil
        } catch {
            throw UpkeepFailure("\(error)")
        }
        guard let place else { return nil }
        return try await keeping(place.stream).time(of: place.sequence)
    }

    package func purge(before sequence: UInt64) async throws(UpkeepFailure) -> UInt64 {
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
        // Behind the records: as long as they are there, somebody may want to know where.
        if cut.entry > 1 { _ = try await order.stream.purge(before: cut.entry, by: keeping(0)) }
        return removed
    }

    /// The last record of each stream that lies before a place of the order, and the entry with which the order can begin then.
    private func cut(before sequence: UInt64) async throws(UpkeepFailure) -> (ends: [Int: UInt64], entry: UInt64) {
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
                    // Of streams that are closed everything lies before what follows.
                    for part in next.runs(from: next.first) where part.first < sequence {
                        ends[part.run.stream] = min(part.run.last, part.run.first + (sequence - part.first) - 1)
                    }
                }
                number += UInt64(page.count)
            }
            return (ends, entry)
        }
    }

    private var unknown: UpkeepFailure {
        UpkeepFailure(order.trouble ?? "The order of the engine's streams is not known yet.")
    }

    private func asked<Result>(_ body: () async throws(BlockDecisionFailure) -> Result) async throws(UpkeepFailure)
        -> Result
    {
        do {
            return try await body()
        } catch {
            throw UpkeepFailure(error.description)
        }
    }
}
