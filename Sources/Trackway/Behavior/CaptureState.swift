// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayBehavior
internal import TrackwayEvents
internal import TrackwayJournal
internal import TrackwayPlatform

/// A process's capture state between inputs.
struct CaptureState: Sendable {
    enum Phase: Sendable {
        /// Nothing is captured.
        case off
        /// The start has not been recorded yet.
        ///
        /// Without a time, the start gets the time at which it is recorded, because observation was not permitted
        /// before.
        case pending(since: DeviceTime?)
        /// This process captures.
        case acting(any StorageLock)
        /// This process does not capture.
        ///
        /// Another process captures, or this one has stepped aside because the system is about to stop it.
        case watching
    }

    /// The session and screen of events.
    struct SessionAndScreen: Sendable {
        var session: RecordedContext.Session?
        var screen: RecordedContext.Screen?
    }

    /// The app's state, regardless of which process captures.
    var app: AppState
    var phase = Phase.off
    var settings: BehaviorSettings
    var behavior = LifecycleStateMachine()
    /// The session and screen of the previous process.
    ///
    /// nil once its crashes are recorded. Needed while the settings exclude crashes that the process may have left.
    var former: SessionAndScreen?
    /// The time of the previous process's last record, until this process has begun.
    var lastSign: DeviceTime?
    /// The launch reason, while it is undecided.
    var undecided: LaunchReason?
    /// The time at which the process started.
    var began: DeviceTime?
    /// The SDK's own work that was deferred during the launch, in order.
    ///
    /// It runs after the start.
    private var deferred: [@Sendable () -> Void] = []
    var failure = ReportedFailure()
    /// Whether power loss may cause events to be recorded again.
    ///
    /// They must not be recorded again, but the state that prevents it may not survive power loss.
    var isUnflushed = false
    /// Whether heartbeats have ended, because the app shut the SDK down or released it.
    private(set) var isOver = false

    init(_ launch: LaunchConclusion, settings: BehaviorSettings) {
        app = launch.state
        undecided = launch.reason.isPending ? launch.reason : nil
        self.settings = settings
    }

    /// Whether the next input may take over from an ended process.
    ///
    /// That process captured.
    var isWatching: Bool { if case .watching = phase { true } else { false } }
    /// Whether the start has not been recorded yet.
    var isPending: Bool { if case .pending = phase { true } else { false } }
    /// Whether heartbeats are needed to show how long the app was alive.
    var isBeating: Bool { !isOver && app.isForeground && isActing }
    /// The session limits, while sessions can end in the foreground.
    ///
    /// nil if nothing is watched, for example because the app is not in the foreground.
    var watchedLimits: SessionLimits? {
        let limits = settings.sessionLimits
        return isBeating && limits.endInForeground ? limits : nil
    }
    var isActing: Bool { if case .acting = phase { true } else { false } }

    /// Notes the start of the process.
    ///
    /// - Parameter lastSign: The time of the previous process's last record, read before any of its journal could be
    ///   removed.
    mutating func noteStart(at time: DeviceTime, lastSign: DeviceTime?) {
        phase = .pending(since: time)
        began = time
        self.lastSign = lastSign
    }

    /// Whether the app is still launching.
    ///
    /// Its start is not recorded yet, and it may change settings first.
    ///
    /// - Parameter delay: The maximum duration of a launch.
    func isLaunching(at now: MonotonicTime, for delay: Duration) -> Bool {
        guard isPending, !isOver, let began else { return false }
        return now < began.monotonic.advanced(by: delay)
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
    var hasDeferred: Bool { !deferred.isEmpty }

    /// Returns and removes the deferred work once the launch is over.
    ///
    /// Empty before that.
    mutating func takeDeferred(at now: MonotonicTime, for delay: Duration) -> [@Sendable () -> Void] {
        guard !deferred.isEmpty, !isLaunching(at: now, for: delay) else { return [] }
        defer { deferred = [] }
        return deferred
    }

    /// Changes the settings for what is captured.
    ///
    /// A change before the start was recorded applies to the start and does not trigger it.
    ///
    /// - Returns: Whether no further work is needed.
    mutating func settingsChosen(_ settings: BehaviorSettings) -> Bool {
        guard settings != self.settings else { return true }
        guard case .pending = phase else { return false }
        self.settings = settings
        if !settings.capture.isCapturing { phase = .off }
        return true
    }

    /// Removes all state, because the installation was erased.
    ///
    /// - Returns: The lock to release.
    mutating func forgotten() -> (any StorageLock)? {
        let lock = releaseCapture()
        phase = .off
        behavior = LifecycleStateMachine()
        return lock
    }

    /// Begins a new installation.
    mutating func beganAnew() {
        if case .off = phase, settings.capture.isCapturing, !isOver { phase = .pending(since: nil) }
    }

    /// Ends heartbeats, because the app has shut the SDK down.
    mutating func ended() {
        isOver = true
    }

    /// Stops capturing, because the ``Analytics`` was released.
    ///
    /// - Returns: The lock to release once the state is stored.
    mutating func abandoned() -> (any StorageLock)? {
        let lock = releaseCapture()
        phase = .off
        isOver = true
        // The results of this work are stored elsewhere until they are recorded, so the next process does the work.
        deferred = []
        return lock
    }

    /// Stops capturing, because a process that the system stops must not hold a lock.
    ///
    /// - Returns: The lock to release once the state is stored; another process then reads the state.
    mutating func releaseCapture() -> (any StorageLock)? {
        guard case .acting(let lock) = phase else { return nil }
        phase = .watching
        return lock
    }
}
