// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents

/// Allows a number of things per interval, in bursts and evenly: a bucket that holds that many tokens, is full at first,
/// and fills up again at that rate.
///
/// It counts in whole parts of a token, so that no rounding adds up: after an interval the bucket is exactly full.
package struct TokenBucket: Sendable, Hashable, Codable {
    private let capacity: Int64
    private let interval: Int64
    /// Parts of a token, of which a token has as many as the interval has milliseconds; nil while it was never asked.
    private var parts: Int64?
    private var lastAsked: DeviceTime?

    /// A full bucket.
    ///
    /// - Parameters:
    ///   - capacity: How many tokens it holds. With none, it never gives one.
    ///   - interval: The time in which an empty bucket fills up. Without any, it is always full.
    package init(capacity: Int, per interval: Duration) {
        // Beyond a million of either nothing is limited any more, and the products below stay in range.
        self.capacity = Int64(min(max(capacity, 0), 1_000_000))
        self.interval = min(max(interval.wholeMilliseconds, 0), 1_000_000_000_000)
    }

    /// Takes a token.
    ///
    /// - Returns: False when there is none. Asking in vain costs nothing.
    package mutating func take(at now: DeviceTime) -> Bool {
        guard capacity > 0 else { return false }
        guard interval > 0 else { return true }
        let full = capacity * interval
        // Time that nobody can tell, after a restart with another clock, fills nothing.
        let passed = lastAsked.flatMap { now.elapsed(since: $0) }?.wholeMilliseconds ?? 0
        let (gained, isMore) = passed.multipliedReportingOverflow(by: capacity)
        let held = parts ?? full
        lastAsked = now
        parts = isMore || gained >= full - held ? full : held + gained
        guard let available = parts, available >= interval else { return false }
        parts = available - interval
        return true
    }
}
