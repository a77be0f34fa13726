// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayDelivery
package import TrackwayEvents

/// Sleeps with the runtime's own timer. The one place in the SDK where time really passes on its behalf.
package struct TaskSleeper: DeliverySleeper {
    private let clock: any EventClock

    /// Makes a sleeper that measures with a clock; the runtime's timer must tick at the same pace.
    package init(clock: any EventClock = SystemClock()) {
        self.clock = clock
        _ = Self.timers
    }

    #if os(Linux)
    /// The system's dispatch library opens the descriptors of its timers with the first sleep, and ends the process when none
    /// is free by then. So the first sleep of a process is this short one, while there are some; once for the process.
    private static let timers: Void = {
        Task {
            // Nobody cancels it, and nothing depends on its end.
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
        // Sleeping fails only when the task is cancelled, and then it is time to return.
        try? await Task.sleep(for: left, tolerance: tolerance, clock: .continuous)
    }

    /// How late a sleep may end, so that the system wakes the processor for several timers at once: a tenth of its length, and at most
    /// a minute. nil, for as little as can be, when it takes a second or less: that much somebody notices.
    package static func tolerance(of sleep: Duration) -> Duration? {
        guard sleep > .seconds(1) else { return nil }
        return min(sleep / 10, .seconds(60))
    }
}
