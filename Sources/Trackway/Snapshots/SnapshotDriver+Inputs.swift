// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayBehavior
internal import TrackwayEvents

extension SnapshotDriver {
    /// The system, or the app in its place, changed the app's life in this order.
    func lifeCycleChanged(_ changes: [LifeCycleChange]) {
        tell { routine, now in
            changes.flatMap { routine.appChanged(to: routine.app.after($0), at: now) }
        }
    }

    /// The app shows a screen.
    func screenShown(_ title: String?) {
        tell { routine, now in routine.screenShown(title, at: now) }
    }

    /// The app wants a snapshot of its state, and of what the device is unless it says that it does not.
    func collect(_ title: String?, tellsProperties: Bool = true, at time: Timestamp? = nil) {
        tell { routine, now in routine.requested(title, tellsProperties: tellsProperties, saying: time, at: now) }
    }

    /// The app wants a snapshot of what the device is.
    func collectProperties() {
        tell { routine, now in routine.requestedProperties(at: now) }
    }

    /// The app wants a snapshot if the last one is too long ago.
    func collectIfDue() {
        tell { routine, now in routine.requestedIfDue(at: now) }
    }

    /// The app allows or forbids sensors.
    func allows(motion: Bool, location: Bool) {
        tell(begins: false) { routine, now in routine.allows(motion: motion, location: location, at: now) }
    }

    /// Whether a snapshot taken now would say where the device is.
    var canCollectLocation: Bool {
        guard allowsLocation, let source = sources.location else { return false }
        return source.isAuthorized
    }
}
