// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if os(Linux)
internal import Dispatch
internal import TrackwayEvents

/// Beats on a queue of its own, so that a sensor that takes its time keeps nobody waiting. Beats that are late are left
/// out, not made up for.
package final class DispatchPollingTimer: PollingTimer {
    private struct Beat: Sendable {
        var interval: DispatchTimeInterval
        var perform: @Sendable () -> Void
    }

    private struct State: Sendable {
        var beat: Beat?
        /// Counts starts and stops: beats that were put on the queue before the last of them are left out.
        var generation: UInt64 = 0
    }

    /// Nothing sleeps well on less.
    private static let shortest = Duration.milliseconds(10)

    private let queue = DispatchQueue(label: "trackway.sensors", qos: .utility)
    private let state = Locked(State())

    /// A polling timer at rest.
    package init() {}

    package func start(every interval: Duration, _ beat: @escaping @Sendable () -> Void) {
        let beat = Beat(interval: max(interval, Self.shortest).dispatchInterval, perform: beat)
        schedule(at: .now() + beat.interval, generation: replace(with: beat))
    }

    package func stop() {
        _ = replace(with: nil)
    }

    private func replace(with beat: Beat?) -> UInt64 {
        // The old closure is let go of outside the lock: it may own things.
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
        // What waits on the queue holds nothing of the beat's: once it is stopped, its owner's things are free.
        queue.asyncAfter(deadline: due) { [weak self] in
            guard let self, let beat = self.state.withLock({ $0.generation == generation ? $0.beat : nil }) else {
                return
            }
            beat.perform()
            self.schedule(at: max(due + beat.interval, .now()), generation: generation)
        }
    }
}

/// Beats at a pace: what polled sensors are read by.
package protocol PollingTimer: Sendable {
    /// Calls back every so long, the first time after one interval, from one thread at a time, until ``stop()``. Another
    /// start ends the beats of the one before.
    func start(every interval: Duration, _ beat: @escaping @Sendable () -> Void)

    /// Ends the beats. One under way may still be finished after it; none begins.
    func stop()
}
#endif
