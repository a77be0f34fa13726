// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayBehavior
internal import TrackwayEvents
package import TrackwayPlatform

/// Turns what the system does with the app into inputs of behaviour, snapshots and control, in this order: an exit is
/// recorded before what waits is sent.
///
/// A system that announces things on the main thread is not held up there: the time is taken at once, and the rest happens
/// on a thread of its own, one announcement after the other. What the app records meanwhile carries its own time.
package final class LifeCycleFollower: Sendable {
    private let behavior: BehaviorDriver
    private let timers: TimerDriver
    private let snapshots: SnapshotDriver?
    private let control: ControlDriver
    private let refreshFacts: (@Sendable () -> ContextFacts)?
    private let clock: any EventClock
    /// Where announcements are dealt with; the thread they come on, when nil.
    private let queue: StorageQueue?
    private let others = Locked<[@Sendable ([LifeCycleChange]) -> Void]>([])

    /// How long what waits may be sent before the process ends, when nobody said how long it has.
    private static let usualLimit = Duration.seconds(1)
    /// How long the thread is held up on which the end of the process is announced.
    private static let terminationLimit = Duration.milliseconds(200)

    /// Makes a follower.
    init(
        _ behavior: BehaviorDriver,
        _ timers: TimerDriver,
        _ snapshots: SnapshotDriver?,
        _ control: ControlDriver,
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

    /// The system announces this, on any thread; returns without having touched the storage where there is a queue for it.
    package func announced(_ changes: [LifeCycleChange], moment: LifeCycleMoment?) {
        guard let queue else { return lifeCycleChanged(changes, moment: moment) }
        let time = clock.now()
        queue.order { self.lifeCycleChanged(changes, moment: moment, at: time) }
        // The process is gone as soon as everybody was told, so this one waits: for the exit, not for the network.
        if changes.contains(.willTerminate) { queue.wait(atMost: Self.terminationLimit) }
    }

    /// Does something after everything announced so far was dealt with, on the same thread.
    func order(_ work: @escaping @Sendable () -> Void) {
        guard let queue else { return work() }
        queue.order(work)
    }

    /// Returns when everything announced so far was dealt with.
    package func untilSettled() async {
        await queue?.run {}
    }

    /// The system did this with the app, and gives this moment for it.
    ///
    /// - Parameter time: when, if that was not just now.
    package func lifeCycleChanged(_ changes: [LifeCycleChange], moment: LifeCycleMoment?, at time: Moment? = nil) {
        let isReturn = !behavior.isForeground && changes.contains(where: \.isReturn)
        // A system that gives a moment stops the process when it is over; without one it says so by `willSuspend`.
        let leaves = changes.contains {
            $0 == .willSuspend || $0 == .willTerminate || $0 == .didEnterBackground && moment != nil
        }
        timers.lifeCycleChanged(changes, at: time)
        behavior.lifeCycleChanged(changes, facts: isReturn ? refreshFacts?() : nil, stepsAside: leaves, at: time)
        snapshots?.lifeCycleChanged(changes)
        if leaves {
            // Letting go of the folder needs some of the moment too.
            let lastFlush = (moment?.limit ?? Self.usualLimit) * 0.8
            control.change { $0.suspended(within: lastFlush) }
            // The system wants the process now: requests end, locks are given back, and only then the moment.
            moment?.whenExpired { [weak control] in control?.hurry() }
            let ends = changes.contains(.willTerminate)
            control.whenAtRest { [weak control] in
                moment?.finish()
                // The host may have handled the signal in its own way and goes on.
                if ends { control?.change { $0.resumed() } }
            }
        } else {
            if changes.contains(where: \.isReturn) { control.change { $0.resumed() } }
            moment?.finish()
        }
        for report in others.withLock({ $0 }) { report(changes) }
    }

    /// Has somebody else told, after everything here was done.
    func reportAlso(_ report: @escaping @Sendable ([LifeCycleChange]) -> Void) {
        others.withLock { $0.append(report) }
    }
}

extension Analytics {
    /// Reports a lifecycle change that the SDK does not observe itself.
    ///
    /// See ``Configuration/Lifecycle/isObserved``. Starts, exits, sessions and engagement are recorded before this returns. Pending events are
    /// sent when the app goes to the background.
    public func lifeCycleChanged(to change: LifeCycleChange) {
        lifecycle.follower.lifeCycleChanged([change], moment: nil)
    }
}

extension LifeCycleChange {
    /// Whether the person has the app before them again.
    fileprivate var isReturn: Bool {
        switch self {
        case .willEnterForeground, .didBecomeActive: true
        case .didFinishLaunching, .willResignActive, .didEnterBackground, .willSuspend, .willTerminate: false
        }
    }
}

extension AppState {
    /// What the app does after the change.
    func after(_ change: LifeCycleChange) -> AppState {
        switch change {
        case .didFinishLaunching: self  // In the foreground or unseen: the start of the process told which.
        case .willResignActive: isForeground ? .inactive : self  // Some say it once more on their way to sleep.
        case .willEnterForeground: .inactive
        case .didBecomeActive: .active
        case .didEnterBackground: .background
        case .willSuspend: .suspended
        case .willTerminate: .notRunning
        }
    }

    /// Whether the person has the app before them.
    var isForeground: Bool {
        switch self {
        case .inactive, .active: true
        case .notRunning, .background, .suspended: false
        }
    }
}

extension LifeCycleEvent {
    /// What it means to an app: a terminal's Ctrl-Z is a person who goes away, its `fg` one who comes back.
    var changes: [LifeCycleChange] {
        switch self {
        case .entersBackground: [.willResignActive, .didEnterBackground, .willSuspend]
        case .entersForeground: [.willEnterForeground, .didBecomeActive]
        case .terminates, .exits: [.willTerminate]
        }
    }
}
