// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayEvents

/// Which stored events a reader wants. Every field that is set narrows the answer.
package struct EventQuery: Sendable, Hashable {
    /// Which end of the log an answer begins at.
    package enum Order: String, Sendable, Hashable {
        /// Latest arrival first: what a person wants to see.
        case newestFirst = "desc"
        /// Earliest arrival first: what a program that follows wants.
        case oldestFirst = "asc"
    }

    /// The event's name, exactly.
    package var name: String?
    /// The installation that recorded it.
    package var installation: InstallationID?
    /// The user it belongs to.
    package var user: String?
    /// The session it belongs to.
    package var session: String?
    /// The project of a client of Sensors Analytics it came for.
    package var project: String?
    /// The earliest event time, inclusive.
    package var from: Timestamp?
    /// The latest event time, exclusive.
    package var to: Timestamp?
    /// The last position already seen: the answer continues beyond it in the direction of ``order``.
    package var after: EventPosition?
    /// The direction of the answer.
    package var order: Order
    /// The most events in one answer; a store may return fewer only at the end.
    package var limit: Int

    /// A query for everything, latest first.
    package init(order: Order = .newestFirst, limit: Int = 100) {
        self.order = order
        self.limit = limit
    }
}
