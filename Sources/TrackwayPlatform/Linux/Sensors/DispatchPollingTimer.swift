// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if os(Linux)
internal import Dispatch
internal import TrackwayEvents

/// A polling timer with its own queue.
///
/// A slow sensor therefore does not block other work. Late ticks are skipped and not made up for.
package final class DispatchPollingTimer: PollingTimer {
    private struct Beat: Sendable {
        var interval: DispatchTimeInterval
        var perform: @Sendable () -> Void
    }

    private struct State: Sendable {
        var beat: Beat?
        /// Incremented by each start and stop.
        ///
        /// Ticks queued before the last increment are skipped.
        var generation: UInt64 = 0
    }

    /// The minimum interval; the system cannot sleep reliably for less.
    private static let shortest = Duration.milliseconds(10)

    private let queue = DispatchQueue(label: "trackway.sensors", qos: .utility)
    private let state = Locked(State())

    /// Creates a stopped timer.
    package init() {}

    package func start(every interval: Duration, _ beat: @escaping @Sendable () -> Void) {
        let beat = Beat(interval: max(interval, Self.shortest).dispatchInterval, perform: beat)
        schedule(at: .now() + beat.interval, generation: replace(with: beat))
    }

    package func stop() {
        _ = replace(with: nil)
    }

    private func replace(with beat: Beat?) -> UInt64 {
        // The old closure is released outside the lock, because it may own other objects.
        let (generation, old) = state.withLock { state in
            let old = state.beat
            state.beat = beat
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
            guard let self, let beat = self.state.withLock({ $0.generation == generation ? $0.beat : nil }) else {
                return
            }
            beat.perform()
            self.schedule(at: max(due + beat.interval, .now()), generation: generation)
        }
    }
}

/// Triggers the readings of polled sensors at a fixed interval.
package protocol PollingTimer: Sendable {
    /// Calls the closure at each interval, first after one interval, until ``stop()``.
    ///
    /// Calls do not overlap. Starting again replaces the previous closure.
    func start(every interval: Duration, _ beat: @escaping @Sendable () -> Void)

    /// Stops the timer.
    ///
    /// A running call may still finish; no new one starts.
    func stop()
}
#endif
