// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import TrackwayCore

/// Consecutive records of one stream within the order.
package struct OrderRun: Sendable, Hashable {
    /// The stream's number.
    package var stream: Int
    /// The sequence of the first record in the stream.
    package var first: UInt64
    /// The sequence of the last record in the stream.
    package var last: UInt64

    /// Creates a run.
    package init(stream: Int, first: UInt64, last: UInt64) {
        self.stream = stream
        self.first = first
        self.last = last
    }

    /// The number of records.
    package var count: UInt64 { last - first + 1 }
}

/// An entry of the common order of several streams' records.
///
/// An entry is final once decided. All readers read the streams in this order, so every store is built from the same
/// sequence of records.
package struct OrderEntry: Sendable, Hashable {
    /// The content of an entry.
    package enum Content: Sendable, Hashable {
        /// Opens these streams and closes the earlier ones.
        ///
        /// From this entry on, only these streams accept records.
        ///
        /// The stream numbers ascend; partition p belongs to the stream at index p modulo the number of streams.
        case opened([Int])
        /// Adds these records to the order.
        case runs([OrderRun])
    }

    /// The interval, in entries, at which an entry includes the streams' ends.
    ///
    /// A reader that starts with such an entry needs no earlier one.
    package static let stride: UInt64 = 64

    /// The entry's number. Entries are numbered from 1, without gaps.
    package var number: UInt64
    /// The sequence, in the order, of the first record after earlier entries.
    package var first: UInt64
    /// The number of the entry that opened the current streams.
    ///
    /// The value is the entry's own number if the entry opens streams.
    package var opened: UInt64
    /// The content.
    package var content: Content
    /// The end of each open stream before this entry.
    ///
    /// Nil if the entry does not include the ends.
    package var ends: [Int: UInt64]?

    /// Creates an entry.
    package init(number: UInt64, first: UInt64, opened: UInt64, content: Content, ends: [Int: UInt64]? = nil) {
        self.number = number
        self.first = first
        self.opened = opened
        self.content = content
        self.ends = ends
    }

    /// The entry's records, as runs.
    package var runs: [OrderRun] {
        if case .runs(let runs) = content { runs } else { [] }
    }

    /// The sequence, in the order, of the first record after the entry.
    package var end: UInt64 { runs.reduce(first) { $0 + $1.count } }

    /// Whether a reader can start with this entry, without earlier ones.
    package var isBeginning: Bool {
        if case .opened = content { true } else { ends != nil }
    }
}

extension OrderEntry {
    /// Parses `{"entry":2,"first":17,"opened":1,"runs":[[1,1,40],[2,1,8]],"ends":[[1,0],[2,0]]}`, or the same with
    /// `"streams":[1,2]` instead of `runs`.
    ///
    /// Returns nil for anything else.
    ///
    /// Unknown members are ignored.
    ///
    /// - Complexity: O(bytes).
    package init?(json bytes: [UInt8]) {
        // The caller reports an invalid entry, regardless of the parsing error.
        guard let json = try? JSONValue.parse(bytes),
            let number = Self.sequence(json["entry"]), number > 0,
            let first = Self.sequence(json["first"]), first > 0,
            let opened = Self.sequence(json["opened"]), (1...number).contains(opened)
        else { return nil }
        let content: Content
        if let streams = json["streams"]?.array {
            let numbers = streams.compactMap(Self.stream)
            guard opened == number, !numbers.isEmpty, numbers.count == streams.count,
                numbers.count <= StreamNames.partitions,
                zip(numbers, numbers.dropFirst()).allSatisfy(<)
            else { return nil }
            content = .opened(numbers)
        } else {
            guard let lists = json["runs"]?.array, !lists.isEmpty, opened < number else { return nil }
            let runs = lists.compactMap(Self.run)
            guard runs.count == lists.count else { return nil }
            content = .runs(runs)
        }
        self.init(number: number, first: first, opened: opened, content: content)
        if let lists = json["ends"]?.array {
            let ends = lists.compactMap(Self.end)
            guard ends.count == lists.count, Set(ends.map(\.stream)).count == ends.count else { return nil }
            self.ends = Dictionary(uniqueKeysWithValues: ends.map { ($0.stream, $0.end) })
        }
        let length = runs.reduce(0) { $0 &+ ($1.last &- $1.first) &+ 1 }
        guard length < EventPosition.maximumSequence, first + length <= EventPosition.maximumSequence else {
            return nil
        }
    }

    private static func sequence(_ value: JSONValue?) -> UInt64? {
        guard let integer = value?.integer, (0...Int64(EventPosition.maximumSequence)).contains(integer) else {
            return nil
        }
        return UInt64(integer)
    }

    private static func stream(_ value: JSONValue) -> Int? {
        guard let integer = value.integer, (1...Int64(EventPosition.maximumStream)).contains(integer) else {
            return nil
        }
        return Int(integer)
    }

    private static func run(_ value: JSONValue) -> OrderRun? {
        guard let list = value.array, list.count == 3, let stream = stream(list[0]), let first = sequence(list[1]),
            let last = sequence(list[2]), first > 0, last >= first
        else { return nil }
        return OrderRun(stream: stream, first: first, last: last)
    }

    private static func end(_ value: JSONValue) -> (stream: Int, end: UInt64)? {
        // The first stream's end is in the entry that opens its successors.
        guard let list = value.array, list.count == 2, let stream = sequence(list[0]), let end = sequence(list[1]),
            stream <= EventPosition.maximumStream
        else { return nil }
        return (Int(stream), end)
    }

    /// The entry's stored form.
    package var json: [UInt8] {
        JSONWriter.withThreadBuffer { writer in
            writer.beginObject()
            writer.member("entry", number)
            writer.member("first", first)
            writer.member("opened", opened)
            switch content {
            case .opened(let streams):
                writer.list("streams", streams) { stream, writer in writer.integer(stream) }
            case .runs(let runs):
                writer.list("runs", runs) { run, writer in
                    Self.write([UInt64(run.stream), run.first, run.last], &writer)
                }
            }
            if let ends {
                writer.list("ends", ends.sorted { $0.key < $1.key }) { end, writer in
                    Self.write([UInt64(end.key), end.value], &writer)
                }
            }
            writer.endObject()
            return writer.array()
        }
    }

    private static func write(_ numbers: [UInt64], _ writer: inout JSONWriter) {
        writer.beginArray()
        for number in numbers {
            writer.element()
            writer.integer(number)
        }
        writer.endArray()
    }
}
