// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayBehavior
internal import TrackwayEvents
internal import TrackwayJournal
internal import TrackwayPlatform

/// What a process knows about its part in capturing, between one input and the next.
struct BehaviorState: Sendable {
    enum Phase: Sendable {
        /// Nothing is captured.
        case off
        /// The start has not been recorded yet. Without a time it counts as of when it will be: before, nobody was
        /// allowed to watch.
        case pending(since: DeviceTime?)
        /// This process captures.
        case acting(any StorageLock)
        /// Another process does, or this one has stepped aside because the system is about to stop it.
        case watching
    }

    /// Where events happened.
    struct SessionAndScreen: Sendable {
        var session: RecordedContext.Session?
        var screen: RecordedContext.Screen?
    }

    /// What the app does, whoever captures.
    var app: AppState
    var phase = Phase.off
    var settings: BehaviorSettings
    var behavior = AppBehavior()
    /// Session and screen of the process before, while it may have left crashes behind that nobody wanted to know of.
    var former: SessionAndScreen?
    /// When the process before this one recorded last, until this one has begun.
    var lastSign: DeviceTime?
    /// For whom the process was started, as long as nobody can tell.
    var undecided: LaunchReason?
    /// When the process started.
    var began: DeviceTime?
    /// Work of the SDK's own that came while the app launched, in order. It follows the start.
    private var deferred: [@Sendable () -> Void] = []
    var failure = ReportedFailure()
    /// True while events were recorded that must not be recorded again, and the state that says so may not survive power loss.
    var isUnflushed = false
    /// No more heartbeats: the app has shut the SDK down, or let go of it.
    private(set) var isOver = false

    init(_ launch: LaunchReading, settings: BehaviorSettings) {
        app = launch.state
        undecided = launch.reason.isPending ? launch.reason : nil
        self.settings = settings
    }

    /// Whether the next thing that happens may take the place of a process that captured and is gone.
    var isWatching: Bool { if case .watching = phase { true } else { false } }
    /// Whether the start is still to be recorded.
    var isPending: Bool { if case .pending = phase { true } else { false } }
    /// Whether the app's being alive is worth keeping.
    var isBeating: Bool { !isOver && app.isForeground && isActing }
    /// When sessions end, while they can end in the foreground and the app is there; nil when there is nothing to watch.
    var watchedLimits: SessionLimits? {
        let limits = settings.sessionLimits
        return isBeating && limits.endInForeground ? limits : nil
    }
    var isActing: Bool { if case .acting = phase { true } else { false } }

    /// The process started.
    ///
    /// - Parameter lastSign: when the process before recorded last, read before anything of its journal could be removed.
    mutating func noteStart(at time: DeviceTime, lastSign: DeviceTime?) {
        phase = .pending(since: time)
        began = time
        self.lastSign = lastSign
    }

    /// Whether the app still launches: its start is not recorded yet, and the app may say more about itself first.
    ///
    /// - Parameter delay: how long a launch takes at most.
    func isLaunching(at now: MonotonicTime, for delay: Duration) -> Bool {
        guard isPending, !isOver, let began else { return false }
        return now < began.monotonic.advanced(by: delay)
    }

    /// Keeps work until the launch is over.
    ///
    /// - Returns: false when it is over already, and the work is to be done by the caller.
    mutating func postpone(_ work: @escaping @Sendable () -> Void, at now: MonotonicTime, for delay: Duration) -> Bool {
        guard isLaunching(at: now, for: delay) else { return false }
        deferred.append(work)
        return true
    }

    /// Whether work waits for the end of the launch.
    var hasDeferred: Bool { !deferred.isEmpty }

    /// The work that was kept, once the launch is over; empty before, and after it was taken.
    mutating func takeDeferred(at now: MonotonicTime, for delay: Duration) -> [@Sendable () -> Void] {
        guard !deferred.isEmpty, !isLaunching(at: now, for: delay) else { return [] }
        defer { deferred = [] }
        return deferred
    }

    /// The app, or a back-end, chose what is captured. What is chosen before the start was recorded says how the app
    /// begins, and does not bring the start about.
    ///
    /// - Returns: whether that was all there was to do.
    mutating func settingsChosen(_ settings: BehaviorSettings) -> Bool {
        guard settings != self.settings else { return true }
        guard case .pending = phase else { return false }
        self.settings = settings
        if !settings.capture.isCapturing { phase = .off }
        return true
    }

    /// The installation was erased: nothing of what was known is true any more.
    ///
    /// - Returns: the lock to give back.
    mutating func forgotten() -> (any StorageLock)? {
        let lock = steppedAside()
        phase = .off
        behavior = AppBehavior()
        return lock
    }

    /// A new installation has begun.
    mutating func beganAnew() {
        if case .off = phase, settings.capture.isCapturing, !isOver { phase = .pending(since: nil) }
    }

    /// The app has shut the SDK down.
    mutating func ended() {
        isOver = true
    }

    /// The front door is gone.
    ///
    /// - Returns: the lock to give back once everything is kept.
    mutating func abandoned() -> (any StorageLock)? {
        let lock = steppedAside()
        phase = .off
        isOver = true
        // Whatever it would record is kept elsewhere until it is recorded: the next process does it.
        deferred = []
        return lock
    }

    /// Captures no more: whoever is stopped by the system must not hold a lock.
    ///
    /// - Returns: the lock to give back once everything is kept; another process reads it then.
    mutating func steppedAside() -> (any StorageLock)? {
        guard case .acting(let lock) = phase else { return nil }
        phase = .watching
        return lock
    }
}
