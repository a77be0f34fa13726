// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayEvents

/// A person as the index knows them: somebody who signed in, or the visitor of an installation who did not.
package struct StoredUser: Sendable, Hashable {
    /// One thing the app said about the person.
    package struct Attribute: Sendable, Hashable {
        /// Its name.
        package var name: String
        /// Its value, JSON.
        package var value: [UInt8]
        /// When it was set.
        package var set: Timestamp
        /// Elements that were to be appended to a list that is as long as one may be.
        package var omitted: UInt64

        /// An attribute of these parts.
        package init(name: String, value: [UInt8], set: Timestamp, omitted: UInt64 = 0) {
            self.name = name
            self.value = value
            self.set = set
            self.omitted = omitted
        }
    }

    /// The id the app gave; nil for a visitor who did not sign in.
    package var id: String?
    /// What tells people apart on one device.
    package var uniqueID: String?
    /// The device's anonymous visitor.
    package var anonymousID: String?
    /// When the person first opened the app, as the app says.
    package var firstTouch: Timestamp?
    /// The time of the first event.
    package var first: Timestamp
    /// The time of the latest event.
    package var last: Timestamp
    /// How many events.
    package var events: UInt64
    /// In how many sessions.
    package var sessions: UInt64
    /// The installations, the one used last first.
    package var installations: [InstallationID] = []
    /// What the app said, in the order of names.
    package var attributes: [Attribute] = []
    /// Whether there is more than that.
    package var hasMoreAttributes = false
    /// The person's number in the index, which tells apart who was seen at once.
    package var number: Int64 = 0

    /// The person's place among those seen last.
    package var place: TimedPlace { TimedPlace(time: last, number: number) }

    /// A person without installations and attributes.
    package init(
        id: String?,
        uniqueID: String?,
        anonymousID: String?,
        firstTouch: Timestamp?,
        first: Timestamp,
        last: Timestamp,
        events: UInt64,
        sessions: UInt64
    ) {
        self.id = id
        self.uniqueID = uniqueID
        self.anonymousID = anonymousID
        self.firstTouch = firstTouch
        self.first = first
        self.last = last
        self.events = events
        self.sessions = sessions
    }
}
