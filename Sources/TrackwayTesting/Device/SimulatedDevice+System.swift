// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Trackway
internal import TrackwayBehavior
public import TrackwayEvents

extension SimulatedDevice {
    // MARK: The process

    /// The system stops the app in memory, once that had the moment it asked for.
    public func suspend() async throws(SimulatedDeviceError) {
        try check("suspend", [.background])
        await process?.postWithMoment(.willSuspend)
        app(is: .suspended)
    }

    /// The system ends the app politely. It says: will terminate.
    public func terminate() async throws(SimulatedDeviceError) {
        try check("terminate", [.active, .inactive, .background])
        await process?.postWithMoment(.willTerminate)
        endProcess { $0.afterKill() }
        app(is: .notRunning)
    }

    /// The app's process ends in this instant, without a word: `kill -9`, a crash, a device short of memory. What it has
    /// written is there for the next process.
    public func kill() throws(SimulatedDeviceError) {
        try check("kill", [.active, .inactive, .background, .suspended])
        endProcess { $0.afterKill() }
        app(is: .notRunning)
    }

    // MARK: The device

    /// The device is restarted: a running app is killed, the time since boot begins anew, and the wall clock goes on.
    ///
    /// - Parameter off: how long the device is off.
    public func reboot(after off: Duration = .seconds(60)) {
        endProcess { $0.afterKill() }
        boot(after: off)
    }

    /// The power fails in this instant, and comes back: of what the app has written, what was not flushed to the disk is
    /// lost.
    ///
    /// - Parameters:
    ///   - loss: what of it is lost.
    ///   - off: how long the device is off.
    public func losePower(_ loss: PowerLoss = .everythingUnflushed, after off: Duration = .seconds(60)) {
        endProcess { $0.afterPowerLoss(loss) }
        boot(after: off)
    }

    /// The device gets a new version of the operating system, and is restarted with it.
    public func upgradeSystem(to version: String) {
        reboot(after: .seconds(600))
        state.withLock { $0.systemVersion = version }
    }

    // MARK: The clock

    /// Somebody sets the clock, which shows another time from now on; the time since boot goes on undisturbed.
    public func setClock(to time: Timestamp) {
        let clock = clock
        clock.jumpWall(by: clock.now().wall.duration(to: time))
    }

    /// Somebody sets the clock forward.
    public func setClock(forward duration: Duration) {
        clock.jumpWall(by: duration)
    }

    /// Somebody sets the clock back.
    public func setClock(back duration: Duration) {
        clock.jumpWall(by: .zero - duration)
    }

    // MARK: The network

    /// The device has no network from now on. A request that is under way still gets its answer.
    public func loseNetwork() {
        air.hasReception.withLock { $0 = false }
    }

    /// The device has a network again.
    public func regainNetwork() {
        air.hasReception.withLock { $0 = true }
    }

    // MARK: Parts

    /// The running app, if it has made its analytics.
    private var process: SimulatedProcess? { state.withLock { $0.process } }

    /// The system tells the app, if that listens.
    func post(_ change: LifeCycleChange) {
        process?.post(change)
    }

    /// Lets the work that a process begins with, or goes on with, begin. By a clock that stands still it takes no time; by
    /// the machine's own it does, and a script must not outrun it.
    func settle() async {
        await process?.analytics.delivery.control.untilSettled()
    }

    func app(is app: SimulatedAppState) {
        state.withLock { $0.app = app }
    }

    func check(_ step: String, _ allowed: Set<SimulatedAppState>) throws(SimulatedDeviceError) {
        let app = app
        guard allowed.contains(app) else { throw SimulatedDeviceError(step: step, in: app, needs: allowed) }
    }

    /// Ends the process, if there is one; `left` says what it leaves on the disk.
    func endProcess(leaving left: (MemoryStorage) -> MemoryStorage) {
        process?.die()
        sensors.processEnded()
        look()
        let disk = (storage.base as? MemoryStorage).map { FaultyStorage(left($0)) }
        // Let go of outside the lock: the end of the analytics may look at the device's clock.
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
    /// The person uses the app, or does something else, for so long. What is due meanwhile happens at its time.
    public func wait(_ duration: Duration) {
        let end = clock.now().monotonic.advanced(by: max(.zero, duration))
        while let due = nextTick(until: end) {
            advance(to: due)
            tick(due)
        }
        advance(to: end)
    }

    /// The analytics were made now.
    func startTicking() {
        state.withLock { state in
            let now = state.clock.now().monotonic
            state.startDue = now.advanced(by: BehaviorDriver.startDelay)
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
            let (beat, snapshot) = (
                process.analytics.lifecycle.behavior.heartbeatDue, process.analytics.lifecycle.snapshots?.due
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
            if reads { state.nextReading = due.advanced(by: SnapshotMeans.samplingInterval) }
            return (state.process?.analytics, starts, reads)
        }
        if starts { analytics?.lifecycle.behavior.launchEnded() }
        if let behavior = analytics?.lifecycle.behavior, behavior.heartbeatDue.map({ $0 <= due }) ?? false {
            behavior.heartbeat()
        }
        if reads { sensors.read(at: clock.now().wall) }
        if let snapshots = analytics?.lifecycle.snapshots, snapshots.due.map({ $0 <= due }) ?? false {
            snapshots.timeCame()
        }
    }
}
