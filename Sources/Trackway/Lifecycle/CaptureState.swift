// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore
internal import TrackwayJournal
internal import TrackwayLifecycle
internal import TrackwayPlatform

/// The capture state of a process between inputs.
struct CaptureState: Sendable {
    enum Phase: Sendable {
        /// Nothing is captured.
        case off
        /// The start has not been recorded yet.
        ///
        /// If the time is nil, the start gets the time at which it is recorded, because observation was not permitted
        /// before.
        case pending(since: DeviceTime?)
        /// This process captures.
        case capturing(any StorageLock)
        /// This process does not capture.
        ///
        /// Another process captures, or this one has stepped aside because the system is about to stop it.
        case standby
    }

    /// A session and a screen, as in the context of events.
    struct SessionAndScreen: Sendable {
        var session: RecordedContext.Session?
        var screen: RecordedContext.Screen?
    }

    /// The app's state, regardless of which process captures.
    var app: AppState
    var phase = Phase.off
    var settings: LifecycleSettings
    var machine: LifecycleStateMachine {
        _read { yield sharedMachine.value }
        _modify { yield &sharedMachine.value }
    }
    private var sharedMachine = CopyOnWrite(LifecycleStateMachine())
    /// The session and screen of the previous process.
    ///
    /// nil once its crashes are recorded. Needed while the settings exclude crashes, because the previous process may
    /// have left crash reports.
    var previousProcess: SessionAndScreen?
    /// The time of the previous process's last record, until this process has begun.
    var lastRecordTime: DeviceTime?
    /// The launch reason, while it is undecided.
    var undecidedReason: LaunchReason?
    /// The time at which the process started.
    var startTime: DeviceTime?
    /// The SDK work that was deferred during the launch, in order.
    ///
    /// The work runs after the start.
    private var deferred: [@Sendable () -> Void] = []
    var failure = ReportedFailure()
    /// Whether power loss could cause events to be recorded twice.
    ///
    /// The state that prevents duplicates has not been flushed, so it may not survive power loss.
    var isUnflushed = false
    /// Whether heartbeats have ended, because the app shut the SDK down or released it.
    private(set) var hasEnded = false

    init(_ launch: LaunchConclusion, settings: LifecycleSettings) {
        app = launch.state
        undecidedReason = launch.reason.isPending ? launch.reason : nil
        self.settings = settings
    }

    /// Whether the next input may take over from a capturing process that has ended.
    var isStandby: Bool { if case .standby = phase { true } else { false } }
    /// Whether the start has not been recorded yet.
    var isPending: Bool { if case .pending = phase { true } else { false } }
    /// Whether heartbeats are needed to show how long the app was alive.
    var needsHeartbeats: Bool { !hasEnded && app.isForeground && isCapturing }
    /// The session limits, while sessions can end in the foreground.
    ///
    /// nil if activity is not tracked, for example because the app is not in the foreground.
    var activeSessionLimits: SessionLimits? {
        let limits = settings.sessionLimits
        return needsHeartbeats && limits.canEndInForeground ? limits : nil
    }
    var isCapturing: Bool { if case .capturing = phase { true } else { false } }

    /// Notes the start of the process.
    ///
    /// - Parameter lastRecordTime: The time of the previous process's last record, read before any part of that
    ///   process's journal could be removed.
    mutating func noteStart(at time: DeviceTime, lastRecordTime: DeviceTime?) {
        phase = .pending(since: time)
        startTime = time
        self.lastRecordTime = lastRecordTime
    }

    /// Whether the app is still launching.
    ///
    /// The app's start is not recorded yet, and the app may change settings first.
    ///
    /// - Parameter delay: The maximum duration of a launch.
    func isLaunching(at now: MonotonicTime, for delay: Duration) -> Bool {
        guard isPending, !hasEnded, let startTime else { return false }
        return now < startTime.monotonic.advanced(by: delay)
    }

    /// Defers work until the launch is over.
    ///
    /// - Returns: False if the launch is already over, so that the caller must do the work.
    mutating func postpone(_ work: @escaping @Sendable () -> Void, at now: MonotonicTime, for delay: Duration) -> Bool {
        guard isLaunching(at: now, for: delay) else { return false }
        deferred.append(work)
        return true
    }

    /// Whether work is deferred until the end of the launch.
    var hasDeferredWork: Bool { !deferred.isEmpty }

    /// Returns and removes the deferred work once the launch is over.
    ///
    /// Returns nothing before that.
    mutating func dequeueDeferredWork(at now: MonotonicTime, for delay: Duration) -> [@Sendable () -> Void] {
        guard !deferred.isEmpty, !isLaunching(at: now, for: delay) else { return [] }
        defer { deferred = [] }
        return deferred
    }

    /// Changes the capture settings.
    ///
    /// A change before the start is recorded applies to the start and does not trigger it.
    ///
    /// - Returns: True if no further work is needed.
    mutating func updateSettings(_ settings: LifecycleSettings) -> Bool {
        guard settings != self.settings else { return true }
        guard case .pending = phase else { return false }
        self.settings = settings
        if !settings.capture.isCapturing { phase = .off }
        return true
    }

    /// Removes all state, because the installation was erased.
    ///
    /// - Returns: The lock to release.
    mutating func resetForErasure() -> (any StorageLock)? {
        let lock = releaseCapture()
        phase = .off
        machine = LifecycleStateMachine()
        return lock
    }

    /// Begins a new installation.
    mutating func beginNewInstallation() {
        if case .off = phase, settings.capture.isCapturing, !hasEnded { phase = .pending(since: nil) }
    }

    /// Ends heartbeats, because the app has shut the SDK down.
    mutating func endHeartbeats() {
        hasEnded = true
    }

    /// Stops capturing, because the ``Analytics`` was released.
    ///
    /// - Returns: The lock to release once the state is stored.
    mutating func stopCapturing() -> (any StorageLock)? {
        let lock = releaseCapture()
        phase = .off
        hasEnded = true
        // The results of this work are stored elsewhere until they are recorded, so the next process does the work.
        deferred = []
        return lock
    }

    /// Stops capturing, because a suspended process must not hold a lock.
    ///
    /// - Returns: The lock to release once the state is stored; another process then reads the state.
    mutating func releaseCapture() -> (any StorageLock)? {
        guard case .capturing(let lock) = phase else { return nil }
        phase = .standby
        return lock
    }
}
