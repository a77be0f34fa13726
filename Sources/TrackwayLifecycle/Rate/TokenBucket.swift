// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore

/// A limit on the number of requests per interval that allows bursts.
///
/// The bucket holds that number of tokens, starts full, and refills at that rate. It counts in whole fractions of a
/// token, so rounding errors cannot accumulate: after an interval, the bucket is exactly full.
package struct TokenBucket: Sendable, Equatable, Codable {
    private let capacity: Int64
    private let interval: Int64
    /// The fill level in token fractions; nil before the first request.
    ///
    /// A token has as many fractions as the interval has milliseconds.
    private var parts: Int64?
    private var lastAsked: DeviceTime?

    /// Creates a full bucket.
    ///
    /// - Parameters:
    ///   - capacity: The maximum number of tokens. A bucket with a capacity of zero or less never provides a token.
    ///   - interval: The time in which an empty bucket fills up. If zero or less, the bucket is always full.
    package init(capacity: Int, per interval: Duration) {
        self.capacity = min(max(Int64(capacity), Self.capacities.lowerBound), Self.capacities.upperBound)
        self.interval = min(max(interval.wholeMilliseconds, Self.intervals.lowerBound), Self.intervals.upperBound)
    }

    /// The supported capacities; larger ones limit nothing and could cause overflow.
    private static let capacities: ClosedRange<Int64> = 0...1_000_000
    private static let intervals: ClosedRange<Int64> = 0...1_000_000_000_000

    /// Takes a token.
    ///
    /// - Returns: False when the bucket is empty. A failed request costs nothing.
    package mutating func take(at now: DeviceTime) -> Bool {
        guard capacity > 0 else { return false }
        guard interval > 0 else { return true }
        let full = capacity * interval
        // Unknown elapsed time, after a restart with another clock, adds no tokens.
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

    /// Reads a stored bucket.
    ///
    /// - Throws: `DecodingError` when the values are invalid: a damaged file may still be readable, and out-of-range
    ///   numbers would overflow.
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
                .init(codingPath: values.codingPath, debugDescription: "the numbers of the token bucket are invalid")
            )
        }
    }
}
