// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import TrackwayCore

/// The expected content of one queue.
///
/// It holds the unsettled events by writer, with released events first.
struct QueueModel {
    struct Line {
        var texts: [String] = []
        var released = 0

        var waiting: ArraySlice<String> { texts[released...] }
    }

    private(set) var lines: [Line] = []
    private(set) var recorded: UInt64 = 0
    private(set) var delivered: UInt64 = 0
    private(set) var dropped: UInt64 = 0

    var waiting: [String] { lines.flatMap(\.waiting) }
    var released: [String] { lines.flatMap { $0.texts[..<$0.released] } }

    mutating func record(_ text: String, at writer: Int) {
        while lines.count <= writer { lines.append(Line()) }
        lines[writer].texts.append(text)
        recorded += 1
    }

    /// - Returns: the number of released events.
    mutating func transfer() -> UInt64 {
        let count = waiting.count
        for index in lines.indices { lines[index].released = lines[index].texts.count }
        return UInt64(count)
    }

    /// Returns the events that are read next, limited to `most`.
    func next(_ most: Int) -> [String] {
        guard let line = lines.first(where: { $0.released > 0 }) else { return [] }
        return Array(line.texts.prefix(min(most, line.released)))
    }

    mutating func settle(_ count: Int) {
        guard let index = lines.firstIndex(where: { $0.released > 0 }) else { return }
        lines[index].texts.removeFirst(count)
        lines[index].released -= count
        delivered += UInt64(count)
    }

    /// Applies a trim that left these waiting events and no released events.
    ///
    /// - Returns: false if dropping the oldest events could not have left these.
    mutating func trim(leaving left: [String]) -> Bool {
        var rest = left[...]
        for index in lines.indices {
            let before = lines[index].waiting
            let kept = rest.prefix { before.contains($0) }
            guard before.suffix(kept.count).elementsEqual(kept) else { return false }
            rest = rest.dropFirst(kept.count)
            dropped += UInt64(before.count - kept.count)
            lines[index] = Line(texts: Array(kept))
        }
        return rest.isEmpty
    }
}
