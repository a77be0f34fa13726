// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayEvents

/// A session as the index knows it: put together from the contexts of its events and from what was captured.
public struct StoredSession: Sendable, Hashable {
    /// Its place among all sessions.
    public var place: TimedPlace
    /// The installation; nil for clients that tell none.
    public var installation: InstallationID?
    /// Its id.
    public var id: String
    /// Its number among the sessions of its installation, from 1; nil when the client does not count.
    public var number: Int64?
    /// The time of its first event, or when it began if that is known.
    public var start: Timestamp
    /// The time of its latest event.
    public var last: Timestamp
    /// How many events it has.
    public var events: UInt64
    /// How long screens were used, in milliseconds.
    public var engagement: Int64
    /// How long the app was in the foreground, in milliseconds, as far as its ends reported it.
    public var foreground: Int64
    /// Who took part, signed in; the latest last.
    public var users: [String] = []
    /// The screens in the order they were shown.
    public var screens: [StoredScreen] = []
    /// Starts, ends and crashes of the app, in order.
    public var launches: [StoredLaunch] = []

    /// The most screens, and the most launches, of one session in an answer.
    public static let maxParts = 500

    /// A session without its screens and launches.
    public init(
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

/// A screen that was shown in a session.
public struct StoredScreen: Sendable, Hashable {
    /// When.
    public var time: Timestamp
    /// Its name.
    public var name: String
    /// Where in the app it lies, if known.
    public var id: String?
    /// What tells two screens of one name apart.
    public var uniqueID: String?
    /// How long it was used, in milliseconds; 0 when nothing was reported.
    public var engagement: Int64

    /// A screen of these parts.
    public init(time: Timestamp, name: String, id: String?, uniqueID: String?, engagement: Int64) {
        self.time = time
        self.name = name
        self.id = id
        self.uniqueID = uniqueID
        self.engagement = engagement
    }
}

/// A start, an end or a crash of the app.
public struct StoredLaunch: Sendable, Hashable {
    /// When.
    public var time: Timestamp
    /// `cold`, `hot` or `passive` for a start (`start` when the client does not say), `end`, or `crash`.
    public var kind: String
    /// Whether it is the first start ever.
    public var isFirst: Bool
    /// Whether a kill prevented its recording, and the next start recorded it.
    public var isRecovered: Bool
    /// For an end: how long the app was in the foreground, in milliseconds.
    public var duration: Int64?

    /// A launch of these parts.
    public init(time: Timestamp, kind: String, isFirst: Bool, isRecovered: Bool, duration: Int64?) {
        self.time = time
        self.kind = kind
        self.isFirst = isFirst
        self.isRecovered = isRecovered
        self.duration = duration
    }
}

/// Which sessions a reader wants, latest first. Every field that is set narrows the answer.
public struct SessionQuery: Sendable, Hashable {
    /// The installation they took place on.
    public var installation: InstallationID?
    /// A user who took part, signed in.
    public var user: String?
    /// The session's own id.
    public var id: String?
    /// The place behind which the answer continues: the last one of the answer before.
    public var after: TimedPlace?
    /// The most sessions in one answer.
    public var limit: Int

    /// A query for all sessions.
    public init(
        installation: InstallationID? = nil,
        user: String? = nil,
        id: String? = nil,
        after: TimedPlace? = nil,
        limit: Int = 50
    ) {
        self.installation = installation
        self.user = user
        self.id = id
        self.after = after
        self.limit = limit
    }
}

extension StoredSession: BudgetedRow {
    public var answerBytes: Int {
        let texts = screens.reduce(0) { sum, screen in
            sum + 96 + screen.name.utf8.count + (screen.id?.utf8.count ?? 0) + (screen.uniqueID?.utf8.count ?? 0)
        }
        return 256 + texts + 128 * launches.count + users.reduce(0) { $0 + $1.utf8.count + 4 }
    }

    /// Writes the session with its screens and launches; what is not known is left out.
    public func write(to writer: inout JSONWriter) {
        writer.beginObject()
        if let installation {
            writer.member("installation", installation)
        }
        writer.member("id", id)
        if let number {
            writer.member("number", number)
        }
        for (key, value) in [
            ("start", start.milliseconds), ("last", last.milliseconds), ("engagement", engagement),
            ("foreground", foreground),
        ] {
            writer.member(key, value)
        }
        writer.member("events", events)
        writer.list("users", users) { $1.string($0) }
        writer.list("launches", launches) { $0.write(to: &$1) }
        writer.list("screens", screens) { $0.write(to: &$1) }
        writer.endObject()
    }
}

extension StoredLaunch {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("time", time)
        writer.member("kind", kind)
        for (key, value) in [("first", isFirst), ("recovered", isRecovered)] where value {
            writer.member(key, true)
        }
        if let duration {
            writer.member("foreground", duration)
        }
        writer.endObject()
    }
}

extension StoredScreen {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("time", time)
        writer.member("name", name)
        for (key, value) in [("id", id), ("unique_id", uniqueID)] {
            guard let value else { continue }
            writer.member(key, value)
        }
        writer.member("engagement", engagement)
        writer.endObject()
    }
}
