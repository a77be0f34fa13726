// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// The number of failed attempts after which a batch is dropped.
///
/// The events of the batch become dead letters, counted as `attempts_exhausted`. The events are lost, although the loss
/// is reported, and an outage of a few minutes is enough to lose them. Without a limit, which is the default
/// everywhere, a batch is retried for as long as the journal keeps it.
///
/// The content of the last request is dropped: the batch, or the single event used to probe a destination that is
/// considered down or rejects its credentials. The delays between requests are the same as without a limit, but at
/// least ``spacing``. A destination that rejects the credentials is retried as soon as ``spacing`` allows. A response
/// that calls a batch too large, or rejects it because of one event, is not a failed attempt: the batch is split until
/// that event is found. The count restarts once anything is settled, and it survives a restart of the process after a
/// failure.
public struct AttemptLimit: Sendable, Hashable {
    /// The number of consecutive responses that did not accept the batch.
    ///
    /// Any such response counts: a server error, a login page, or a rejection of the credentials. Requests without a
    /// response may occur between such responses. nil for no limit.
    public var refusals: Int?
    /// The number of consecutive requests without a response.
    ///
    /// Any response restarts the count. nil for no limit.
    public var failures: Int?
    /// The minimum delay after a failed attempt.
    ///
    /// The delay doubles with each further consecutive refusal, up to 1 hour. Zero leaves the delays unchanged.
    public var spacing: Duration

    /// Creates a limit.
    ///
    /// Counts below 1 are raised to 1, and a negative spacing is raised to zero.
    public init(refusals: Int? = nil, failures: Int? = nil, spacing: Duration = .zero) {
        self.refusals = refusals.map { max(1, $0) }
        self.failures = failures.map { max(1, $0) }
        self.spacing = max(.zero, spacing)
    }

    /// The limit of the older Sift SDK: 3 responses or 120 failures.
    ///
    /// The second response is at least 5 seconds after the first, and the third at least 10 seconds after the second.
    public static let threeStrikes = AttemptLimit(refusals: 3, failures: 120, spacing: .seconds(5))

    /// Returns the minimum delay after a failed attempt.
    ///
    /// - Parameter refusals: The number of consecutive refusals, which is below the limit.
    func pause(after attempt: Attempts.Kind, refusals: Int) -> Duration {
        guard attempt == .refusal else { return spacing }
        // Up to 1 hour, the default of `DeliveryPolicy.longestRetryAfter`.
        var pause = spacing
        var doublings = max(0, refusals - 1)
        while doublings > 0, pause > .zero, pause < .seconds(3_600) {
            pause *= 2
            doublings -= 1
        }
        return max(spacing, min(pause, .seconds(3_600)))
    }
}

/// The failed attempts for the events at the front since any event was last settled.
///
/// The counts are compared with an ``AttemptLimit``.
package struct Attempts: Sendable, Equatable {
    /// The kinds of failed attempts.
    package enum Kind: Sendable, Hashable {
        /// A response that did not accept the batch.
        case refusal
        /// No response.
        case failure
    }

    /// The number of responses that did not accept the batch.
    ///
    /// Requests without a response between such responses are not counted.
    package private(set) var refusals: Int
    /// The number of consecutive requests without a response.
    package private(set) var failures: Int

    /// Creates the counts, which may continue those of an earlier run.
    package init(refusals: Int = 0, failures: Int = 0) {
        self.refusals = max(0, refusals)
        self.failures = max(0, failures)
    }

    /// Resets the count of requests without a response, because a response arrived.
    mutating func resetFailures() {
        failures = 0
    }

    /// Counts a failed attempt.
    mutating func count(_ kind: Kind) {
        switch kind {
        case .refusal: refusals += refusals < Int.max ? 1 : 0
        case .failure: failures += failures < Int.max ? 1 : 0
        }
    }

    /// Whether the limit is reached.
    func hasReached(_ limit: AttemptLimit) -> Bool {
        (limit.refusals.map { refusals >= $0 } ?? false) || (limit.failures.map { failures >= $0 } ?? false)
    }
}
