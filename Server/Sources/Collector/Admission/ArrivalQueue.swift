// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents

/// Decides whose bodies may grow while they arrive. A value: the driver holds a lock around it, tells it what happened, and does what it
/// says.
///
/// A body is charged for the bytes that have come, never for a length that was announced. All bodies together have a limit, one sender
/// (a key or an account) half of it, and one address a quarter; a body that is alone in such a share may be longer than it. Where there is
/// no room:
/// - older bodies go first, so that what has begun is finished;
/// - a body that has not grown for ``stallTimeout`` makes room for one that waits;
/// - when every body in a share waits, the youngest of them is refused, so that one can always go on.
struct ArrivalQueue: Sendable {
    /// What becomes of bytes that arrived.
    enum Verdict: Sendable, Hashable {
        case granted
        /// Nothing more is read of the body until ``Changes`` name it.
        case waits
        /// There are too many bodies already.
        case refused
    }

    /// What becomes of other bodies.
    struct Changes: Sendable, Hashable {
        /// They waited and may go on.
        var granted: [Int] = []
        /// They waited and are refused.
        var refused: [Int] = []
        /// They hold memory without growing: their connections are to be given up.
        var abandoned: [Int] = []
    }

    /// Who shares a limit with whom.
    private enum Share: Hashable {
        case all
        case sender(String)
        case address(AddressGroup)
    }

    private struct Body: Sendable {
        let shares: [Share]
        /// Bytes that are in memory.
        var held = 0
        /// Bytes that wait; nil when none do.
        var wanted: Int?
        /// When bytes were granted last.
        var grown: MonotonicTime
        var isAbandoned = false

        /// Whether it holds bytes and does not wait.
        var isActive: Bool { held > 0 && wanted == nil }
    }

    private struct Use: Sendable {
        var bytes = 0
        /// Bodies that hold bytes and do not wait.
        var active = 0
        /// Bodies that wait, for room in this share or in another one.
        var waiting = 0
    }

    /// A body that has not grown for so long makes room for one that waits.
    static let stallTimeout = Duration.seconds(2)
    private static let maxBodies = 8_192

    private let limit: Int
    private var bodies: [Int: Body] = [:]
    /// Those that wait, the oldest first.
    private var waiting: [Int] = []
    private var uses: [Share: Use] = [:]
    /// Whether a body waits for the limit on all bodies: no other may go before it then.
    private var isFull = false
    private var next = 0

    /// A queue for bodies of so many bytes altogether.
    init(limit: Int) {
        self.limit = limit
    }

    /// Bytes in memory.
    var used: Int { uses[.all]?.bytes ?? 0 }
    /// How many bodies wait.
    var count: Int { waiting.count }

    /// A body begins.
    ///
    /// - Parameters:
    ///   - sender: The key or account that it came with.
    ///   - address: Where it comes from; nil for what is not known, which shares nothing.
    /// - Returns: Its number; nil when there are too many.
    mutating func begun(by sender: String, from address: AddressGroup?, at now: MonotonicTime) -> Int? {
        guard bodies.count < Self.maxBodies else { return nil }
        let number = next
        next += 1
        bodies[number] = Body(
            shares: [.all, .sender(sender)] + (address.map { [Share.address($0)] } ?? []),
            grown: now
        )
        return number
    }

    /// Bytes of a body arrived.
    ///
    /// - Complexity: O(1) if no body waits that shares a limit that is reached, else O(bodies).
    mutating func arrived(_ bytes: Int, of number: Int, at now: MonotonicTime) -> (verdict: Verdict, changes: Changes) {
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
        return (.waits, changes)
    }

    /// How a body stands that waited: between the verdict and a reader who waits for it, others may have changed it.
    func standing(of number: Int) -> Verdict {
        guard let body = bodies[number] else { return .refused }
        return body.wanted == nil ? .granted : .waits
    }

    /// A body is not in memory any more.
    mutating func ended(_ number: Int, at now: MonotonicTime) -> Changes {
        guard let body = bodies[number] else { return Changes() }
        refuse(number)
        return hasRivals(body) ? admit(at: now) : Changes()
    }

    /// Time has passed while a body waits.
    mutating func looked(at now: MonotonicTime) -> Changes {
        waiting.isEmpty ? Changes() : admit(at: now)
    }

    /// A body has waited for as long as it may.
    ///
    /// - Returns: Whether it was still waiting, and what becomes of others.
    mutating func gaveUp(_ number: Int, at now: MonotonicTime) -> (wasWaiting: Bool, changes: Changes) {
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

    /// Whether others wait for what a body takes or gives back.
    private func hasRivals(_ body: Body) -> Bool {
        isFull || body.shares.contains { $0 != .all && uses[$0]?.waiting ?? 0 > 0 }
    }

    /// The first of a body's shares that has no room for so many bytes.
    private func blocked(_ bytes: Int, _ body: Body) -> Share? {
        body.shares.first { share in
            let used = uses[share]?.bytes ?? 0
            // By what is left: any number of bytes may be asked for.
            return used > body.held && bytes > limit(of: share) - used
        }
    }

    private mutating func grant(_ bytes: Int, to number: Int, at now: MonotonicTime) {
        change(number) { body in
            body.held += bytes
            body.wanted = nil
            body.grown = now
        }
    }

    private mutating func wait(_ number: Int, for bytes: Int) {
        change(number) { $0.wanted = bytes }
        waiting.insert(number, at: waiting.firstIndex { $0 > number } ?? waiting.count)
    }

    /// A body goes; what it held is given back at once, because its bytes are dropped.
    private mutating func refuse(_ number: Int) {
        if bodies[number]?.wanted != nil { waiting.removeAll { $0 == number } }
        change(number) { body in
            body.held = 0
            body.wanted = nil
        }
        bodies[number] = nil
        if waiting.isEmpty { isFull = false }
    }

    /// Changes a body, and what is used of its shares.
    private mutating func change(_ number: Int, _ change: (inout Body) -> Void) {
        guard let before = bodies[number] else { return }
        var after = before
        change(&after)
        bodies[number] = after
        for share in after.shares {
            var use = uses[share] ?? Use()
            use.bytes += after.held - before.held
            use.active += (after.isActive ? 1 : 0) - (before.isActive ? 1 : 0)
            use.waiting += (after.wanted != nil ? 1 : 0) - (before.wanted != nil ? 1 : 0)
            uses[share] = use.bytes == 0 && use.active == 0 && use.waiting == 0 ? nil : use
        }
    }

    // MARK: Who goes on

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

    /// Lets on who has room, the oldest first.
    ///
    /// - Returns: Those who have none, with the first of their shares that is full.
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
                // It holds up everybody behind, or the oldest would wait for ever.
                still += waiting[(place + 1)...]
                break
            }
        }
        waiting = still
        return blocked
    }

    /// The youngest body of a share whose bodies all wait; nil while one of each can go on.
    private func victim(of shares: [Share]) -> Int? {
        for share in shares where uses[share]?.active == 0 {
            let victim = waiting.last { number in
                bodies[number].map { $0.held > 0 && $0.shares.contains(share) } ?? false
            }
            if let victim { return victim }
        }
        return nil
    }

    /// Gives up the body of a share that has not grown for longest, if that is too long.
    private mutating func abandonOne(in share: Share, at now: MonotonicTime, _ changes: inout Changes) {
        var slowest: (number: Int, grown: MonotonicTime)?
        for (number, body) in bodies where body.isActive && !body.isAbandoned && body.shares.contains(share) {
            guard body.grown.duration(to: now) >= Self.stallTimeout else { continue }
            if slowest.map({ (body.grown, number) < ($0.grown, $0.number) }) ?? true { slowest = (number, body.grown) }
        }
        guard let slowest else { return }
        bodies[slowest.number]?.isAbandoned = true
        changes.abandoned.append(slowest.number)
    }
}
