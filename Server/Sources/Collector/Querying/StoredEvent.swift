// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayEvents

/// One event as the collector keeps it.
package struct StoredEvent: Sendable, Hashable {
    /// Its place in the intake log.
    package var position: EventPosition
    /// The id given when it was recorded.
    package var id: EventID
    /// Its name.
    package var name: String
    /// The device's wall time when it was recorded.
    package var time: Timestamp
    /// The collector's wall time when its batch arrived.
    package var received: Timestamp
    /// The installed copy of the app; absent for clients that send no batch header.
    package var installation: InstallationID?
    /// The process that recorded it.
    package var writer: WriterID?
    /// Its number among the writer's events.
    package var sequence: UInt64?
    /// The user of its context.
    package var user: String?
    /// The session it belongs to.
    package var session: String?
    /// The event as received: one canonical JSON object.
    package var json: [UInt8]
    /// The context it holds in, one JSON object; empty when the client sent none.
    package var context: [UInt8]

    /// An event with everything the index knows about it.
    package init(
        position: EventPosition,
        id: EventID,
        name: String,
        time: Timestamp,
        received: Timestamp,
        installation: InstallationID? = nil,
        writer: WriterID? = nil,
        sequence: UInt64? = nil,
        user: String? = nil,
        session: String? = nil,
        json: [UInt8],
        context: [UInt8] = []
    ) {
        self.position = position
        self.id = id
        self.name = name
        self.time = time
        self.received = received
        self.installation = installation
        self.writer = writer
        self.sequence = sequence
        self.user = user
        self.session = session
        self.json = json
        self.context = context
    }
}
