// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// Decides whose body may be in memory. A value: the driver holds a lock around it, tells it what happened, and does what it
/// says.
///
/// First come, first served, with two exceptions that keep it fair: no sender gets more than a share, and a body that
/// waits for its sender's share lets others pass.
struct BodyQueue: Sendable {
    /// What becomes of a body that was offered.
    enum Verdict: Sendable, Hashable {
        /// It may come now.
        case granted
        /// It waits under this number.
        case waits(Int)
        /// Too many wait already.
        case refused
    }

    private struct Waiting: Sendable {
        let number: Int
        let sender: String
        let bytes: Int
    }

    /// Bytes granted and not given back.
    private(set) var used = 0
    private var usedBySender: [String: Int] = [:]
    private var waiting: [Waiting] = []
    private var next = 0
    private let limit: Int
    private let maxWaiting: Int

    /// A queue for bodies of so many bytes altogether, half of them for one sender.
    init(limit: Int, maxWaiting: Int = 1_024) {
        self.limit = limit
        self.maxWaiting = maxWaiting
    }

    /// How many wait.
    var count: Int { waiting.count }

    /// A body of so many bytes is offered. One that is longer than the queue allows at all comes alone.
    ///
    /// - Complexity: O(waiting).
    mutating func offered(_ bytes: Int, by sender: String) -> Verdict {
        let number = next
        next += 1
        waiting.append(Waiting(number: number, sender: sender, bytes: bytes))
        if admitted().contains(number) { return .granted }
        guard waiting.count <= maxWaiting else {
            waiting.removeAll { $0.number == number }
            return .refused
        }
        return .waits(number)
    }

    /// Bytes are given back.
    ///
    /// - Returns: Those who may come now, in order.
    mutating func released(_ bytes: Int, by sender: String) -> [Int] {
        used -= bytes
        let left = (usedBySender[sender] ?? 0) - bytes
        usedBySender[sender] = left > 0 ? left : nil
        return admitted()
    }

    /// A body waits no longer.
    ///
    /// - Returns: Whether it was still waiting, and the numbers of those that may come now because of that.
    mutating func gaveUp(_ number: Int) -> (wasWaiting: Bool, admitted: [Int]) {
        guard let place = waiting.firstIndex(where: { $0.number == number }) else { return (false, []) }
        waiting.remove(at: place)
        return (true, admitted())
    }

    private mutating func admitted() -> [Int] {
        var numbers: [Int] = []
        var still: [Waiting] = []
        var isBlocked = false
        for body in waiting {
            let own = usedBySender[body.sender] ?? 0
            // By what is left: any number of bytes may be asked for.
            let hasShare = own == 0 || body.bytes <= limit / 2 - own
            let hasRoom = used == 0 || body.bytes <= limit - used
            if !isBlocked, hasShare, hasRoom {
                used += body.bytes
                usedBySender[body.sender] = own + body.bytes
                numbers.append(body.number)
            } else {
                // Who lacks room holds up everybody behind, or a long body would wait for ever.
                if hasShare { isBlocked = true }
                still.append(body)
            }
        }
        waiting = still
        return numbers
    }
}
