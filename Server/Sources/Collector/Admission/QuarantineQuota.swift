// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayEvents

/// Limits how much of the bodies rejected as a whole is stored.
///
/// There is a quota per day for all senders, a quarter of it for one sender, and short excerpts beyond it. Stored
/// bodies are never trimmed, so without a quota any client could fill the disk.
public struct QuarantineQuota: Sendable {
    /// The part of a body that may be stored.
    public enum Verdict: Sendable, Hashable {
        /// Everything that was offered.
        case whole
        /// Only this many bytes from its beginning.
        case excerpt(Int)
        /// Nothing; it is only counted.
        case nothing
    }

    /// A budget that refills evenly, completely within one day.
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

    /// Bytes stored of a body beyond the quota.
    public static let excerptBytes = 256

    private let bytesPerDay: Int
    private var everybody: Allowance?
    private var senders: [String: Allowance] = [:]
    private var excerpts: Allowance?

    /// Creates a quota of `bytesPerDay`.
    public init(bytesPerDay: Int) {
        self.bytesPerDay = bytesPerDay
    }

    /// Decides how many of a body's `bytes` may be stored.
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
        // Excerpts may use another sixteenth; each is charged for its reason and its own record.
        var rest = excerpts ?? Allowance(bytesPerDay / 16, at: now)
        rest.refill(at: now)
        defer { excerpts = rest }
        let cost = Double(4 * Self.excerptBytes)
        guard rest.left >= cost else { return .nothing }
        rest.left -= cost
        return .excerpt(min(bytes, Self.excerptBytes))
    }
}
