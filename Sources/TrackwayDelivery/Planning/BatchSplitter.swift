// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// The unsent parts of one batch, front first.
///
/// A refused batch is halved until the offending event is alone. If the first half of a refused part is accepted, the
/// second half must contain an offending event, and is halved again without being sent. Finding one event among a
/// thousand takes about ten requests.
package struct BatchSplitter: Sendable, Equatable {
    private struct Part: Sendable, Equatable {
        var records: Range<Int>
        /// Whether the part would explain its parent's refusal.
        ///
        /// If everything before it in its parent is accepted, the part must contain an offending event.
        var explainsRefusal = false
    }

    // The front part is last in the array, so that removing it is cheap.
    private var parts: [Part]

    /// Starts with the whole batch as one part.
    ///
    /// The batch may contain no events, because it may still report gaps.
    package init(count: Int) {
        parts = [Part(records: 0..<max(0, count))]
    }

    /// The part to send next; nil if everything is settled.
    package var front: Range<Int>? { parts.last?.records }

    /// Whether the batch is in more than one part.
    package var isSplit: Bool { parts.count > 1 }

    /// Handles the acceptance of the front part.
    ///
    /// - Parameter refusedSome: Whether the response refused some of the events. Those events then explain an earlier
    ///   refusal of the whole.
    package mutating func frontAccepted(refusedSome: Bool = false) {
        guard parts.popLast() != nil, let next = parts.indices.last, parts[next].explainsRefusal else { return }
        parts[next].explainsRefusal = false
        if !refusedSome { halveFront(hasOffendingEvent: true) }
    }

    /// Handles a front part, with at most one event, that became a dead letter.
    ///
    /// - Parameter rejoining: Whether the parts after the front part are no longer suspect and are sent as one part
    ///   again.
    package mutating func frontBecameDeadLetter(rejoining: Bool) {
        guard parts.popLast() != nil, let next = parts.last, let last = parts.first else { return }
        if rejoining {
            parts = [Part(records: next.records.lowerBound..<last.records.upperBound)]
        } else {
            parts[parts.count - 1].explainsRefusal = false
        }
    }

    /// Halves the front part.
    ///
    /// - Parameter hasOffendingEvent: Whether the part was refused because of one of its events rather than its size.
    /// - Returns: False if the part contains at most one event and was not halved.
    @discardableResult
    package mutating func halveFront(hasOffendingEvent: Bool) -> Bool {
        guard let part = parts.last, part.records.count > 1 else { return false }
        let middle = part.records.lowerBound + part.records.count / 2
        parts.removeLast()
        if let last = parts.indices.last {
            // This part explains the refusal; the part after it is no longer suspect.
            parts[last].explainsRefusal = false
        }
        parts.append(Part(records: middle..<part.records.upperBound, explainsRefusal: hasOffendingEvent))
        parts.append(Part(records: part.records.lowerBound..<middle))
        return true
    }
}
