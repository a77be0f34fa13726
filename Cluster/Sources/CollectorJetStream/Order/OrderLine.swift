// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// The order of several streams' records as far as it is decided: how far it has come, which streams are open, and how far each of them
/// has come in it. A value: it is told entry by entry, and proposes the next one.
package struct OrderLine: Sendable, Hashable {
    /// The number of the next entry.
    package private(set) var next: UInt64 = 1
    /// The sequence, in the order, of the next record.
    package private(set) var end: UInt64
    /// The number of the entry that opened the streams; 0 before the first entry.
    package private(set) var opened: UInt64 = 0
    /// The streams that take records, ascending, which is the order of their partitions, too.
    package private(set) var streams: [Int]
    /// The last record of each open stream that is in the order; 0 for none.
    package private(set) var ends: [Int: UInt64]

    /// The order before its first entry: the records of the first stream, which alone was open, in their own order.
    ///
    /// - Parameter end: The sequence of its last record; 0 for none.
    package init(behind end: UInt64) {
        self.end = end + 1
        streams = [0]
        ends = [0: end]
    }

    /// The order as it was before an entry that needs nothing from before; nil when it needs more.
    package init?(before entry: OrderEntry) {
        next = entry.number
        end = entry.first
        if case .opened = entry.content {
            // What was open before is not known, and nothing of it follows.
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

    /// The stream of a partition, by the entry that opened the streams; nil before one is known.
    package func stream(of partition: Int) -> Int? { streams.isEmpty ? nil : streams[partition % streams.count] }

    /// The partitions of a stream; none where it is not open.
    package func partitions(of stream: Int) -> [Int] { Self.partitions(of: streams)[stream] ?? [] }

    /// The partitions of streams that are open together.
    package static func partitions(of streams: [Int]) -> [Int: [Int]] {
        Dictionary(
            uniqueKeysWithValues: streams.enumerated().map { place, stream in
                (stream, Array(Swift.stride(from: place, to: StreamPlace.partitions, by: streams.count)))
            }
        )
    }

    /// Takes the next entry.
    ///
    /// - Throws: ``OrderFault``; then nothing of it was taken.
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

    /// An entry that puts into the order what it has not; nil when there is nothing.
    ///
    /// - Parameter known: The last record of each stream that is known to be stored.
    /// - Complexity: O(streams).
    package func proposal(known: [Int: UInt64]) -> OrderEntry? {
        let runs = ends.sorted { $0.key < $1.key }.compactMap { stream, end -> OrderRun? in
            guard let last = known[stream], last > end else { return nil }
            return OrderRun(stream: stream, first: end + 1, last: last)
        }
        // Without an entry that opened streams there is one stream, whose order is its own.
        guard !runs.isEmpty, opened > 0 else { return nil }
        return OrderEntry(number: next, first: end, opened: opened, content: .runs(runs), ends: told)
    }

    /// An entry that opens other streams.
    package func opening(_ streams: [Int]) -> OrderEntry {
        OrderEntry(number: next, first: end, opened: next, content: .opened(streams.sorted()), ends: told)
    }

    private var told: [Int: UInt64]? { next % OrderEntry.stride == 1 ? ends : nil }
}

/// Why an entry of the order cannot be the next one: somebody else writes there, or it is another order.
package enum OrderFault: Error, Sendable, Hashable, CustomStringConvertible {
    /// It has another number.
    case number(UInt64, expected: UInt64)
    /// It does not begin where the one before it ends.
    case place(UInt64, begins: UInt64, end: UInt64)
    /// It says of a stream's end what is not so.
    case ends(UInt64)
    /// It opens a stream that was open before.
    case reopened(UInt64, stream: Int)
    /// It has records of a stream that is not open.
    case streams(UInt64, stream: Int)
    /// It passes records of a stream over, or has some twice.
    case run(UInt64, OrderRun, expected: UInt64)

    package var description: String {
        switch self {
        case .number(let number, let expected):
            "In place \(expected) of the order stands entry \(number): \(Self.remedy)"
        case .place(let number, let begins, let end):
            "Entry \(number) of the order begins with record \(begins), and \(end) is what follows: \(Self.remedy)"
        case .ends(let number):
            "Entry \(number) of the order says of its streams what the entries before it do not: \(Self.remedy)"
        case .reopened(let number, let stream):
            "Entry \(number) of the order opens the stream INTAKE_\(stream), which was open before: \(Self.remedy)"
        case .streams(let number, let stream):
            "Entry \(number) of the order has records of the stream INTAKE_\(stream), which is not open: \(Self.remedy)"
        case .run(let number, let run, let expected):
            "Entry \(number) of the order goes on in the stream INTAKE_\(run.stream) with record \(run.first), and \(expected) is what "
                + "follows: \(Self.remedy)"
        }
    }

    private static let remedy = "somebody else writes into the stream of the order. See who may."
}
