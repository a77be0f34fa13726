// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Trackway
public import TrackwayCore
internal import TrackwayLifecycle

extension SimulatedDevice {
    // MARK: The process

    /// Suspends the app after the background time that it requested.
    public func suspend() async throws(SimulatedDeviceError) {
        try check("suspend", [.background])
        await process?.postWithGracePeriod(.willSuspend)
        app(is: .suspended)
    }

    /// Terminates the app normally.
    ///
    /// The system reports: will terminate.
    public func terminate() async throws(SimulatedDeviceError) {
        try check("terminate", [.active, .inactive, .background])
        await process?.postWithGracePeriod(.willTerminate)
        endProcess { $0.afterKill() }
        app(is: .notRunning)
    }

    /// Kills the app's process immediately, without notification.
    ///
    /// Examples are `kill -9`, a crash, and an out-of-memory kill. The next process finds everything that the killed
    /// process wrote.
    public func kill() throws(SimulatedDeviceError) {
        try check("kill", [.active, .inactive, .background, .suspended])
        endProcess { $0.afterKill() }
        app(is: .notRunning)
    }

    // MARK: The device

    /// Restarts the device.
    ///
    /// A running app is killed, the time since boot starts over, and the wall clock continues.
    ///
    /// - Parameter off: The time for which the device is off.
    public func reboot(after off: Duration = .seconds(60)) {
        endProcess { $0.afterKill() }
        boot(after: off)
    }

    /// Cuts the power immediately and restores it.
    ///
    /// Data that the app has written but not flushed to the disk is lost.
    ///
    /// - Parameters:
    ///   - loss: Which unflushed data is lost.
    ///   - off: The time for which the device is off.
    public func losePower(_ loss: PowerLoss = .everythingUnflushed, after off: Duration = .seconds(60)) {
        endProcess { $0.afterPowerLoss(loss) }
        boot(after: off)
    }

    /// Installs a new version of the operating system, and restarts the device.
    public func upgradeSystem(to version: String) {
        reboot(after: .seconds(600))
        state.withLock { $0.systemVersion = version }
    }

    // MARK: The clock

    /// Sets the wall clock.
    ///
    /// The time since boot is not affected.
    public func setClock(to time: Timestamp) {
        let clock = clock
        clock.jumpWall(by: clock.now().wall.duration(to: time))
    }

    /// Sets the wall clock forward.
    public func setClock(forward duration: Duration) {
        clock.jumpWall(by: duration)
    }

    /// Sets the wall clock back.
    public func setClock(back duration: Duration) {
        clock.jumpWall(by: .zero - duration)
    }

    // MARK: The network

    /// Disconnects the network.
    ///
    /// A request in flight still gets its response.
    public func loseNetwork() {
        simulatedNetwork.hasReception.withLock { $0 = false }
    }

    /// Reconnects the network.
    public func regainNetwork() {
        simulatedNetwork.hasReception.withLock { $0 = true }
    }

    // MARK: Helpers

    /// The process of the running app; nil until its analytics exist.
    private var process: SimulatedProcess? { state.withLock { $0.process } }

    /// Reports a lifecycle change to the app, if the app observes changes.
    func post(_ change: LifecycleChange) {
        process?.post(change)
    }

    /// Waits until the process has no more work due at the current time.
    ///
    /// A started or resumed process needs real time for this work, although the simulated clock stands still. The next
    /// step must not begin before the work is done.
    func settle() async {
        await process?.analytics.delivery.control.waitUntilSettled()
    }

    func app(is app: SimulatedAppState) {
        state.withLock { $0.app = app }
    }

    func check(_ step: String, _ allowed: Set<SimulatedAppState>) throws(SimulatedDeviceError) {
        let app = app
        guard allowed.contains(app) else { throw SimulatedDeviceError(step: step, in: app, needs: allowed) }
    }

    /// Ends the process, if any.
    ///
    /// - Parameter left: Returns the disk for the next process, given the disk of the ended process.
    func endProcess(leaving left: (MemoryStorage) -> MemoryStorage) {
        process?.kill()
        sensors.processEnded()
        refreshHistory()
        let disk = (storage.base as? MemoryStorage).map { FaultyStorage(left($0)) }
        // Release the process outside the lock, because the deinit of the analytics may read the device's clock.
        let process = state.withLock { state -> SimulatedProcess? in
            defer { state.process = nil }
            (state.startDue, state.nextReading) = (nil, nil)
            if let disk { state.storage = disk }
            return state.process
        }
        _ = process
    }

    private func boot(after off: Duration) {
        state.withLock { state in
            if state.app.isRunning { state.app = .notRunning }
            state.boots += 1
            let wall = state.clock.now().wall.advanced(by: max(.zero, off))
            state.clock = ManualClock(wall: wall, monotonic: MonotonicTime(milliseconds: 20_000))
        }
    }
}

extension SimulatedDevice {
    /// Advances the clock; the app may be in any state.
    ///
    /// Work that is due in this period runs at its due time.
    public func wait(_ duration: Duration) {
        let end = clock.now().monotonic.advanced(by: max(.zero, duration))
        while let due = nextTick(until: end) {
            advance(to: due)
            tick(due)
        }
        advance(to: end)
    }

    /// Schedules the startup work of newly created analytics.
    func startTicking() {
        state.withLock { state in
            let now = state.clock.now().monotonic
            state.startDue = now.advanced(by: LifecycleController.startDelay)
        }
    }

    private func nextTick(until end: MonotonicTime) -> MonotonicTime? {
        let isReading = !sensors.running.isEmpty
        return state.withLock { state in
            // A suspended app does nothing; it performs due work after it resumes.
            guard let process = state.process, state.app != .suspended else { return nil }
            if !isReading {
                state.nextReading = nil
            } else if state.nextReading == nil {
                state.nextReading = state.clock.now().monotonic.advanced(by: SnapshotSensors.samplingInterval)
            }
            let (beat, snapshot) = (
                process.analytics.lifecycle.controller.heartbeatDue, process.analytics.lifecycle.snapshots?.due
            )
            return [state.startDue, beat, state.nextReading, snapshot].compactMap { $0 }.filter { $0 <= end }.min()
        }
    }

    private func advance(to time: MonotonicTime) {
        let clock = clock
        clock.advance(by: clock.now().monotonic.duration(to: time))
    }

    private func tick(_ due: MonotonicTime) {
        let (analytics, starts, reads) = state.withLock { state -> (Analytics?, Bool, Bool) in
            let starts = state.startDue.map { $0 <= due } ?? false
            let reads = state.nextReading.map { $0 <= due } ?? false
            if starts { state.startDue = nil }
            if reads { state.nextReading = due.advanced(by: SnapshotSensors.samplingInterval) }
            return (state.process?.analytics, starts, reads)
        }
        if starts { analytics?.lifecycle.controller.launchEnded() }
        if let controller = analytics?.lifecycle.controller, controller.heartbeatDue.map({ $0 <= due }) ?? false {
            controller.heartbeat()
        }
        if reads { sensors.read(at: clock.now().wall) }
        if let snapshots = analytics?.lifecycle.snapshots, snapshots.due.map({ $0 <= due }) ?? false {
            snapshots.timerFired()
        }
    }
}
