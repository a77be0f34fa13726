// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// Exponential back-off with a cap. Chance is handed in, so the schedule itself is a function.
public struct RetrySchedule: Sendable, Hashable {
    /// The longest wait after the first failure.
    public var base: Duration
    /// The longest wait after any failure.
    public var cap: Duration

    /// Makes a schedule.
    ///
    /// - Parameters:
    ///   - base: 1 s by default; at least 1 ms.
    ///   - cap: 300 s by default; at least `base`.
    public init(base: Duration = .seconds(1), cap: Duration = .seconds(300)) {
        self.base = max(.milliseconds(1), base)
        self.cap = max(self.base, cap)
    }

    /// The longest wait after this many failures in a row: `base` doubled with each further failure, up to `cap`.
    public func ceiling(afterFailures failures: Int) -> Duration {
        var wait = base
        var doublings = max(0, failures - 1)
        while doublings > 0, wait < cap {
            wait *= 2
            doublings -= 1
        }
        return min(wait, cap)
    }

    /// The wait after this many failures in a row, evenly spread over everything up to the ceiling ("full jitter"), so
    /// that devices that failed together do not come back together.
    ///
    /// - Parameter jitter: 0..<1, drawn by the caller; clamped.
    public func delay(afterFailures failures: Int, jitter: Double) -> Duration {
        ceiling(afterFailures: failures) * Self.clamped(jitter)
    }

    /// The wait before a probe of a destination that is taken for down: the upper half of what the schedule allows. The
    /// lower bound is what keeps attempts per hour bounded whatever chance brings: 24 an hour with the defaults.
    ///
    /// - Parameter jitter: 0..<1, drawn by the caller; clamped.
    public func probeDelay(afterFailures failures: Int, jitter: Double) -> Duration {
        ceiling(afterFailures: failures) * (0.5 + Self.clamped(jitter) / 2)
    }

    private static func clamped(_ jitter: Double) -> Double {
        jitter.isNaN ? 0 : min(1, max(0, jitter))
    }
}
