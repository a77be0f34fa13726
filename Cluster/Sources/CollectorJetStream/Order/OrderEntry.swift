// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
internal import TrackwayEvents

/// Records of one stream that follow one another in the order.
package struct OrderRun: Sendable, Hashable {
    /// The stream's number.
    package var stream: Int
    /// The sequence of the first of them in their stream.
    package var first: UInt64
    /// The sequence of the last of them in their stream.
    package var last: UInt64

    /// A run.
    package init(stream: Int, first: UInt64, last: UInt64) {
        self.stream = stream
        self.first = first
        self.last = last
    }

    /// How many records these are.
    package var count: UInt64 { last - first + 1 }
}

/// One entry of the order in which the records of several streams follow one another, decided once and for all: whoever reads the
/// streams reads them in this order, so that every store is made of the same line of records.
package struct OrderEntry: Sendable, Hashable {
    /// What an entry says.
    package enum Content: Sendable, Hashable {
        /// From here on these streams take the records, and those before them take none any more. Their numbers ascend, and partition p
        /// belongs to the one at place p modulo how many there are.
        case opened([Int])
        /// These records follow next.
        case runs([OrderRun])
    }

    /// So often an entry says how far each stream has come in the order: whoever begins there needs no entry from before.
    package static let stride: UInt64 = 64

    /// Its number; entries are counted from 1, without gaps.
    package var number: UInt64
    /// The sequence, in the order, of the first record behind the entries before it.
    package var first: UInt64
    /// The number of the entry that opened the streams of its time; its own where it opens some.
    package var opened: UInt64
    /// What it says.
    package var content: Content
    /// How far each open stream had come before it; nil where that is not said.
    package var ends: [Int: UInt64]?

    /// An entry.
    package init(number: UInt64, first: UInt64, opened: UInt64, content: Content, ends: [Int: UInt64]? = nil) {
        self.number = number
        self.first = first
        self.opened = opened
        self.content = content
        self.ends = ends
    }

    /// Its records, stream by stream.
    package var runs: [OrderRun] {
        if case .runs(let runs) = content { runs } else { [] }
    }

    /// The sequence, in the order, of the first record behind it.
    package var end: UInt64 { runs.reduce(first) { $0 + $1.count } }

    /// Whether whoever begins with it needs no entry from before.
    package var isBeginning: Bool {
        if case .opened = content { true } else { ends != nil }
    }
}

extension OrderEntry {
    /// Reads `{"entry":2,"first":17,"opened":1,"runs":[[1,1,40],[2,1,8]],"ends":[[1,0],[2,0]]}`, or `"streams":[1,2]` in place of runs;
    /// nil when it is something else. Members it does not know are passed over.
    ///
    /// - Complexity: O(bytes).
    package init?(json bytes: [UInt8]) {
        // What is no entry is told as such, whatever else it is.
        guard let json = try? JSONValue.parse(bytes),
            let number = Self.sequence(json["entry"]), number > 0,
            let first = Self.sequence(json["first"]), first > 0,
            let opened = Self.sequence(json["opened"]), (1...number).contains(opened)
        else { return nil }
        let content: Content
        if let streams = json["streams"]?.array {
            let numbers = streams.compactMap(Self.stream)
            guard opened == number, !numbers.isEmpty, numbers.count == streams.count,
                numbers.count <= StreamPlace.partitions,
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
        // The first stream's end stands in the entry that opens those after it.
        guard let list = value.array, list.count == 2, let stream = sequence(list[0]), let end = sequence(list[1]),
            stream <= EventPosition.maximumStream
        else { return nil }
        return (Int(stream), end)
    }

    /// The entry as it is kept.
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
