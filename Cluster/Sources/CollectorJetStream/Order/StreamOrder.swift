// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// The state of the order after its known entries.
///
/// Consists of its end, the open streams, and their ends in it.
///
/// A value type: it applies one entry after the other, and proposes the next one.
package struct StreamOrder: Sendable, Hashable {
    /// The number of the next entry.
    package private(set) var next: UInt64 = 1
    /// The sequence, in the order, of the next record.
    package private(set) var end: UInt64
    /// The number of the entry that opened the streams; 0 before the first.
    package private(set) var opened: UInt64 = 0
    /// The streams that accept records, ascending, as their partitions are assigned.
    package private(set) var streams: [Int]
    /// The last record of each open stream in the order; 0 for none.
    package private(set) var ends: [Int: UInt64]

    /// Creates the order before its first entry.
    ///
    /// It has the records of the first stream, then the only one, in its own order.
    ///
    /// - Parameter end: The sequence of its last record; 0 for none.
    package init(behind end: UInt64) {
        self.end = end + 1
        streams = [0]
        ends = [0: end]
    }

    /// Creates the order before an entry that a reader can start with.
    ///
    /// Nil for any other entry.
    package init?(before entry: OrderEntry) {
        next = entry.number
        end = entry.first
        if case .opened = entry.content {
            // Which streams were open before is unknown, but none of their records follow.
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

    /// The stream of a partition, according to the entry that opened the streams.
    ///
    /// Nil before one is known.
    package func stream(of partition: Int) -> Int? { streams.isEmpty ? nil : streams[partition % streams.count] }

    /// The partitions of a stream; none if it is not open.
    package func partitions(of stream: Int) -> [Int] { Self.partitions(of: streams)[stream] ?? [] }

    /// The partitions of streams that are open together.
    package static func partitions(of streams: [Int]) -> [Int: [Int]] {
        Dictionary(
            uniqueKeysWithValues: streams.enumerated().map { place, stream in
                (stream, Array(Swift.stride(from: place, to: StreamNames.partitions, by: streams.count)))
            }
        )
    }

    /// Applies the next entry.
    ///
    /// - Throws: ``OrderFault``; nothing is applied then.
    package mutating func take(_ entry: OrderEntry) throws(OrderFault) {
        guard entry.number == next else { throw .number(entry.number, expected: next) }
        guard entry.first == end else { throw .place(entry.number, begins: entry.first, end: end) }
        if let told = entry.ends, !streams.isEmpty, told != ends { throw .ends(entry.number) }
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
    /// - Parameter known: The last record of each stream that is known to be stored.
    /// - Complexity: O(streams).
    package func proposal(known: [Int: UInt64]) -> OrderEntry? {
        let runs = ends.sorted { $0.key < $1.key }.compactMap { stream, end -> OrderRun? in
            guard let last = known[stream], last > end else { return nil }
            return OrderRun(stream: stream, first: end + 1, last: last)
        }
        // Without an entry that opened streams, there is one stream in its own order.
        guard !runs.isEmpty, opened > 0 else { return nil }
        return OrderEntry(number: next, first: end, opened: opened, content: .runs(runs), ends: told)
    }

    /// Returns an entry that opens other streams.
    package func opening(_ streams: [Int]) -> OrderEntry {
        OrderEntry(number: next, first: end, opened: next, content: .opened(streams.sorted()), ends: told)
    }

    private var told: [Int: UInt64]? { next % OrderEntry.stride == 1 ? ends : nil }
}

/// Why an entry cannot be the next one.
///
/// Another client writes to the stream, or it is a different order.
package enum OrderFault: Error, Sendable, Hashable, CustomStringConvertible {
    /// It has a different number.
    case number(UInt64, expected: UInt64)
    /// It does not start where the entry before it ends.
    case place(UInt64, begins: UInt64, end: UInt64)
    /// Its stream ends contradict the entries before it.
    case ends(UInt64)
    /// It opens a stream that was open before.
    case reopened(UInt64, stream: Int)
    /// It has records of a stream that is not open.
    case streams(UInt64, stream: Int)
    /// It skips or repeats records of a stream.
    case run(UInt64, OrderRun, expected: UInt64)

    package var description: String {
        switch self {
        case .number(let number, let expected):
            "Entry \(expected) of the order has the number \(number): \(Self.remedy)"
        case .place(let number, let begins, let end):
            "Entry \(number) of the order starts with record \(begins) instead of \(end): \(Self.remedy)"
        case .ends(let number):
            "Entry \(number) of the order contradicts the stream ends of the entries before it: \(Self.remedy)"
        case .reopened(let number, let stream):
            "Entry \(number) of the order opens the stream INTAKE_\(stream), which was open before: \(Self.remedy)"
        case .streams(let number, let stream):
            "Entry \(number) of the order has records of the stream INTAKE_\(stream), which is not open: \(Self.remedy)"
        case .run(let number, let run, let expected):
            "Entry \(number) of the order continues the stream INTAKE_\(run.stream) with record \(run.first) instead "
                + "of \(expected): \(Self.remedy)"
        }
    }

    private static let remedy = "another client writes to the stream of the order. Check who is allowed to."
}
