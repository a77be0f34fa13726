// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayEvents

/// A device as its snapshots tell of it: an installation that sent device properties or an app state at least once.
package struct StoredDevice: Sendable, Hashable {
    /// Its place among all devices.
    package var place: TimedPlace
    /// The installation.
    package var installation: InstallationID
    /// The app, as the latest snapshot's context names it.
    package var app: String?
    /// Who was signed in at the latest snapshot.
    package var user: String?
    /// The time of its earliest snapshot.
    package var first: Timestamp
    /// The time of its latest snapshot.
    package var last: Timestamp
    /// What kind of device it is.
    package var model: String?
    /// Its operating system, with the version.
    package var system: String?
    /// How full its battery was last, 0…1.
    package var batteryLevel: Double?
    /// What its battery was about last.
    package var batteryState: String?
    /// Whether the person saw the app at the latest app state.
    package var applicationState: String?
    /// How many app states it told.
    package var states: Int64
    /// How many times a property was another than at the snapshot before.
    package var propertyChanges: Int64

    /// A device of which nothing but its snapshots' number is known.
    package init(
        place: TimedPlace,
        installation: InstallationID,
        first: Timestamp,
        states: Int64,
        propertyChanges: Int64
    ) {
        self.place = place
        self.installation = installation
        self.first = first
        last = place.time
        self.states = states
        self.propertyChanges = propertyChanges
    }
}
