// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// Decides which bodies may be in memory.
///
/// A value type: its owner guards it with a lock, reports events to it, and carries out its decisions.
///
/// Bodies are served in the order of arrival, with two exceptions for fairness: no sender gets more than its share, and
/// a body that waits for its sender's share lets others pass.
struct BodyQueue: Sendable {
    /// The decision on a body for which memory was requested.
    enum Verdict: Sendable, Hashable {
        /// The body may proceed.
        case granted
        /// The body waits and has this number.
        case queued(Int)
        /// Too many bodies are waiting already.
        case refused
    }

    private struct Waiting: Sendable {
        let number: Int
        let sender: String
        let bytes: Int
    }

    /// The number of bytes granted but not yet released.
    private(set) var used = 0
    private var usedBySender: [String: Int] = [:]
    private var waiting: [Waiting] = []
    private var next = 0
    private let limit: Int
    private let maxWaiting: Int

    /// Creates a queue that admits `limit` bytes in total.
    ///
    /// One sender may use half of these bytes.
    init(limit: Int, maxWaiting: Int = 1_024) {
        self.limit = limit
        self.maxWaiting = maxWaiting
    }

    /// The number of waiting bodies.
    var count: Int { waiting.count }

    /// Requests memory for a body of `bytes` bytes.
    ///
    /// A body that is longer than the limit is granted only when it is alone.
    ///
    /// - Complexity: O(waiting).
    mutating func reserve(_ bytes: Int, by sender: String) -> Verdict {
        let number = next
        next += 1
        waiting.append(Waiting(number: number, sender: sender, bytes: bytes))
        if admitWaiting().contains(number) { return .granted }
        guard waiting.count <= maxWaiting else {
            waiting.removeAll { $0.number == number }
            return .refused
        }
        return .queued(number)
    }

    /// Releases bytes.
    ///
    /// - Returns: The bodies that may proceed as a result, in order.
    mutating func release(_ bytes: Int, by sender: String) -> [Int] {
        used -= bytes
        let left = (usedBySender[sender] ?? 0) - bytes
        usedBySender[sender] = left > 0 ? left : nil
        return admitWaiting()
    }

    /// Removes a body that no longer waits.
    ///
    /// - Returns: Whether it was still waiting, and the numbers of the bodies that may proceed as a result.
    mutating func cancel(_ number: Int) -> (wasWaiting: Bool, admitted: [Int]) {
        guard let place = waiting.firstIndex(where: { $0.number == number }) else { return (false, []) }
        waiting.remove(at: place)
        return (true, admitWaiting())
    }

    private mutating func admitWaiting() -> [Int] {
        var numbers: [Int] = []
        var still: [Waiting] = []
        var isBlocked = false
        for body in waiting {
            let own = usedBySender[body.sender] ?? 0
            // Compare with the remainder: `bytes` can be any number, and a sum could overflow.
            let hasShare = own == 0 || body.bytes <= limit / 2 - own
            let hasRoom = used == 0 || body.bytes <= limit - used
            if !isBlocked, hasShare, hasRoom {
                used += body.bytes
                usedBySender[body.sender] = own + body.bytes
                numbers.append(body.number)
            } else {
                // A body that lacks memory blocks all bodies after it, or a long body could wait indefinitely.
                if hasShare { isBlocked = true }
                still.append(body)
            }
        }
        waiting = still
        return numbers
    }
}
