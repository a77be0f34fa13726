// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayEvents

/// One event as the collector keeps it.
public struct StoredEvent: Sendable, Hashable {
    /// How an event that was refused at first was admitted again.
    public struct Replayed: Sendable, Hashable {
        /// The place where it was refused.
        public var from: EventPosition
        /// When it was admitted.
        public var at: Timestamp
        /// The name of the operator's key.
        public var key: String

        /// How an event was admitted again.
        public init(from: EventPosition, at: Timestamp, key: String) {
            self.from = from
            self.at = at
            self.key = key
        }
    }

    /// Its place in the intake log.
    public var position: EventPosition
    /// The id given when it was recorded.
    public var id: EventID
    /// Its name.
    public var name: String
    /// When it was recorded: the device's wall time, corrected where the device's clock was off.
    public var time: Timestamp
    /// The collector's wall time when its batch arrived.
    public var received: Timestamp
    /// The installed copy of the app; absent for clients that send no batch header.
    public var installation: InstallationID?
    /// The process that recorded it.
    public var writer: WriterID?
    /// Its number among the writer's events.
    public var sequence: UInt64?
    /// The user of its context.
    public var user: String?
    /// The session it belongs to.
    public var session: String?
    /// The event as received: one canonical JSON object.
    public var json: [UInt8]
    /// The context it holds in, one JSON object; empty when the client sent none.
    public var context: [UInt8]
    /// How it was admitted again; nil when it never was refused.
    public var replayed: Replayed?

    /// An event with everything the index knows about it.
    public init(
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
public struct EventQuery: Sendable, Hashable {
    /// Which end of the log an answer begins at.
    public enum Order: String, Sendable, Hashable {
        /// Latest arrival first: what a person wants to see.
        case newestFirst = "desc"
        /// Earliest arrival first: what a program that follows wants.
        case oldestFirst = "asc"
    }

    /// The event's name, exactly.
    public var name: String?
    /// The installation that recorded it.
    public var installation: InstallationID?
    /// The user it belongs to.
    public var user: String?
    /// The session it belongs to.
    public var session: String?
    /// The project of a client of Sensors Analytics it came for.
    public var project: String?
    /// The test run it is tagged with (``RunTag``), as text.
    public var run: String?
    /// The earliest event time, inclusive.
    public var from: Timestamp?
    /// The latest event time, exclusive.
    public var to: Timestamp?
    /// The last position already seen: the answer continues beyond it in the direction of ``order``.
    public var after: EventPosition?
    /// The direction of the answer.
    public var order: Order
    /// The most events in one answer; a store may return fewer only at the end.
    public var limit: Int

    /// A query for everything, latest first.
    public init(order: Order = .newestFirst, limit: Int = 100) {
        self.order = order
        self.limit = limit
    }
}

extension StoredEvent: BudgetedRow {
    public var answerBytes: Int { 256 + json.count + context.count }

    /// Writes the event with everything the index knows about it; the event and its context as they were received.
    public func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writeMembers(to: &writer)
        writer.endObject()
    }

    /// The same as members of an object that is open.
    func writeMembers(to writer: inout JSONWriter) {
        writer.member("position", position.description)
        writer.member("id", id)
        writer.member("time", time)
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
