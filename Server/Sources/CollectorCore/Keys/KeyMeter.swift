// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayCore

/// Enforces the rates and quotas of keys.
///
/// Thread-safe. The counts are lost when the collector stops.
public final class KeyMeter: Sendable {
    private struct Buckets: Sendable {
        var requests = RateBucket()
        var events = RateBucket()
    }

    private let defaults: KeyLimits
    private let clock: any EventClock
    /// The buckets by key name, one per key used since the start.
    private let buckets = Locked<[String: Buckets]>([:])

    /// Creates a meter.
    ///
    /// - Parameter defaults: The limits of a key without limits of its own.
    public init(defaults: KeyLimits = KeyLimits(), clock: any EventClock = SystemClock()) {
        self.defaults = defaults
        self.clock = clock
    }

    /// Counts a request with a key.
    ///
    /// - Throws: ``AdmissionError`` `key_rate` if the key exceeds its request rate, or `key_quota` if it is used for
    ///   writing and its daily quota of events is used up.
    func admit(_ grant: KeyGrant, for scope: KeyScope) throws(AdmissionError) {
        let limits = grant.limits.filled(from: defaults)
        guard limits.requestsPerSecond != nil || limits.eventsPerDay != nil else { return }
        let now = clock.now().monotonic
        let refusal = buckets.withLock { buckets -> AdmissionError? in
            var bucket = buckets[grant.name] ?? Buckets()
            defer { buckets[grant.name] = bucket }
            if scope == .write, let count = limits.eventsPerDay,
                let wait = bucket.events.wait(under: .events(perDay: count), at: now)
            {
                return Self.quota(grant, count, wait)
            }
            if let count = limits.requestsPerSecond,
                let wait = bucket.requests.take(under: .requests(perSecond: count), at: now)
            {
                return Self.rate(grant, count, wait)
            }
            return nil
        }
        if let refusal { throw refusal }
    }

    /// Counts events that were sent with a key.
    ///
    /// The events may exceed the key's remaining quota, because a batch is accepted as a whole.
    public func charge(_ grant: KeyGrant, events: Int) {
        guard let count = grant.limits.filled(from: defaults).eventsPerDay else { return }
        let now = clock.now().monotonic
        buckets.withLock {
            $0[grant.name, default: Buckets()].events.charge(events, under: .events(perDay: count), at: now)
        }
    }

    private static func rate(_ grant: KeyGrant, _ count: Int, _ wait: Duration) -> AdmissionError {
        AdmissionError(
            .limited(wait),
            code: .keyRate,
            message: "The key “\(grant.name)” exceeded its limit of \(count) requests a second; try again later."
        )
    }

    private static func quota(_ grant: KeyGrant, _ count: Int, _ wait: Duration) -> AdmissionError {
        AdmissionError(
            .limited(wait),
            code: .keyQuota,
            message: "The key “\(grant.name)” reached its limit of \(count) events a day; send the rest later."
        )
    }
}

/// The limits of a key; nil means no limit.
public struct KeyLimits: Sendable, Hashable {
    /// The maximum number of requests per second.
    public var requestsPerSecond: Int?
    /// The maximum number of events per day, including rejected ones.
    public var eventsPerDay: Int?

    /// Creates limits; none by default.
    public init(requestsPerSecond: Int? = nil, eventsPerDay: Int? = nil) {
        self.requestsPerSecond = requestsPerSecond
        self.eventsPerDay = eventsPerDay
    }

    /// Returns these limits, filling in missing ones from `others`.
    public func filled(from others: KeyLimits) -> KeyLimits {
        KeyLimits(
            requestsPerSecond: requestsPerSecond ?? others.requestsPerSecond,
            eventsPerDay: eventsPerDay ?? others.eventsPerDay
        )
    }

    /// The words for the key file, such as `rate=50` and `daily=1000000`.
    ///
    /// A missing limit has no word.
    var words: [String] {
        [("rate", requestsPerSecond), ("daily", eventsPerDay)].compactMap { word, number in
            number.map { "\(word)=\($0)" }
        }
    }

    /// Reads a word of the key file.
    ///
    /// - Returns: False for a word that is not a limit, or for a limit out of range.
    mutating func read(_ word: some StringProtocol) -> Bool {
        let parts = word.split(separator: "=", maxSplits: 1)
        guard parts.count == 2, let number = Int(parts[1]), RateLimit.counts.contains(number) else { return false }
        switch parts[0] {
        case "rate": requestsPerSecond = number
        case "daily": eventsPerDay = number
        default: return false
        }
        return true
    }
}
