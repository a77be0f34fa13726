// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// The parts of one batch that still have to travel, front first.
///
/// A refused batch is halved until the guilty event stands alone. When a refused part's first half passes, the second half
/// is known to hold a guilty event, and is halved again without being sent: finding one among a thousand takes about ten
/// requests.
package struct BatchSplitter: Sendable, Hashable {
    private struct Part: Sendable, Hashable {
        var records: Range<Int>
        /// True when the part must be refused if everything before it in its parent passes.
        var inheritsGuilt = false
    }

    // The front is last, so that taking it is cheap.
    private var parts: [Part]

    /// Starts with the whole batch as one part, even when it holds no event (it may still speak for gaps).
    package init(count: Int) {
        parts = [Part(records: 0..<max(0, count))]
    }

    /// The part to send next; nil when everything is settled.
    package var front: Range<Int>? { parts.last?.records }

    /// True while the batch is in more than one part.
    package var isSplit: Bool { parts.count > 1 }

    /// The back-end took the front.
    ///
    /// - Parameter refusedSome: True when it refused some of its events; they explain an earlier refusal of the whole.
    package mutating func frontPassed(refusedSome: Bool = false) {
        guard parts.popLast() != nil, let next = parts.indices.last, parts[next].inheritsGuilt else { return }
        parts[next].inheritsGuilt = false
        if !refusedSome { halveFront(guiltKnown: true) }
    }

    /// The front, a single event or none, became a dead letter.
    ///
    /// - Parameter rejoining: True when everything behind it is under no suspicion any more and travels as one part again.
    package mutating func frontBecameDeadLetter(rejoining: Bool) {
        guard parts.popLast() != nil, let next = parts.last, let last = parts.first else { return }
        if rejoining {
            parts = [Part(records: next.records.lowerBound..<last.records.upperBound)]
        } else {
            parts[parts.count - 1].inheritsGuilt = false
        }
    }

    /// Halves the front.
    ///
    /// - Parameter guiltKnown: True when the front was refused for an event in it rather than for its size.
    /// - Returns: False when it holds a single event or none.
    @discardableResult
    package mutating func halveFront(guiltKnown: Bool) -> Bool {
        guard let part = parts.last, part.records.count > 1 else { return false }
        let middle = part.records.lowerBound + part.records.count / 2
        parts.removeLast()
        if let last = parts.indices.last {
            // The refusal is explained by this part; the part behind it is under no suspicion now.
            parts[last].inheritsGuilt = false
        }
        parts.append(Part(records: middle..<part.records.upperBound, inheritsGuilt: guiltKnown))
        parts.append(Part(records: part.records.lowerBound..<middle))
        return true
    }
}
