// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayCore

/// Limits the stored size of bodies rejected as a whole.
///
/// There is a daily quota for all senders, of which one sender may use a quarter. Beyond the quota, only short excerpts
/// are stored. Stored bodies are never trimmed, so without a quota any client could fill the disk.
public struct QuarantineQuota: Sendable {
    /// The part of a body that may be stored.
    public enum Verdict: Sendable, Hashable {
        /// All the bytes that were offered for storage.
        case whole
        /// Only this many bytes from the beginning of the body.
        case excerpt(Int)
        /// Nothing; the body is only counted.
        case nothing
    }

    /// A budget that refills evenly, completely within one day.
    private struct Allowance: Sendable {
        let capacity: Double
        var remaining: Double
        var asOf: MonotonicTime

        init(_ capacity: Int, at now: MonotonicTime) {
            self.capacity = Double(capacity)
            remaining = self.capacity
            asOf = now
        }

        mutating func refill(at now: MonotonicTime) {
            guard now > asOf else { return }
            remaining = min(capacity, remaining + capacity * (asOf.duration(to: now) / .seconds(86_400)))
            asOf = now
        }
    }

    /// The number of bytes stored of a body beyond the quota.
    public static let excerptBytes = 256

    private let bytesPerDay: Int
    private var shared: Allowance?
    private var senders: [String: Allowance] = [:]
    private var excerpts: Allowance?

    /// Creates a quota of `bytesPerDay`.
    public init(bytesPerDay: Int) {
        self.bytesPerDay = bytesPerDay
    }

    /// Decides how many of a body's `bytes` may be stored.
    public mutating func reserve(_ bytes: Int, by sender: String, at now: MonotonicTime) -> Verdict {
        var all = shared ?? Allowance(bytesPerDay, at: now)
        var own = senders[sender] ?? Allowance(bytesPerDay / 4, at: now)
        all.refill(at: now)
        own.refill(at: now)
        defer {
            shared = all
            senders[sender] = own
        }
        if all.remaining >= Double(bytes), own.remaining >= Double(bytes) {
            all.remaining -= Double(bytes)
            own.remaining -= Double(bytes)
            return .whole
        }
        // Excerpts may use another sixteenth of the quota. The charge for each includes its reason and its own record.
        var rest = excerpts ?? Allowance(bytesPerDay / 16, at: now)
        rest.refill(at: now)
        defer { excerpts = rest }
        let cost = Double(4 * Self.excerptBytes)
        guard rest.remaining >= cost else { return .nothing }
        rest.remaining -= cost
        return .excerpt(min(bytes, Self.excerptBytes))
    }
}
