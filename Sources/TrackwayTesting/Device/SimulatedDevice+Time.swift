// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Trackway
internal import TrackwayBehavior
internal import TrackwayEvents

extension SimulatedDevice {
    /// The person uses the app, or does something else, for so long. What is due meanwhile happens at its time.
    public func wait(_ duration: Duration) {
        let end = clock.now().monotonic.advanced(by: max(.zero, duration))
        while let due = nextTick(until: end) {
            advance(to: due)
            tick(due)
        }
        advance(to: end)
    }

    /// How often the analytics look that the app is still in sight.
    static var beat: Duration { BehaviorDriver.heartbeatInterval }

    /// The analytics were made now.
    func startTicking() {
        state.withLock { state in
            let now = state.clock.now().monotonic
            state.startDue = now.advanced(by: BehaviorDriver.startDelay)
            if state.app.isInSight { state.nextBeat = now.advanced(by: Self.beat) }
        }
    }

    private func nextTick(until end: MonotonicTime) -> MonotonicTime? {
        let isReading = !sensors.running.isEmpty
        return state.withLock { state in
            // Who is suspended does nothing, and comes late to what was due.
            guard let process = state.process, state.app != .suspended else { return nil }
            if !isReading {
                state.nextReading = nil
            } else if state.nextReading == nil {
                state.nextReading = state.clock.now().monotonic.advanced(by: SnapshotMeans.samplingInterval)
            }
            return [state.startDue, state.nextBeat, state.nextReading, process.analytics.snapshots?.due]
                .compactMap { $0 }.filter { $0 <= end }.min()
        }
    }

    private func advance(to time: MonotonicTime) {
        let clock = clock
        clock.advance(by: clock.now().monotonic.duration(to: time))
    }

    private func tick(_ due: MonotonicTime) {
        let (analytics, starts, beats, reads) = state.withLock { state -> (Analytics?, Bool, Bool, Bool) in
            let starts = state.startDue.map { $0 <= due } ?? false
            let beats = state.nextBeat.map { $0 <= due } ?? false
            let reads = state.nextReading.map { $0 <= due } ?? false
            if starts { state.startDue = nil }
            if reads { state.nextReading = due.advanced(by: SnapshotMeans.samplingInterval) }
            if beats { state.nextBeat = due.advanced(by: Self.beat) }
            return (state.process?.analytics, starts, beats, reads)
        }
        if starts { analytics?.behavior.begin() }
        if beats { analytics?.behavior.heartbeat() }
        if reads { sensors.read(at: clock.now().wall) }
        if let snapshots = analytics?.snapshots, snapshots.due.map({ $0 <= due }) ?? false { snapshots.timeCame() }
    }
}
