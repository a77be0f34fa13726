// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayDelivery
package import TrackwayEvents

/// Sleeps with the runtime's timer.
///
/// This is the only place where the SDK waits for real time to pass.
package struct TaskSleeper: DeliverySleeper {
    private let clock: any EventClock

    /// Creates a sleeper that measures with a clock.
    ///
    /// The clock must run at the rate of the runtime's timer.
    package init(clock: any EventClock = SystemClock()) {
        self.clock = clock
        _ = Self.timers
    }

    #if os(Linux)
    /// Makes the dispatch library open its timer descriptors early, once per process.
    ///
    /// It opens them with the first sleep and terminates the process if no descriptor is free then. This short sleep
    /// therefore runs while descriptors are available.
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
        let left = clock.now().monotonic.duration(to: time)
        await sleep(left, tolerance: Self.tolerance(of: left))
    }

    package func sleepExactly(until time: MonotonicTime) async {
        await sleep(clock.now().monotonic.duration(to: time), tolerance: nil)
    }

    private func sleep(_ left: Duration, tolerance: Duration?) async {
        guard left > .zero else { return }
        // Sleeping throws only if the task is canceled, and then the call returns early.
        try? await Task.sleep(for: left, tolerance: tolerance, clock: .continuous)
    }

    /// Returns how late a sleep may end.
    ///
    /// A tolerance lets the system combine the wakeups of several timers. It is a tenth of the length, at most one
    /// minute. Nil, for the smallest possible tolerance, if the sleep takes one second or less, because a user would
    /// notice the delay.
    package static func tolerance(of sleep: Duration) -> Duration? {
        guard sleep > .seconds(1) else { return nil }
        return min(sleep / 10, .seconds(60))
    }
}
