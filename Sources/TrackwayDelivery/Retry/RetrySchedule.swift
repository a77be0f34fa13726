// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// Exponential back-off with a maximum delay.
///
/// The caller provides the random numbers, so the schedule is a pure function.
public struct RetrySchedule: Sendable, Hashable {
    /// The maximum delay after the first failure.
    public var base: Duration
    /// The maximum delay after any failure.
    public var cap: Duration

    /// Creates a schedule.
    ///
    /// - Parameters:
    ///   - base: 1 s by default; at least 1 ms.
    ///   - cap: 300 s by default; at least `base`.
    public init(base: Duration = .seconds(1), cap: Duration = .seconds(300)) {
        self.base = max(.milliseconds(1), base)
        self.cap = max(self.base, cap)
    }

    /// Returns the maximum delay after this many consecutive failures.
    ///
    /// The maximum is `base`, doubled with each further failure, up to `cap`.
    public func ceiling(afterFailures failures: Int) -> Duration {
        var wait = base
        var doublings = max(0, failures - 1)
        while doublings > 0, wait < cap {
            wait *= 2
            doublings -= 1
        }
        return min(wait, cap)
    }

    /// Returns the delay after this many consecutive failures.
    ///
    /// The delay is evenly distributed between zero and the maximum ("full jitter"), so that devices that failed
    /// together do not retry together.
    ///
    /// - Parameter jitter: A random number in 0..<1 from the caller; clamped.
    public func delay(afterFailures failures: Int, jitter: Double) -> Duration {
        ceiling(afterFailures: failures) * Self.clamped(jitter)
    }

    /// Returns the delay before probing a destination that is considered down.
    ///
    /// The delay is in the upper half of the schedule's range. Its lower bound limits the number of attempts per hour
    /// regardless of the random numbers: 24 with the defaults.
    ///
    /// - Parameter jitter: A random number in 0..<1 from the caller; clamped.
    public func probeDelay(afterFailures failures: Int, jitter: Double) -> Duration {
        ceiling(afterFailures: failures) * (0.5 + Self.clamped(jitter) / 2)
    }

    private static func clamped(_ jitter: Double) -> Double {
        jitter.isNaN ? 0 : min(1, max(0, jitter))
    }
}
