// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayEvents

/// How much may come in which time: so many tokens per interval, evenly, and at most ``burst`` at once.
public struct RateLimit: Sendable, Hashable {
    /// What may be asked for: beyond, nothing is limited any more and the products below stay in range.
    public static let counts = 1...1_000_000_000

    /// Tokens per interval: within ``counts``.
    public let count: Int
    /// The time in which that many tokens come.
    public let interval: Duration
    /// The most that can be taken at once after a rest: at least one.
    public let burst: Int

    /// A limit; numbers outside their range are moved to its nearer end.
    public init(_ count: Int, per interval: Duration, burst: Int) {
        self.count = min(max(count, Self.counts.lowerBound), Self.counts.upperBound)
        self.interval = min(max(interval, .milliseconds(1)), .seconds(366 * 86_400))
        self.burst = min(max(burst, 1), Self.counts.upperBound)
    }

    /// So many requests a second, and ten seconds' worth of them at once: a page that opens, or a phone that comes back,
    /// asks for several things.
    public static func requests(perSecond count: Int) -> RateLimit {
        RateLimit(count, per: .seconds(1), burst: count.multipliedReportingOverflow(by: 10).partialValue)
    }

    /// So many events a day. All of them may come at once; then they come back evenly.
    public static func events(perDay count: Int) -> RateLimit {
        RateLimit(count, per: .seconds(86_400), burst: count)
    }

    /// The time in which one token comes.
    fileprivate var step: Duration { interval / count }
    /// How long it takes until a bucket is full that lacks as much as it may.
    fileprivate var deepest: Duration { step * burst + interval }
}

/// A bucket of tokens under a limit. It remembers one thing: when it would be full again.
public struct RateBucket: Sendable, Hashable {
    /// In the past for a full bucket.
    private var fullAt: MonotonicTime?
    /// What of ``fullAt`` is less than a millisecond, so that no rounding adds up.
    private var remainder: Duration = .zero

    /// A full bucket.
    public init() {}

    /// Takes a token.
    ///
    /// - Returns: Nil when one was taken; otherwise how long it takes until one is there. Asking in vain costs nothing.
    public mutating func take(under limit: RateLimit, at now: MonotonicTime) -> Duration? {
        let missing = missing(under: limit, at: now)
        let wait = missing + limit.step - limit.step * limit.burst
        if wait > .zero { return wait }
        set(missing + limit.step, at: now)
        return nil
    }

    /// How long it takes until a token is there; nil when there is one.
    public func wait(under limit: RateLimit, at now: MonotonicTime) -> Duration? {
        var copy = self
        return copy.take(under: limit, at: now)
    }

    /// Takes tokens for what was let in already; the bucket may then lack some, by as much as comes in one interval at most.
    public mutating func charge(_ count: Int, under limit: RateLimit, at now: MonotonicTime) {
        let charge = limit.step * min(max(count, 0), RateLimit.counts.upperBound)
        set(min(missing(under: limit, at: now) + charge, limit.deepest), at: now)
    }

    /// How long it takes until the bucket is full. Never longer than a charge can make it: the limit may have been wider
    /// before, and the clock of a machine that was put to sleep and copied may go back.
    private func missing(under limit: RateLimit, at now: MonotonicTime) -> Duration {
        guard let fullAt else { return .zero }
        return min(max(.zero, now.duration(to: fullAt) + remainder), limit.deepest)
    }

    private mutating func set(_ missing: Duration, at now: MonotonicTime) {
        let milliseconds = missing.wholeMilliseconds
        fullAt = now.advanced(by: .milliseconds(milliseconds))
        remainder = missing - .milliseconds(milliseconds)
    }
}
