// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayCore

/// A rate of tokens per interval with a maximum burst.
///
/// Tokens are added evenly, and at most ``burst`` can be taken at once.
public struct RateLimit: Sendable, Hashable {
    /// The valid range of counts.
    ///
    /// Above this range, a limit has no effect in practice; within the range, the products below do not overflow.
    public static let counts = 1...1_000_000_000

    /// The number of tokens per interval, within ``counts``.
    public let count: Int
    /// The time in which ``count`` tokens are added.
    public let interval: Duration
    /// The maximum number of tokens taken at once after a pause.
    ///
    /// The value is at least one.
    public let burst: Int

    /// Creates a limit; numbers outside their ranges are clamped.
    public init(_ count: Int, per interval: Duration, burst: Int) {
        self.count = min(max(count, Self.counts.lowerBound), Self.counts.upperBound)
        self.interval = min(max(interval, .milliseconds(1)), .seconds(366 * 86_400))
        self.burst = min(max(burst, 1), Self.counts.upperBound)
    }

    /// Returns a limit of `count` requests a second.
    ///
    /// The burst is ten seconds' worth of requests.
    ///
    /// A page that opens or a phone that reconnects makes several requests at the same time.
    public static func requests(perSecond count: Int) -> RateLimit {
        RateLimit(count, per: .seconds(1), burst: count.multipliedReportingOverflow(by: 10).partialValue)
    }

    /// Returns a limit of `count` events a day.
    ///
    /// All of them may arrive at once; tokens are added evenly.
    public static func events(perDay count: Int) -> RateLimit {
        RateLimit(count, per: .seconds(86_400), burst: count)
    }

    /// The time in which one token is added.
    fileprivate var step: Duration { interval / count }
    /// The time to fill a bucket that is overdrawn to the maximum.
    fileprivate var maximumDebt: Duration { step * burst + interval }
}

/// A bucket of tokens under a limit.
///
/// The bucket stores only the time at which it will be full again.
public struct RateBucket: Sendable, Hashable {
    /// When the bucket will be full again; nil or in the past if it is full.
    private var fullAt: MonotonicTime?
    /// The part of ``fullAt`` below one millisecond.
    ///
    /// This part prevents rounding errors from adding up.
    private var remainder: Duration = .zero

    /// Creates a full bucket.
    public init() {}

    /// Takes a token.
    ///
    /// - Returns: Nil if a token was taken; otherwise the time until one is available. A failed attempt takes nothing.
    public mutating func take(under limit: RateLimit, at now: MonotonicTime) -> Duration? {
        let missing = missing(under: limit, at: now)
        let wait = missing + limit.step - limit.step * limit.burst
        if wait > .zero { return wait }
        set(missing + limit.step, at: now)
        return nil
    }

    /// Returns the time until a token is available.
    ///
    /// Nil if one is already available.
    public func wait(under limit: RateLimit, at now: MonotonicTime) -> Duration? {
        var copy = self
        return copy.take(under: limit, at: now)
    }

    /// Takes tokens for requests or events that were already admitted.
    ///
    /// The bucket may become overdrawn, by at most the tokens of one interval.
    public mutating func charge(_ count: Int, under limit: RateLimit, at now: MonotonicTime) {
        let charge = limit.step * min(max(count, 0), RateLimit.counts.upperBound)
        set(min(missing(under: limit, at: now) + charge, limit.maximumDebt), at: now)
    }

    /// Returns the time until the bucket is full.
    ///
    /// The result never exceeds the longest time that charges can cause: the limit may previously have been larger, and
    /// the clock of a machine that was suspended and copied may go backward.
    private func missing(under limit: RateLimit, at now: MonotonicTime) -> Duration {
        guard let fullAt else { return .zero }
        return min(max(.zero, now.duration(to: fullAt) + remainder), limit.maximumDebt)
    }

    private mutating func set(_ missing: Duration, at now: MonotonicTime) {
        let milliseconds = missing.wholeMilliseconds
        fullAt = now.advanced(by: .milliseconds(milliseconds))
        remainder = missing - .milliseconds(milliseconds)
    }
}
