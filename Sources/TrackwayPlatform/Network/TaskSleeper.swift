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
    }

    package func sleep(until time: MonotonicTime) async {
        let left = clock.now().monotonic.duration(to: time)
        guard left > .zero else { return }
        // Sleeping fails only when the task is cancelled, and then it is time to return.
        try? await Task.sleep(for: left, tolerance: nil, clock: .continuous)
    }
}
