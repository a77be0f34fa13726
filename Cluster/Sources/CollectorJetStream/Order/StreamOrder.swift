// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// The state of the order after its known entries.
///
/// The state consists of the order's end, the open streams, and the last ordered record of each open stream.
///
/// A value type that applies entries one by one, and proposes the next entry.
package struct StreamOrder: Sendable, Hashable {
    /// The number of the next entry.
    package private(set) var next: UInt64 = 1
    /// The sequence, in the order, of the next record.
    package private(set) var end: UInt64
    /// The number of the latest opening entry; 0 before the first.
    package private(set) var opened: UInt64 = 0
    /// The streams that accept records, in ascending order.
    ///
    /// Partitions are assigned to streams in this order.
    package private(set) var streams: [Int]
    /// The sequence, in each open stream, of its last ordered record.
    ///
    /// The sequence is 0 if the order contains no records from the stream.
    package private(set) var ends: [Int: UInt64]

    /// Creates the order before its first entry.
    ///
    /// The order then consists of the records of the first stream, the only one so far, in that stream's own order.
    ///
    /// - Parameter end: The sequence of the first stream's last record; 0 for none.
    package init(after end: UInt64) {
        self.end = end + 1
        streams = [0]
        ends = [0: end]
    }

    /// Creates the order before an entry that a reader can start with.
    ///
    /// Returns nil for any other entry.
    package init?(before entry: OrderEntry) {
        next = entry.number
        end = entry.first
        if case .opened = entry.content {
            // The previously open streams are unknown, but none of their records follow.
            opened = entry.number - 1
            streams = []
            ends = [:]
        } else {
            guard let ends = entry.ends, !ends.isEmpty else { return nil }
            opened = entry.opened
            streams = ends.keys.sorted()
            self.ends = ends
        }
    }

    /// Returns the stream for a partition, according to the latest opening entry.
    ///
    /// Returns nil until such an entry is known.
    package func stream(of partition: Int) -> Int? { streams.isEmpty ? nil : streams[partition % streams.count] }

    /// Returns the partitions of a stream; empty if the stream is not open.
    package func partitions(of stream: Int) -> [Int] { Self.partitions(of: streams)[stream] ?? [] }

    /// Returns the partitions of streams that are open together.
    package static func partitions(of streams: [Int]) -> [Int: [Int]] {
        Dictionary(
            uniqueKeysWithValues: streams.enumerated().map { index, stream in
                (stream, Array(Swift.stride(from: index, to: StreamNames.partitions, by: streams.count)))
            }
        )
    }

    /// Applies the next entry.
    ///
    /// - Throws: ``OrderFault`` if the entry cannot be the next one. In that case, nothing is applied.
    package mutating func apply(_ entry: OrderEntry) throws(OrderFault) {
        guard entry.number == next else { throw .number(entry.number, expected: next) }
        guard entry.first == end else { throw .position(entry.number, begins: entry.first, end: end) }
        if let recorded = entry.ends, !streams.isEmpty, recorded != ends { throw .ends(entry.number) }
        switch entry.content {
        case .opened(let streams):
            if let known = streams.first(where: { $0 <= (self.streams.last ?? 0) }) {
                throw .reopened(entry.number, stream: known)
            }
            self.streams = streams
            ends = Dictionary(uniqueKeysWithValues: streams.map { ($0, 0) })
            opened = entry.number
        case .runs(let runs):
            guard entry.opened == opened else { throw .streams(entry.number, stream: runs[0].stream) }
            var ends = ends
            for run in runs {
                guard let known = ends[run.stream] else { throw .streams(entry.number, stream: run.stream) }
                guard run.first == known + 1 else { throw .run(entry.number, run, expected: known + 1) }
                ends[run.stream] = run.last
            }
            self.ends = ends
            end = entry.end
        }
        next = entry.number + 1
    }

    /// Returns an entry that adds missing records; nil if none are missing.
    ///
    /// - Parameter known: For each stream, the last record that is known to be stored.
    /// - Complexity: O(streams).
    package func proposal(known: [Int: UInt64]) -> OrderEntry? {
        let runs = ends.sorted { $0.key < $1.key }.compactMap { stream, end -> OrderRun? in
            guard let last = known[stream], last > end else { return nil }
            return OrderRun(stream: stream, first: end + 1, last: last)
        }
        // Until an entry opens streams, the only stream has its own order.
        guard !runs.isEmpty, opened > 0 else { return nil }
        return OrderEntry(number: next, first: end, opened: opened, content: .runs(runs), ends: endsToRecord)
    }

    /// Returns an entry that opens the given streams.
    package func openingEntry(for streams: [Int]) -> OrderEntry {
        OrderEntry(number: next, first: end, opened: next, content: .opened(streams.sorted()), ends: endsToRecord)
    }

    private var endsToRecord: [Int: UInt64]? { next % OrderEntry.stride == 1 ? ends : nil }
}

/// Why an entry cannot be the next one.
///
/// Either another client writes to the stream of the order, or the entry belongs to a different order.
package enum OrderFault: Error, Sendable, Hashable, CustomStringConvertible {
    /// The entry has an unexpected number.
    case number(UInt64, expected: UInt64)
    /// The entry does not start where the previous entry ends.
    case position(UInt64, begins: UInt64, end: UInt64)
    /// The entry's stream ends contradict the previous entries.
    case ends(UInt64)
    /// The entry opens a stream that was previously open.
    case reopened(UInt64, stream: Int)
    /// The entry contains records from a stream that is not open.
    case streams(UInt64, stream: Int)
    /// The entry skips or repeats a stream's records.
    case run(UInt64, OrderRun, expected: UInt64)

    package var description: String {
        switch self {
        case .number(let number, let expected):
            "Entry \(expected) of the order has the number \(number): \(Self.remedy)"
        case .position(let number, let begins, let end):
            "Entry \(number) of the order starts with record \(begins) instead of \(end): \(Self.remedy)"
        case .ends(let number):
            "Entry \(number) of the order contradicts the stream ends of the entries before it: \(Self.remedy)"
        case .reopened(let number, let stream):
            "Entry \(number) of the order opens the stream INTAKE_\(stream) again: \(Self.remedy)"
        case .streams(let number, let stream):
            "Entry \(number) of the order contains records from INTAKE_\(stream), which is not open: \(Self.remedy)"
        case .run(let number, let run, let expected):
            "Entry \(number) of the order continues the stream INTAKE_\(run.stream) with record \(run.first) instead "
                + "of \(expected): \(Self.remedy)"
        }
    }

    private static let remedy = "another client writes to the order stream. Check who is allowed to publish to it."
}
