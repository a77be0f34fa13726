// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore

/// Decides which bodies may grow while they are being received.
///
/// A value type: its owner guards it with a lock, reports events to it, and carries out its decisions.
///
/// A body is charged for the bytes received so far, never for an announced length. All bodies together share one limit.
/// One sender (a key or an account) may use half of it, and one address a quarter. A body that is alone in such a share
/// may exceed it. When there is not enough memory:
/// - Older bodies are served first, so that started bodies finish.
/// - A body that has not grown for ``stallTimeout`` is abandoned if another one is waiting.
/// - If every body in a share is waiting, the youngest is refused, so that at least one body can always continue.
struct ArrivalQueue: Sendable {
    /// The decision on bytes that arrived.
    enum Verdict: Sendable, Hashable {
        case granted
        /// Stop reading the body until a ``Changes`` value lists it.
        case queued
        /// There are too many bodies already.
        case refused
    }

    /// The effects on other bodies.
    struct Changes: Sendable, Hashable {
        /// Waiting bodies that may continue.
        var granted: [Int] = []
        /// Waiting bodies that are refused.
        var refused: [Int] = []
        /// Bodies that hold memory without growing: their connections must be closed.
        var abandoned: [Int] = []
    }

    /// A group of bodies that share a limit.
    private enum Share: Hashable {
        case all
        case sender(String)
        case address(AddressGroup)
    }

    private struct Body: Sendable {
        let shares: [Share]
        /// The number of bytes in memory.
        var held = 0
        /// The number of bytes that wait for memory; nil if none.
        var wanted: Int?
        /// The time when bytes were last granted.
        var lastGrowth: MonotonicTime
        var isAbandoned = false

        /// Whether the body holds bytes and is not waiting.
        var isActive: Bool { held > 0 && wanted == nil }
    }

    private struct Usage: Sendable {
        var bytes = 0
        /// The number of bodies that hold bytes and are not waiting.
        var active = 0
        /// The number of the share's bodies that wait for memory, whichever share lacks it.
        var waiting = 0
    }

    /// The time without growth after which a body may be abandoned.
    ///
    /// A body is abandoned only in favor of a waiting one.
    static let stallTimeout = Duration.seconds(2)
    private static let maxBodies = 8_192

    private let limit: Int
    private var bodies: [Int: Body] = [:]
    /// The waiting bodies, oldest first.
    private var waiting: [Int] = []
    private var uses: [Share: Usage] = [:]
    /// Whether a body is waiting for memory within the overall limit.
    ///
    /// While such a body waits, no other body may overtake it.
    private var isFull = false
    private var next = 0

    /// Creates a queue that admits `limit` bytes in total.
    init(limit: Int) {
        self.limit = limit
    }

    /// The number of bytes in memory.
    var used: Int { uses[.all]?.bytes ?? 0 }
    /// The number of waiting bodies.
    var count: Int { waiting.count }

    /// Registers a body.
    ///
    /// - Parameters:
    ///   - sender: The key or account of the request.
    ///   - address: The client's address; nil if unknown, so that no address limit applies.
    /// - Returns: The body's number; nil if there are too many bodies.
    mutating func begin(by sender: String, from address: AddressGroup?, at now: MonotonicTime) -> Int? {
        guard bodies.count < Self.maxBodies else { return nil }
        let number = next
        next += 1
        bodies[number] = Body(
            shares: [.all, .sender(sender)] + (address.map { [Share.address($0)] } ?? []),
            lastGrowth: now
        )
        return number
    }

    /// Records that bytes of a body arrived.
    ///
    /// - Complexity: O(1) if the bytes fit and no other body waits for a limit that this one shares, else O(bodies).
    mutating func receive(_ bytes: Int, of number: Int, at now: MonotonicTime) -> (verdict: Verdict, changes: Changes) {
        guard let body = bodies[number] else { return (.refused, Changes()) }
        if !hasRivals(body), blocked(bytes, body) == nil {
            grant(bytes, to: number, at: now)
            return (.granted, Changes())
        }
        wait(number, for: bytes)
        var changes = admit(at: now)
        if let place = changes.granted.firstIndex(of: number) {
            changes.granted.remove(at: place)
            return (.granted, changes)
        }
        if let place = changes.refused.firstIndex(of: number) {
            changes.refused.remove(at: place)
            return (.refused, changes)
        }
        return (.queued, changes)
    }

    /// Returns the current verdict on a body that was waiting.
    ///
    /// Other bodies may have changed the verdict before the reader starts to wait for it.
    func verdict(of number: Int) -> Verdict {
        guard let body = bodies[number] else { return .refused }
        return body.wanted == nil ? .granted : .queued
    }

    /// Records that a body is no longer in memory.
    mutating func end(_ number: Int, at now: MonotonicTime) -> Changes {
        guard let body = bodies[number] else { return Changes() }
        refuse(number)
        return hasRivals(body) ? admit(at: now) : Changes()
    }

    /// Checks again for stalled bodies.
    ///
    /// Called after a delay while a body waits.
    mutating func checkStalls(at now: MonotonicTime) -> Changes {
        waiting.isEmpty ? Changes() : admit(at: now)
    }

    /// Records that a body has waited for the maximum time.
    ///
    /// - Returns: Whether it was still waiting, and the effects on other bodies.
    mutating func cancel(_ number: Int, at now: MonotonicTime) -> (wasWaiting: Bool, changes: Changes) {
        guard bodies[number]?.wanted != nil else { return (false, Changes()) }
        refuse(number)
        return (true, admit(at: now))
    }

    // MARK: Shares

    private func limit(of share: Share) -> Int {
        switch share {
        case .all: limit
        case .sender: limit / 2
        case .address: limit / 4
        }
    }

    /// Whether other bodies wait for memory in the shares of this one.
    private func hasRivals(_ body: Body) -> Bool {
        isFull || body.shares.contains { $0 != .all && uses[$0]?.waiting ?? 0 > 0 }
    }

    /// Returns the first of a body's shares without enough memory for `bytes`.
    private func blocked(_ bytes: Int, _ body: Body) -> Share? {
        body.shares.first { share in
            let used = uses[share]?.bytes ?? 0
            // Compare with the remainder: `bytes` can be any number, and a sum could overflow.
            return used > body.held && bytes > limit(of: share) - used
        }
    }

    private mutating func grant(_ bytes: Int, to number: Int, at now: MonotonicTime) {
        change(number) { body in
            body.held += bytes
            body.wanted = nil
            body.lastGrowth = now
        }
    }

    private mutating func wait(_ number: Int, for bytes: Int) {
        change(number) { $0.wanted = bytes }
        waiting.insert(number, at: waiting.firstIndex { $0 > number } ?? waiting.count)
    }

    /// Removes a body.
    ///
    /// The body's memory is released immediately because its bytes are dropped.
    private mutating func refuse(_ number: Int) {
        if bodies[number]?.wanted != nil { waiting.removeAll { $0 == number } }
        change(number) { body in
            body.held = 0
            body.wanted = nil
        }
        bodies[number] = nil
        if waiting.isEmpty { isFull = false }
    }

    /// Changes a body and updates the use of its shares.
    private mutating func change(_ number: Int, _ change: (inout Body) -> Void) {
        guard let before = bodies[number] else { return }
        var after = before
        change(&after)
        bodies[number] = after
        for share in after.shares {
            var use = uses[share] ?? Usage()
            use.bytes += after.held - before.held
            use.active += (after.isActive ? 1 : 0) - (before.isActive ? 1 : 0)
            use.waiting += (after.wanted != nil ? 1 : 0) - (before.wanted != nil ? 1 : 0)
            uses[share] = use.bytes == 0 && use.active == 0 && use.waiting == 0 ? nil : use
        }
    }

    // MARK: Admission

    private mutating func admit(at now: MonotonicTime) -> Changes {
        var changes = Changes()
        while true {
            let blocked = grantWhatFits(at: now, &changes)
            isFull = blocked.contains { $0.share == .all }
            // If no body in a share can continue, one is refused.
            guard let victim = victim(of: blocked.map(\.share)) else {
                if let first = blocked.first { abandonOne(in: first.share, at: now, &changes) }
                return changes
            }
            refuse(victim)
            changes.refused.append(victim)
        }
    }

    /// Admits the waiting bodies that fit, oldest first.
    ///
    /// - Returns: The bodies that do not fit, each with the first of its full shares.
    private mutating func grantWhatFits(
        at now: MonotonicTime,
        _ changes: inout Changes
    ) -> [(number: Int, share: Share)] {
        var blocked: [(number: Int, share: Share)] = []
        var still: [Int] = []
        for (place, number) in waiting.enumerated() {
            guard let body = bodies[number], let bytes = body.wanted else { continue }
            guard let share = self.blocked(bytes, body) else {
                grant(bytes, to: number, at: now)
                changes.granted.append(number)
                continue
            }
            blocked.append((number, share))
            still.append(number)
            if share == .all {
                // This body blocks all bodies after it; otherwise the oldest body could wait indefinitely.
                still += waiting[(place + 1)...]
                break
            }
        }
        waiting = still
        return blocked
    }

    /// Returns the youngest body of a share in which all bodies wait.
    ///
    /// Nil while each share has a body that can continue.
    private func victim(of shares: [Share]) -> Int? {
        for share in shares where uses[share]?.active == 0 {
            let victim = waiting.last { number in
                bodies[number].map { $0.held > 0 && $0.shares.contains(share) } ?? false
            }
            if let victim { return victim }
        }
        return nil
    }

    /// Abandons the longest-stalled body of a share.
    ///
    /// Does nothing if no body has been stalled for ``stallTimeout`` or more.
    private mutating func abandonOne(in share: Share, at now: MonotonicTime, _ changes: inout Changes) {
        var slowest: (number: Int, lastGrowth: MonotonicTime)?
        for (number, body) in bodies where body.isActive && !body.isAbandoned && body.shares.contains(share) {
            guard body.lastGrowth.duration(to: now) >= Self.stallTimeout else { continue }
            if slowest.map({ (body.lastGrowth, number) < ($0.lastGrowth, $0.number) }) ?? true {
                slowest = (number, body.lastGrowth)
            }
        }
        guard let slowest else { return }
        bodies[slowest.number]?.isAbandoned = true
        changes.abandoned.append(slowest.number)
    }
}
