// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayDelivery

extension Analytics {
    /// Whether nothing is collected or sent for a while.
    package var isPaused: Bool { control.machine.isPaused }

    /// Takes no snapshots and begins no request until ``resume()``, or until the end of the process. A request under way
    /// gets its answer; what the app records is kept, and waits. Again while paused changes nothing.
    package func pause() {
        // Held before it is forbidden, so that no request is refused that was about to begin: it waits.
        delivery.hold()
        control.change { $0.pausedChanged(to: true) }
        snapshots?.rests(true)
    }

    /// Goes on. A destination whose settings were found wrong is asked again.
    package func resume() {
        let wasPaused = isPaused
        control.change { $0.pausedChanged(to: false) }
        delivery.release()
        snapshots?.rests(false)
        if wasPaused { delivery.wakeParked() }
    }

    /// Asks destinations again whose settings were found wrong: they were said once more.
    package func wakeParked() {
        delivery.wakeParked()
    }
}
