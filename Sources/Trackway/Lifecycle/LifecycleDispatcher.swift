// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore
public import TrackwayLifecycle
package import TrackwayPlatform

/// Passes lifecycle changes to lifecycle capture, snapshots and control, in this order.
///
/// The order ensures that an exit is recorded before pending events are sent.
///
/// On systems that send notifications on the main thread, that thread is not delayed: the time is read immediately, and
/// all other work happens on a separate queue, one notification after another. Events that the app records in the
/// meantime have their own times.
package final class LifecycleDispatcher: Sendable {
    private let lifecycle: LifecycleController
    private let timers: TimerController
    private let snapshots: SnapshotController?
    private let control: PipelineController
    private let refreshFacts: (@Sendable () -> ContextFacts)?
    private let clock: any EventClock
    /// The queue that handles notifications.
    ///
    /// nil handles notifications on the thread on which they arrive.
    private let queue: StorageQueue?
    private let observers = Locked<[@Sendable ([LifecycleChange]) -> Void]>([])

    /// The default time limit for sending pending events before the process ends.
    ///
    /// Used if the system states no limit.
    private static let defaultFlushLimit = Duration.seconds(1)
    /// The maximum delay of the thread that announces process termination.
    private static let terminationLimit = Duration.milliseconds(200)

    /// Creates a dispatcher.
    init(
        _ lifecycle: LifecycleController,
        _ timers: TimerController,
        _ snapshots: SnapshotController?,
        _ control: PipelineController,
        in dependencies: Dependencies
    ) {
        self.lifecycle = lifecycle
        self.timers = timers
        self.snapshots = snapshots
        self.control = control
        refreshFacts = dependencies.refreshFacts
        clock = dependencies.clock
        queue = dependencies.lifecycleQueue
    }

    /// Handles changes that the system announces on any thread.
    ///
    /// Returns without accessing storage if there is a queue.
    package func handle(_ changes: [LifecycleChange], gracePeriod: GracePeriod?) {
        guard let queue else { return lifecycleChanged(changes, gracePeriod: gracePeriod) }
        let time = clock.now()
        queue.enqueue { self.lifecycleChanged(changes, gracePeriod: gracePeriod, at: time) }
        // The process ends once all observers have been notified, so wait until the exit is recorded, but not for the
        // network.
        if changes.contains(.willTerminate) { queue.wait(atMost: Self.terminationLimit) }
    }

    /// Schedules `work` after everything announced so far, on the same thread.
    func enqueue(_ work: @escaping @Sendable () -> Void) {
        guard let queue else { return work() }
        queue.enqueue(work)
    }

    /// Returns when everything announced so far has been handled.
    package func waitUntilSettled() async {
        await queue?.run {}
    }

    /// Handles lifecycle changes within the time that the system grants for them.
    ///
    /// - Parameter time: The time of the changes; nil for now.
    package func lifecycleChanged(
        _ changes: [LifecycleChange],
        gracePeriod: GracePeriod?,
        at time: DualTimestamp? = nil
    ) {
        let isReturn = !lifecycle.isForeground && changes.contains(where: \.isReturn)
        // A system that grants time suspends the process when that time expires; any other system announces the
        // suspension with `willSuspend`.
        let isLeaving = changes.contains {
            $0 == .willSuspend || $0 == .willTerminate || $0 == .didEnterBackground && gracePeriod != nil
        }
        timers.lifecycleChanged(changes, at: time)
        lifecycle.lifecycleChanged(changes, facts: isReturn ? refreshFacts?() : nil, stepsAside: isLeaving, at: time)
        snapshots?.lifecycleChanged(changes)
        if isLeaving {
            // Releasing the folder takes some of the granted time, too.
            let lastFlush = (gracePeriod?.limit ?? Self.defaultFlushLimit) * 0.8
            control.change { $0.suspend(within: lastFlush) }
            // When the granted time expires, requests are canceled and locks are released before the system is
            // notified.
            gracePeriod?.onExpiration { [weak control] in control?.expireGracePeriod() }
            let isTerminating = changes.contains(.willTerminate)
            control.whenIdle { [weak control] in
                gracePeriod?.finish()
                // The host app may handle the signal itself and continue to run.
                if isTerminating { control?.change { $0.resume() } }
            }
        } else {
            if changes.contains(where: \.isReturn) { control.change { $0.resume() } }
            gracePeriod?.finish()
        }
        for report in observers.withLock({ $0 }) { report(changes) }
    }

    /// Adds a closure that is called after lifecycle changes are handled.
    func addObserver(_ report: @escaping @Sendable ([LifecycleChange]) -> Void) {
        observers.withLock { $0.append(report) }
    }
}

extension Analytics {
    /// Reports a lifecycle change that the SDK does not observe itself.
    ///
    /// See ``Configuration/Lifecycle/isObserved``. Starts, exits, sessions and engagement are recorded before this
    /// returns. Pending events are sent when the app moves to the background.
    public func lifecycleChanged(to change: LifecycleChange) {
        lifecycle.dispatcher.lifecycleChanged([change], gracePeriod: nil)
    }
}

extension LifecycleChange {
    /// Whether the change returns the app to the foreground.
    fileprivate var isReturn: Bool {
        switch self {
        case .willEnterForeground, .didBecomeActive: true
        case .didFinishLaunching, .willResignActive, .didEnterBackground, .willSuspend, .willTerminate: false
        }
    }
}

extension AppState {
    /// Returns the app's state after the change.
    func after(_ change: LifecycleChange) -> AppState {
        switch change {
        case .didFinishLaunching: self  // The state at the start of the process still applies.
        case .willResignActive: isForeground ? .inactive : self  // Some systems repeat it before they suspend the app.
        case .willEnterForeground: .inactive
        case .didBecomeActive: .active
        case .didEnterBackground: .background
        case .willSuspend: .suspended
        case .willTerminate: .notRunning
        }
    }

    /// Whether the app is in the foreground.
    var isForeground: Bool {
        switch self {
        case .inactive, .active: true
        case .notRunning, .background, .suspended: false
        }
    }
}

extension ProcessLifecycleEvent {
    /// The lifecycle changes of an app in a terminal.
    ///
    /// Ctrl-Z backgrounds the app, and `fg` foregrounds it.
    var changes: [LifecycleChange] {
        switch self {
        case .entersBackground: [.willResignActive, .didEnterBackground, .willSuspend]
        case .entersForeground: [.willEnterForeground, .didBecomeActive]
        case .terminates, .exits: [.willTerminate]
        }
    }
}
