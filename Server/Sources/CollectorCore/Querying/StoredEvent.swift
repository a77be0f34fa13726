// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayCore

/// One event as stored by the collector.
public struct StoredEvent: Sendable, Hashable {
    /// The later admission of an initially rejected event.
    public struct Replayed: Sendable, Hashable {
        /// The position at which the event was rejected.
        public var from: EventPosition
        /// When the event was admitted.
        public var at: Timestamp
        /// The name of the operator's key.
        public var key: String

        /// Creates a record of a later admission.
        public init(from: EventPosition, at: Timestamp, key: String) {
            self.from = from
            self.at = at
            self.key = key
        }
    }

    /// The position in the intake log.
    public var position: EventPosition
    /// The id assigned when the event was recorded.
    public var id: EventID
    /// The event's name.
    public var name: String
    /// When the event was recorded.
    ///
    /// This is the device's wall time, corrected if the device's clock was wrong.
    public var time: Timestamp
    /// The collector's wall time when the batch arrived.
    public var received: Timestamp
    /// The installed copy of the app.
    ///
    /// Nil for clients that send no batch header.
    public var installation: InstallationID?
    /// The process that recorded the event.
    public var writer: WriterID?
    /// The event's number among the writer's events.
    public var sequence: UInt64?
    /// The user in the event's context.
    public var user: String?
    /// The session of the event.
    public var session: String?
    /// The event as received: one canonical JSON object.
    public var json: [UInt8]
    /// The event's context as one JSON object.
    ///
    /// Empty when the client sent none.
    public var context: [UInt8]
    /// The later admission; nil when the event was never rejected.
    public var replayed: Replayed?

    /// Creates an event with all its indexed data.
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

/// A query for stored events; all members that are set must match.
public struct EventQuery: Sendable, Hashable {
    /// The direction in which results are returned.
    public enum Order: String, Sendable, Hashable {
        /// Latest arrival first, for lists that people read.
        case newestFirst = "desc"
        /// Earliest arrival first, for programs that follow the log.
        case oldestFirst = "asc"
    }

    /// The exact names, of which an event must have one; empty for any name.
    public var names: [String] = []
    /// The installation that recorded the event.
    public var installation: InstallationID?
    /// The user of the event.
    public var user: String?
    /// The session of the event.
    public var session: String?
    /// The Sensors Analytics project to which the client sent the event.
    public var project: String?
    /// The test run of the event (``RunTag``), as text.
    public var run: String?
    /// The earliest event time, inclusive.
    public var from: Timestamp?
    /// The end of the range of event times, exclusive.
    public var to: Timestamp?
    /// The position after which the results continue, in the direction of ``order``.
    public var after: EventPosition?
    /// The direction of the results.
    public var order: Order
    /// The maximum number of events in one response.
    ///
    /// A store returns fewer events only at the end of the results, or when ``ResponseBudget`` is exhausted.
    public var limit: Int

    /// Creates a query for all events, latest first.
    public init(order: Order = .newestFirst, limit: Int = 100) {
        self.order = order
        self.limit = limit
    }
}

extension StoredEvent: BudgetedRow {
    public var responseBytes: Int { 256 + json.count + context.count }

    /// Writes the event with all its indexed data.
    ///
    /// The event and its context are written as they were received.
    public func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writeMembers(to: &writer)
        writer.endObject()
    }

    /// Writes the event as members of an open object.
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
