// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayEvents

/// How much of what is refused as a whole may be kept: so much a day of everybody, a quarter of that of one sender, and short
/// excerpts beyond. What is kept is never trimmed, so that without a quota anybody could fill the disk with rubbish.
public struct QuarantineQuota: Sendable {
    /// What may be kept of a body.
    public enum Verdict: Sendable, Hashable {
        /// All that was to be kept of it.
        case whole
        /// Its beginning, this many bytes.
        case excerpt(Int)
        /// Nothing but its count.
        case nothing
    }

    /// A budget that fills up again evenly, a whole one within a day.
    private struct Allowance: Sendable {
        let capacity: Double
        var left: Double
        var asOf: MonotonicTime

        init(_ capacity: Int, at now: MonotonicTime) {
            self.capacity = Double(capacity)
            left = self.capacity
            asOf = now
        }

        mutating func refill(at now: MonotonicTime) {
            guard now > asOf else { return }
            left = min(capacity, left + capacity * (asOf.duration(to: now) / .seconds(86_400)))
            asOf = now
        }
    }

    /// Bytes kept of a body beyond the quota.
    public static let excerptBytes = 256

    private let bytesPerDay: Int
    private var everybody: Allowance?
    private var senders: [String: Allowance] = [:]
    private var excerpts: Allowance?

    /// A quota of so many bytes a day.
    public init(bytesPerDay: Int) {
        self.bytesPerDay = bytesPerDay
    }

    /// A body is to be kept, so many bytes of it.
    public mutating func offered(_ bytes: Int, by sender: String, at now: MonotonicTime) -> Verdict {
        var all = everybody ?? Allowance(bytesPerDay, at: now)
        var own = senders[sender] ?? Allowance(bytesPerDay / 4, at: now)
        all.refill(at: now)
        own.refill(at: now)
        defer {
            everybody = all
            senders[sender] = own
        }
        if all.left >= Double(bytes), own.left >= Double(bytes) {
            all.left -= Double(bytes)
            own.left -= Double(bytes)
            return .whole
        }
        // A sixteenth more for excerpts, each with its reason and its own record.
        var rest = excerpts ?? Allowance(bytesPerDay / 16, at: now)
        rest.refill(at: now)
        defer { excerpts = rest }
        let cost = Double(4 * Self.excerptBytes)
        guard rest.left >= cost else { return .nothing }
        rest.left -= cost
        return .excerpt(min(bytes, Self.excerptBytes))
    }
}
