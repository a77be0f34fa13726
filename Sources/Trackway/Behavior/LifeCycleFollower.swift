// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayBehavior
internal import TrackwayEvents
package import TrackwayPlatform

/// Passes lifecycle changes to behavior, snapshots and control, in this order.
///
/// An exit is therefore recorded before pending events are sent.
///
/// A system that sends notifications on the main thread is not delayed: the time is read immediately, and the rest
/// happens on a separate queue, one notification after another. Events that the app records in the meantime have their
/// own times.
package final class LifeCycleFollower: Sendable {
    private let behavior: LifecycleController
    private let timers: TimerController
    private let snapshots: SnapshotController?
    private let control: PipelineController
    private let refreshFacts: (@Sendable () -> ContextFacts)?
    private let clock: any EventClock
    /// The queue that handles notifications.
    ///
    /// nil uses the thread on which they arrive.
    private let queue: StorageQueue?
    private let others = Locked<[@Sendable ([LifeCycleChange]) -> Void]>([])

    /// The default time for sending pending events before the process ends.
    ///
    /// Used if the system states no limit.
    private static let usualLimit = Duration.seconds(1)
    /// The maximum delay of the thread that announces the process's end.
    private static let terminationLimit = Duration.milliseconds(200)

    /// Creates a follower.
    init(
        _ behavior: LifecycleController,
        _ timers: TimerController,
        _ snapshots: SnapshotController?,
        _ control: PipelineController,
        in dependencies: Dependencies
    ) {
        self.behavior = behavior
        self.timers = timers
        self.snapshots = snapshots
        self.control = control
        refreshFacts = dependencies.refreshFacts
        clock = dependencies.clock
        queue = dependencies.lifeCycleQueue
    }

    /// Handles changes that the system announces on any thread.
    ///
    /// Returns without accessing storage if there is a queue for it.
    package func announced(_ changes: [LifeCycleChange], moment: LifeCycleGracePeriod?) {
        guard let queue else { return lifeCycleChanged(changes, moment: moment) }
        let time = clock.now()
        queue.order { self.lifeCycleChanged(changes, moment: moment, at: time) }
        // The process ends once all observers were notified, so wait for the exit to be recorded, but not for the
        // network.
        if changes.contains(.willTerminate) { queue.wait(atMost: Self.terminationLimit) }
    }

    /// Runs `work` after everything announced so far was handled, on the same thread.
    func order(_ work: @escaping @Sendable () -> Void) {
        guard let queue else { return work() }
        queue.order(work)
    }

    /// Returns when everything announced so far was handled.
    package func untilSettled() async {
        await queue?.run {}
    }

    /// Handles lifecycle changes within the time that the system grants for them.
    ///
    /// - Parameter time: The time of the changes; nil for now.
    package func lifeCycleChanged(
        _ changes: [LifeCycleChange],
        moment: LifeCycleGracePeriod?,
        at time: DualTimestamp? = nil
    ) {
        let isReturn = !behavior.isForeground && changes.contains(where: \.isReturn)
        // A system that grants time stops the process when that time is over; any other system announces the stop with
        // `willSuspend`.
        let leaves = changes.contains {
            $0 == .willSuspend || $0 == .willTerminate || $0 == .didEnterBackground && moment != nil
        }
        timers.lifeCycleChanged(changes, at: time)
        behavior.lifeCycleChanged(changes, facts: isReturn ? refreshFacts?() : nil, stepsAside: leaves, at: time)
        snapshots?.lifeCycleChanged(changes)
        if leaves {
            // Releasing the folder takes some of the granted time, too.
            let lastFlush = (moment?.limit ?? Self.usualLimit) * 0.8
            control.change { $0.suspended(within: lastFlush) }
            // When the granted time is over, requests end and locks are released before the system is notified.
            moment?.whenExpired { [weak control] in control?.hurry() }
            let ends = changes.contains(.willTerminate)
            control.whenAtRest { [weak control] in
                moment?.finish()
                // The host app may have handled the signal in its own way and continue to run.
                if ends { control?.change { $0.resumed() } }
            }
        } else {
            if changes.contains(where: \.isReturn) { control.change { $0.resumed() } }
            moment?.finish()
        }
        for report in others.withLock({ $0 }) { report(changes) }
    }

    /// Adds a closure that is called after everything here was done.
    func reportAlso(_ report: @escaping @Sendable ([LifeCycleChange]) -> Void) {
        others.withLock { $0.append(report) }
    }
}

extension Analytics {
    /// Reports a lifecycle change that the SDK does not observe itself.
    ///
    /// See ``Configuration/Lifecycle/isObserved``. Starts, exits, sessions and engagement are recorded before this
    /// returns. Pending events are sent when the app moves to the background.
    public func lifeCycleChanged(to change: LifeCycleChange) {
        lifecycle.follower.lifeCycleChanged([change], moment: nil)
    }
}

extension LifeCycleChange {
    /// Whether the app returns to the foreground.
    fileprivate var isReturn: Bool {
        switch self {
        case .willEnterForeground, .didBecomeActive: true
        case .didFinishLaunching, .willResignActive, .didEnterBackground, .willSuspend, .willTerminate: false
        }
    }
}

extension AppState {
    /// Returns the app's state after the change.
    func after(_ change: LifeCycleChange) -> AppState {
        switch change {
        case .didFinishLaunching: self  // In the foreground or not, as at the start of the process.
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

extension LifeCycleEvent {
    /// The lifecycle changes of an app in a terminal.
    ///
    /// Ctrl-Z backgrounds the app, and `fg` foregrounds it.
    var changes: [LifeCycleChange] {
        switch self {
        case .entersBackground: [.willResignActive, .didEnterBackground, .willSuspend]
        case .entersForeground: [.willEnterForeground, .didBecomeActive]
        case .terminates, .exits: [.willTerminate]
        }
    }
}
