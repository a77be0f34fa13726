// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import TrackwayCore

/// A run of records and its position in the order.
struct OrderedRun: Sendable, Hashable {
    /// The run of records.
    var run: OrderRun
    /// The sequence, in the order, of the first record.
    var first: UInt64

    /// Returns the part of the run that starts at a sequence of the order, with at most `records` records.
    func rest(from sequence: UInt64, records: UInt64) -> OrderedRun {
        let start = run.first + (sequence - first)
        let last = min(run.last, start + records - 1)
        return OrderedRun(run: OrderRun(stream: run.stream, first: start, last: last), first: sequence)
    }
}

extension OrderEntry {
    /// Returns the entry's runs, starting at a sequence of the order.
    func runs(from sequence: UInt64) -> [OrderedRun] {
        var runs: [OrderedRun] = []
        var first = first
        for run in self.runs {
            let end = first + run.count
            if end > sequence {
                let whole = OrderedRun(run: run, first: first)
                runs.append(first >= sequence ? whole : whole.rest(from: sequence, records: run.count))
            }
            first = end
        }
        return runs
    }
}

/// Looks up records by their position in the order, and vice versa.
extension OrderFollower {
    private static let maxPages = 4

    /// Returns the runs that start at a sequence of the order, with at most `records` records in all.
    ///
    /// The result is empty at the end of the order.
    ///
    /// - Throws: ``StreamFault`` if the records are no longer in the order; ``BlockDecisionFailure`` if the order
    ///   currently cannot be read.
    /// - Complexity: O(log entries) requests for a position requested for the first time, and none for a position in
    ///   the newest entries.
    func runs(from sequence: UInt64, records: Int) async throws -> [OrderedRun] {
        guard case .ordered(let streamOrder) = status, sequence < streamOrder.end else { return [] }
        let runs: [OrderedRun]
        if let entries = cachedEntries(from: sequence) {
            runs = entries.flatMap { $0.runs(from: sequence) }
        } else {
            runs = try await read(from: sequence)
        }
        var remaining = UInt64(records)
        var parts: [OrderedRun] = []
        for run in runs where remaining > 0 {
            let part = run.rest(from: run.first, records: remaining)
            remaining -= part.run.count
            parts.append(part)
        }
        return parts
    }

    /// Returns the stream that contains an ordered record, and the record's sequence in that stream.
    ///
    /// Returns nil if the order has no such record.
    func location(of sequence: UInt64) async throws -> (stream: Int, sequence: UInt64)? {
        switch status {
        case .unknown: throw BlockDecisionFailure(failureReason ?? "The order of the streams is not known yet.")
        case .single: return (0, sequence)
        case .ordered:
            return try await runs(from: sequence, records: 1).first.map { ($0.run.stream, $0.run.first) }
        }
    }

    /// Returns the sequence, in the order, of a stream's record.
    ///
    /// Returns nil if the record is not in the order yet.
    ///
    /// For a record that was added to the order long ago, returns the sequence of a later record.
    func sequence(of sequence: UInt64, in stream: Int) -> UInt64? {
        if stream == 0 { return sequence }
        return state.withLock { state in
            guard case .ordered(let streamOrder) = state.status, streamOrder.ends[stream] ?? .max >= sequence else {
                return nil
            }
            for entry in state.recent.reversed() {
                for part in entry.runs(from: entry.first)
                where part.run.stream == stream && (part.run.first...part.run.last).contains(sequence) {
                    return part.first + (sequence - part.run.first)
                }
            }
            return streamOrder.end - 1
        }
    }

    /// Returns the entries in memory, starting with the one that contains a record.
    private func cachedEntries(from sequence: UInt64) -> [OrderEntry]? {
        state.withLock { state in
            if let found = Self.suffix(state.recent, from: sequence) { return found }
            guard let index = state.pages.lastIndex(where: { Self.suffix($0, from: sequence) != nil }) else {
                return nil
            }
            let page = state.pages.remove(at: index)
            state.pages.append(page)
            return Self.suffix(page, from: sequence)
        }
    }

    private static func suffix(_ entries: [OrderEntry], from sequence: UInt64) -> [OrderEntry]? {
        guard let first = entries.first, let last = entries.last, first.first <= sequence, sequence < last.end else {
            return nil
        }
        // Find the first entry that ends after the record.
        var (low, high) = (0, entries.count - 1)
        while low < high {
            let middle = (low + high) / 2
            if entries[middle].end > sequence { high = middle } else { low = middle + 1 }
        }
        return Array(entries[low...])
    }

    private func read(from sequence: UInt64) async throws -> [OrderedRun] {
        var page: [OrderEntry] = []
        // A sequential reader requests the entries after its last page.
        if let number = state.withLock({ $0.pages.last(where: { $0.last?.end == sequence })?.last?.number }) {
            page = try await stream.entries(from: number + 1)
        }
        if let end = state.withLock({ $0.orderStart }), sequence < end {
            return Self.runsBeforeOrder(end, from: sequence)
        }
        if Self.suffix(page, from: sequence) == nil {
            guard let extent = try await stream.extent(), let first = try await stream.entry(extent.first) else {
                throw BlockDecisionFailure("The stream \(OrderStream.name) no longer has entries.")
            }
            if sequence < first.first {
                guard first.number == 1 else {
                    throw StreamFault.gap(stream: OrderStream.name, sequence: sequence, next: first.first)
                }
                state.withLock { $0.orderStart = first.first }
                return Self.runsBeforeOrder(first.first, from: sequence)
            }
            page = try await stream.entries(from: search(sequence, from: first.number, to: extent.last))
        }
        guard let found = Self.suffix(page, from: sequence) else {
            throw BlockDecisionFailure("Record \(sequence)'s entry in \(OrderStream.name) cannot currently be read.")
        }
        state.withLock { [page] state in
            state.pages.append(page)
            state.pages.removeFirst(max(0, state.pages.count - Self.maxPages))
        }
        return found.flatMap { $0.runs(from: sequence) }
    }

    /// Returns the run of the first stream before the first entry.
    ///
    /// Before that entry, only the first stream existed, and its own order applied.
    private static func runsBeforeOrder(_ end: UInt64, from sequence: UInt64) -> [OrderedRun] {
        [OrderedRun(run: OrderRun(stream: 0, first: sequence, last: end - 1), first: sequence)]
    }

    /// Returns the number of the entry that contains a record.
    ///
    /// This is the last entry that does not start after the record.
    private func search(_ sequence: UInt64, from first: UInt64, to last: UInt64) async throws -> UInt64 {
        var (low, high) = (first, last)
        while low < high {
            let middle = low + (high - low + 1) / 2
            guard let entry = try await stream.entry(middle) else {
                throw BlockDecisionFailure("The stream \(OrderStream.name) no longer has entry \(middle).")
            }
            if entry.first <= sequence { low = middle } else { high = middle - 1 }
        }
        return low
    }
}
