// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// Everything a store keeps about one writer's sequence numbers, and the reckoning that makes a ledger row of it.
///
/// A number that arrived counts as received, whatever the device said about it before or after; one that admission
/// refused counts as rejected; then come the device's own losses, and last what was meant for others only.
public struct Account: Sendable, Hashable {
    /// The most gaps a row names; a writer with more of them is not described any further.
    public static let maxGaps = 1000

    /// The highest number any batch has reported.
    public var recorded: UInt64 = 0
    /// Numbers whose events are stored.
    public var received = SequenceRanges()
    /// Numbers whose events were refused.
    public var rejected = SequenceRanges()
    /// Numbers the device gave up, by its reason.
    public var dropped: [String: SequenceRanges] = [:]
    /// Numbers addressed to other destinations only.
    public var skipped = SequenceRanges()

    /// An account without entries.
    public init() {}

    /// Adds what has become of some numbers.
    ///
    /// - Parameters:
    ///   - first: The first of them; where it is greater than `last` there are none.
    ///   - reason: Why the device gave them up, if it did.
    public mutating func insert(first: UInt64, last: UInt64, _ kind: RangeKind, reason: String) {
        guard first <= last else { return }
        switch kind {
        case .received: received.insert(first...last)
        case .rejected: rejected.insert(first...last)
        case .skipped: skipped.insert(first...last)
        case .dropped: dropped[reason, default: SequenceRanges()].insert(first...last)
        }
    }

    /// The counts and gaps: every number from 1 to ``recorded`` is in exactly one of them.
    ///
    /// - Complexity: O(ranges).
    public func reckoning() -> Reckoning {
        guard recorded > 0 else { return Reckoning() }
        var known = received
        var result = Reckoning()
        result.received = received.count
        let refused = rejected.subtracting(known)
        result.rejected = refused.count
        known.formUnion(refused)
        // In the order of their names, so that a number with two reasons is counted the same way every time.
        for (reason, ranges) in dropped.sorted(by: { $0.key < $1.key }) {
            let lost = ranges.subtracting(known)
            if !lost.isEmpty { result.dropped[reason] = lost.count }
            known.formUnion(lost)
        }
        let others = skipped.subtracting(known)
        result.skipped = others.count
        known.formUnion(others)
        let missing = SequenceRanges(CollectionOfOne(1...recorded)).subtracting(known)
        result.missing = missing.count
        result.gaps = Array(missing.ranges.prefix(Self.maxGaps))
        return result
    }
}

/// One account, summed up.
public struct Reckoning: Sendable, Hashable {
    /// Distinct numbers stored.
    public var received: UInt64 = 0
    /// Numbers refused.
    public var rejected: UInt64 = 0
    /// Numbers given up by the device, by reason.
    public var dropped: [String: UInt64] = [:]
    /// Numbers for other destinations.
    public var skipped: UInt64 = 0
    /// Numbers neither received nor reported.
    public var missing: UInt64 = 0
    /// Where those are, the first ``Account/maxGaps`` ranges.
    public var gaps: [ClosedRange<UInt64>] = []

    /// Nothing at all.
    public init() {}
}

/// What a range of sequence numbers means, as stores keep it.
public enum RangeKind: Int64, Sendable, Hashable, CaseIterable {
    /// Events that are stored.
    case received = 0
    /// Events that admission refused.
    case rejected = 1
    /// Events the device gave up; the reason says why.
    case dropped = 2
    /// Events for other destinations only.
    case skipped = 3
}
