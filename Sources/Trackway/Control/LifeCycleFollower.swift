// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayPlatform

/// Turns what the system does with the process into inputs of the control machine.
package final class LifeCycleFollower: Sendable {
    private let observation: LifeCycleObservation

    /// Follows the process's signals until this value is gone.
    package init(_ control: ControlDriver) throws(LifeCycleError) {
        observation = try LifeCycleSignals.process.observe { [weak control] event, moment in
            guard let control else { return }
            switch event {
            case .entersBackground:
                control.change { $0.suspended(within: Self.share(of: moment.limit)) }
                control.whenAtRest { moment.finish() }
            case .entersForeground:
                control.change { $0.resumed() }
            case .terminates, .exits:
                control.change { $0.suspended(within: Self.share(of: moment.limit)) }
                control.whenAtRest { [weak control] in
                    moment.finish()
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
