// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// After how many attempts in vain a batch is given up: a promise to lose data rather than to keep asking.
///
/// Its events become dead letters, counted under `attempts_exhausted`, so nothing is lost silently; but it is lost, and an
/// outage of minutes is enough. Without a limit, which is the default everywhere, a batch is tried for as long as the
/// journal keeps it.
///
/// Given up is what the last request carried: the batch, or the single event that a destination taken for down or refusing
/// its credentials is probed with. The pauses between requests are those without a limit, but at least as long as
/// ``spacing`` says; one that refuses the credentials is asked as soon as that allows. An answer that calls a batch too large,
/// or refuses it for an event in it, is no attempt in vain, for the batch is divided until that event is found. The count
/// begins anew once anything is settled, and outlives a restart of the process after a failure.
public struct AttemptLimit: Sendable, Hashable {
    /// After so many answers in a row that did not take the batch, whatever they said: a server's trouble, a login page,
    /// wrong credentials; requests that nobody answers may lie between them. nil for never.
    public var refusals: Int?
    /// After so many requests in a row that nobody answered; any answer begins the count anew. nil for never.
    public var failures: Int?
    /// The shortest pause after an attempt in vain; with each further refusal in a row it is twice as long. Zero leaves the
    /// pauses as they are.
    public var spacing: Duration

    /// A limit of these parts; counts below 1 are raised to 1, a negative time to zero.
    public init(refusals: Int? = nil, failures: Int? = nil, spacing: Duration = .zero) {
        self.refusals = refusals.map { max(1, $0) }
        self.failures = failures.map { max(1, $0) }
        self.spacing = max(.zero, spacing)
    }

    /// Three answers, 5 and 10 seconds apart at least, or 120 failures: what the older Sift SDK did.
    public static let threeStrikes = AttemptLimit(refusals: 3, failures: 120, spacing: .seconds(5))

    /// The shortest pause after an attempt in vain.
    ///
    /// - Parameter refusals: How many refusals there were in a row, none of which was the last that the limit allows.
    func pause(after attempt: Attempts.Kind, refusals: Int) -> Duration {
        guard attempt == .refusal else { return spacing }
        // An hour is as long as a destination may ask us to wait by default.
        var pause = spacing
        var doublings = max(0, refusals - 1)
        while doublings > 0, pause > .zero, pause < .seconds(3_600) {
            pause *= 2
            doublings -= 1
        }
        return max(spacing, min(pause, .seconds(3_600)))
    }
}

/// How often the events at the front were tried in vain since something was last settled; what an ``AttemptLimit`` is held
/// against.
package struct Attempts: Sendable, Hashable {
    /// What an attempt in vain came to.
    package enum Kind: Sendable, Hashable {
        /// An answer that did not take the batch.
        case refusal
        /// No answer.
        case failure
    }

    /// Answers that did not take the batch. Requests that nobody answered lie between them and do not count.
    package private(set) var refusals: Int
    /// Requests in a row that nobody answered.
    package private(set) var failures: Int

    /// Attempts of an earlier run; none by default.
    package init(refusals: Int = 0, failures: Int = 0) {
        self.refusals = max(0, refusals)
        self.failures = max(0, failures)
    }

    /// Somebody answered, whatever it was.
    mutating func answered() {
        failures = 0
    }

    /// Counts an attempt in vain.
    mutating func count(_ kind: Kind) {
        switch kind {
        case .refusal: refusals += refusals < Int.max ? 1 : 0
        case .failure: failures += failures < Int.max ? 1 : 0
        }
    }

    /// Whether these are as many as the limit allows.
    func exhaust(_ limit: AttemptLimit) -> Bool {
        (limit.refusals.map { refusals >= $0 } ?? false) || (limit.failures.map { failures >= $0 } ?? false)
    }
}
