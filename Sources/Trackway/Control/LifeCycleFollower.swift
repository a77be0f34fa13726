// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayBehavior
internal import TrackwayPlatform

/// Turns what the system does with the app into inputs of the control machine.
package final class LifeCycleFollower: Sendable {
    private let control: ControlDriver

    /// Makes a follower.
    package init(_ control: ControlDriver) {
        self.control = control
    }

    /// The system did this with the app, and gives this moment for it.
    func lifeCycleChanged(_ changes: [LifeCycleChange], moment: LifeCycleMoment?) {
        for change in changes {
            switch change {
            case .didFinishLaunching, .willResignActive, .didEnterBackground:
                continue
            case .willEnterForeground, .didBecomeActive:
                control.change { $0.resumed() }
            case .willSuspend:
                control.change { $0.suspended(within: Self.share(of: moment?.limit ?? .zero)) }
                control.whenAtRest { moment?.finish() }
            case .willTerminate:
                control.change { $0.suspended(within: Self.share(of: moment?.limit ?? .zero)) }
                control.whenAtRest { [weak control] in
                    moment?.finish()
                    // The host may have handled the signal in its own way and goes on.
                    control?.change { $0.resumed() }
                }
            }
        }
    }

    /// What a last flush may use of the moment: letting go of the folder needs some of it too.
    private static func share(of limit: Duration) -> Duration {
        limit * 0.8
    }
}
