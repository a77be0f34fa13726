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
        self.capacity = min(max(Int64(capacity), Self.capacities.lowerBound), Self.capacities.upperBound)
        self.interval = min(max(interval.wholeMilliseconds, Self.intervals.lowerBound), Self.intervals.upperBound)
    }

    /// Beyond these nothing is limited any more, and the products below stay in range.
    private static let capacities: ClosedRange<Int64> = 0...1_000_000
    private static let intervals: ClosedRange<Int64> = 0...1_000_000_000_000

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

extension TokenBucket {
    private enum CodingKeys: CodingKey {
        case capacity, interval, parts, lastAsked
    }

    /// Reads a bucket that was kept.
    ///
    /// - Throws: `DecodingError` when it is none: a file can be damaged and still be readable, and numbers that no bucket
    ///   holds would overflow.
    package init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        capacity = try values.decode(Int64.self, forKey: .capacity)
        interval = try values.decode(Int64.self, forKey: .interval)
        parts = try values.decodeIfPresent(Int64.self, forKey: .parts)
        lastAsked = try values.decodeIfPresent(DeviceTime.self, forKey: .lastAsked)
        guard Self.capacities.contains(capacity), Self.intervals.contains(interval),
            (0...capacity * interval).contains(parts ?? 0)
        else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: values.codingPath, debugDescription: "no bucket holds these numbers")
            )
        }
    }
}
