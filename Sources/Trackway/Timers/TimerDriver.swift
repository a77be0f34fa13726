// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayBehavior
internal import TrackwayEvents

/// Drives ``TimerMachine``. Timers are this process's own: they are not written down and end with it.
package final class TimerDriver: Sendable {
    private let machine: Locked<TimerMachine>
    private let clock: any EventClock
    private let boot: String

    init(launchState: AppState, clock: any EventClock, boot: String) {
        self.clock = clock
        self.boot = boot
        var machine = TimerMachine()
        if launchState == .background { machine.wentToBackground(at: DeviceTime(clock.now(), boot: boot)) }
        self.machine = Locked(machine)
    }

    /// Tells the machine something, at the time it is now.
    func report<Answer: Sendable>(_ body: (inout TimerMachine, DeviceTime) -> Answer) -> Answer {
        let now = DeviceTime(clock.now(), boot: boot)
        return machine.withLock { body(&$0, now) }
    }

    /// The system, or the app in its place, changed the app's life in this order.
    func lifeCycleChanged(_ changes: [LifeCycleChange]) {
        report { machine, now in
            for change in changes {
                switch change {
                case .didEnterBackground:
                    machine.wentToBackground(at: now)
                case .willEnterForeground, .didBecomeActive:
                    machine.cameToForeground(at: now)
                case .didFinishLaunching, .willResignActive, .willSuspend, .willTerminate:
                    continue
                }
            }
        }
    }
}
