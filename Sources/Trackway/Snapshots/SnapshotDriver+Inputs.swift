// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayBehavior
internal import TrackwayEvents

extension SnapshotDriver {
    /// The system, or the app in its place, changed the app's life in this order.
    func lifeCycleChanged(_ changes: [LifeCycleChange]) {
        report { machine, now in
            changes.flatMap { machine.appChanged(to: machine.app.after($0), at: now) }
        }
    }

    /// The app shows a screen.
    func screenShown(_ title: String?) {
        report { machine, now in machine.screenShown(title, at: now) }
    }

    /// The app wants a snapshot of its state, and of what the device is unless it says that it does not.
    func collect(_ title: String?, reportsProperties: Bool = true, at time: Timestamp? = nil) {
        report { machine, now in machine.requested(title, reportsProperties: reportsProperties, saying: time, at: now) }
    }

    /// The app wants a snapshot of what the device is.
    func collectProperties() {
        report { machine, now in machine.requestedProperties(at: now) }
    }

    /// The app wants a snapshot if the last one is too long ago.
    func collectIfDue() {
        report { machine, now in machine.requestedIfDue(at: now) }
    }

    /// The app allows or forbids sensors.
    func allows(motion: Bool, location: Bool) {
        report(begins: false) { machine, now in machine.allows(motion: motion, location: location, at: now) }
    }

    /// Whether a snapshot taken now would say where the device is.
    var canCollectLocation: Bool {
        guard allowsLocation, let source = sources.location else { return false }
        return source.isAuthorized
    }
}
