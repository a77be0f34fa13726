// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

extension Analytics {
    /// Whether everything rests.
    package var isPaused: Bool { control.machine.isPaused }

    /// Records and sends nothing until ``resume()``, or until the end of the process; what waits stays. A request under way
    /// gets its answer. Again while paused changes nothing.
    package func pause() {
        control.change { $0.pausedChanged(to: true) }
        snapshots?.permissionChanged()
    }

    /// Records and sends again.
    package func resume() {
        control.change { $0.pausedChanged(to: false) }
        snapshots?.permissionChanged()
    }
}
