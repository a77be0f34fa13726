// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if os(Linux)
internal import Dispatch
internal import TrackwayCore

/// A polling timer with its own queue.
///
/// A slow sensor therefore does not block other work. Late ticks are skipped, and no ticks are added to make up for
/// them.
package final class DispatchPollingTimer: PollingTimer {
    private struct Schedule: Sendable {
        var interval: DispatchTimeInterval
        var perform: @Sendable () -> Void
    }

    private struct State: Sendable {
        var tick: Schedule?
        /// A number that each start and stop increments.
        ///
        /// Ticks queued before the last increment are skipped.
        var generation: UInt64 = 0
    }

    /// The minimum interval; the system cannot sleep reliably for a shorter time.
    private static let shortest = Duration.milliseconds(10)

    private let queue = DispatchQueue(label: "trackway.sensors", qos: .utility)
    private let state = Locked(State())

    /// Creates a stopped timer.
    package init() {}

    package func start(every interval: Duration, _ tick: @escaping @Sendable () -> Void) {
        let tick = Schedule(interval: max(interval, Self.shortest).dispatchInterval, perform: tick)
        schedule(at: .now() + tick.interval, generation: replace(with: tick))
    }

    package func stop() {
        _ = replace(with: nil)
    }

    private func replace(with tick: Schedule?) -> UInt64 {
        // Release the old closure outside the lock, because it may own other objects.
        let (generation, old) = state.withLock { state in
            let old = state.tick
            state.tick = tick
            state.generation &+= 1
            return (state.generation, old)
        }
        _ = old
        return generation
    }

    private func schedule(at due: DispatchTime, generation: UInt64) {
        // The queued block does not capture the closure, so stopping the timer releases everything that the closure
        // owns.
        queue.asyncAfter(deadline: due) { [weak self] in
            guard let self, let tick = self.state.withLock({ $0.generation == generation ? $0.tick : nil }) else {
                return
            }
            tick.perform()
            self.schedule(at: max(due + tick.interval, .now()), generation: generation)
        }
    }
}

/// A timer that triggers the readings of polled sensors.
package protocol PollingTimer: Sendable {
    /// Calls the closure after each interval until ``stop()``.
    ///
    /// Calls do not overlap. Starting again replaces the previous closure.
    func start(every interval: Duration, _ tick: @escaping @Sendable () -> Void)

    /// Stops the timer.
    ///
    /// A running call may still finish; no new call starts.
    func stop()
}
#endif
