// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayEvents

/// A session as the index knows it: put together from the contexts of its events and from what was captured.
package struct StoredSession: Sendable, Hashable {
    /// Its place among all sessions.
    package var place: TimedPlace
    /// The installation; nil for clients that tell none.
    package var installation: InstallationID?
    /// Its id.
    package var id: String
    /// The how manieth of its installation it is; nil when the client does not count.
    package var number: Int64?
    /// The time of its first event, or when it began if that is known.
    package var start: Timestamp
    /// The time of its latest event.
    package var last: Timestamp
    /// How many events it has.
    package var events: UInt64
    /// How long screens were used, in milliseconds.
    package var engagement: Int64
    /// How long the app was in the foreground, in milliseconds, as far as its ends told.
    package var foreground: Int64
    /// Who took part, signed in; the latest last.
    package var users: [String] = []
    /// The screens in the order they were shown.
    package var screens: [StoredScreen] = []
    /// Starts, ends and crashes of the app, in order.
    package var launches: [StoredLaunch] = []

    /// A session without its screens and launches.
    package init(
        place: TimedPlace,
        installation: InstallationID?,
        id: String,
        number: Int64?,
        last: Timestamp,
        events: UInt64,
        engagement: Int64,
        foreground: Int64
    ) {
        self.place = place
        self.installation = installation
        self.id = id
        self.number = number
        start = place.time
        self.last = last
        self.events = events
        self.engagement = engagement
        self.foreground = foreground
    }
}
