// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayBehavior

extension Analytics {
    /// Tells what the system does with the app, for systems that are not followed; see
    /// ``Configuration/followsLifeCycle``.
    ///
    /// Starts, exits, sessions and engagement are recorded before this returns. What waits is sent when the app goes to
    /// the background.
    public func lifeCycleChanged(to change: LifeCycleChange) {
        lifeCycle.lifeCycleChanged([change], moment: nil)
    }
}
