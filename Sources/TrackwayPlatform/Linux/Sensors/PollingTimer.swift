// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if os(Linux)
/// Beats at a pace: what polled sensors are read by.
package protocol PollingTimer: Sendable {
    /// Calls back every so long, the first time after one interval, from one thread at a time, until ``stop()``. Another
    /// start ends the beats of the one before.
    func start(every interval: Duration, _ beat: @escaping @Sendable () -> Void)

    /// Ends the beats. One under way may still be finished after it; none begins.
    func stop()
}
#endif
