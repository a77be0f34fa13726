// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayCore
internal import TrackwayDelivery

/// Sleeps with the runtime's timer.
///
/// This is the only place where the SDK waits for real time to pass.
package struct TaskSleeper: DeliverySleeper {
    private let clock: any EventClock

    /// Creates a sleeper that measures time with a clock.
    ///
    /// The clock must run at the rate of the runtime's timer.
    package init(clock: any EventClock = SystemClock()) {
        self.clock = clock
        _ = Self.timers
    }

    #if os(Linux)
    /// Makes the Dispatch library open its timer descriptors early, once per process.
    ///
    /// The library opens them at the first sleep, and terminates the process if no descriptor is free at that time.
    /// This short sleep therefore runs while descriptors are available.
    private static let timers: Void = {
        Task {
            // No code cancels the task or depends on its end.
            try? await Task.sleep(for: .nanoseconds(1), tolerance: nil, clock: .continuous)
            try? await Task.sleep(for: .nanoseconds(1), tolerance: nil, clock: .suspending)
        }
    }()
    #else
    private static let timers: Void = ()
    #endif

    package func sleep(until time: MonotonicTime) async {
        let remaining = clock.now().monotonic.duration(to: time)
        await sleep(remaining, tolerance: Self.tolerance(of: remaining))
    }

    package func sleepExactly(until time: MonotonicTime) async {
        await sleep(clock.now().monotonic.duration(to: time), tolerance: nil)
    }

    private func sleep(_ remaining: Duration, tolerance: Duration?) async {
        guard remaining > .zero else { return }
        // Sleeping throws only if the task is canceled; the call then returns early.
        try? await Task.sleep(for: remaining, tolerance: tolerance, clock: .continuous)
    }

    /// Returns how late a sleep may end.
    ///
    /// A tolerance lets the system combine the wakeups of several timers. The tolerance is a tenth of the length, and
    /// at most one minute. For a sleep of one second or less, the result is nil, which means the smallest possible
    /// tolerance, because a user would notice the delay.
    package static func tolerance(of sleep: Duration) -> Duration? {
        guard sleep > .seconds(1) else { return nil }
        return min(sleep / 10, .seconds(60))
    }
}
