// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayEvents

/// One event as the collector keeps it.
package struct StoredEvent: Sendable, Hashable {
    /// How an event that was refused at first was admitted again.
    package struct Replayed: Sendable, Hashable {
        /// The place where it was refused.
        package var from: EventPosition
        /// When it was admitted.
        package var at: Timestamp
        /// The name of the operator's key.
        package var key: String

        /// How an event was admitted again.
        package init(from: EventPosition, at: Timestamp, key: String) {
            self.from = from
            self.at = at
            self.key = key
        }
    }

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
    /// How it was admitted again; nil when it never was refused.
    package var replayed: Replayed?

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
        context: [UInt8] = [],
        replayed: Replayed? = nil
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
        self.replayed = replayed
    }
}

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
    /// The test run it is tagged with (``RunTag``), as text.
    package var run: String?
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

extension StoredEvent: BudgetedRow {
    package var answerBytes: Int { 256 + json.count + context.count }

    /// Writes the event with everything the index knows about it; the event and its context as they were received.
    package func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writeMembers(to: &writer)
        writer.endObject()
    }

    /// The same as members of an object that is open.
    func writeMembers(to writer: inout JSONWriter) {
        writer.member("position", position.description)
        writer.member("id", id)
        writer.member("received", received)
        if let installation {
            writer.member("installation", installation)
        }
        if let id = self.writer {
            writer.member("writer", id)
        }
        if let sequence {
            writer.member("sequence", sequence)
        }
        if let user {
            writer.member("user", user)
        }
        if let session {
            writer.member("session", session)
        }
        if let replayed {
            writer.object("replayed") { writer in
                writer.member("from", replayed.from.description)
                writer.member("at", replayed.at)
                writer.member("key", replayed.key)
            }
        }
        writer.key("event")
        writer.raw(json)
        if !context.isEmpty {
            writer.key("context")
            writer.raw(context)
        }
    }
}
