// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayCore

/// A session as known to the index.
///
/// The session is assembled from the contexts of its events and from automatically captured events.
public struct StoredSession: Sendable, Hashable {
    /// The session's cursor among all sessions.
    public var place: TimeCursor
    /// The installation; nil for clients that report none.
    public var installation: InstallationID?
    /// The session's id.
    public var id: String
    /// The session's number within the installation, starting at 1.
    ///
    /// Nil when the client does not count sessions.
    public var number: Int64?
    /// The start of the session.
    ///
    /// This is the reported start if known, otherwise the time of the first event.
    public var start: Timestamp
    /// The time of the latest event.
    public var last: Timestamp
    /// The number of events.
    public var events: UInt64
    /// The engagement time of the session's screens, in milliseconds.
    public var engagement: Int64
    /// The time in the foreground in milliseconds, as reported by app-end events.
    public var foreground: Int64
    /// The signed-in users of the session, latest last.
    public var users: [String] = []
    /// The screens, in the order in which they were shown.
    public var screens: [StoredScreen] = []
    /// Starts, ends and crashes of the app, in order.
    public var launches: [StoredLaunch] = []

    /// The maximum number of screens, and of launches, per session.
    public static let maxParts = 500

    /// Creates a session without screens or launches.
    public init(
        place: TimeCursor,
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
    /// When the screen was shown.
    public var time: Timestamp
    /// The screen's name.
    public var name: String
    /// The screen's location in the app, if known.
    public var id: String?
    /// An id that distinguishes screens with the same name.
    public var uniqueID: String?
    /// The engagement time in milliseconds; 0 when none was reported.
    public var engagement: Int64

    /// Creates a screen.
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
    /// The time of the launch, end or crash.
    public var time: Timestamp
    /// The kind of start, end or crash.
    ///
    /// The kind is `cold`, `hot` or `passive` for a start (`start` when the client does not report the kind of start),
    /// `end` for an end, and `crash` for a crash.
    public var kind: String
    /// Whether this is the first start of the installation.
    public var isFirst: Bool
    /// Whether the next launch recorded this entry because the process was killed.
    public var isRecovered: Bool
    /// The time in the foreground in milliseconds, for `end` only.
    public var duration: Int64?

    /// Creates a launch.
    public init(time: Timestamp, kind: String, isFirst: Bool, isRecovered: Bool, duration: Int64?) {
        self.time = time
        self.kind = kind
        self.isFirst = isFirst
        self.isRecovered = isRecovered
        self.duration = duration
    }
}

/// A query for sessions, latest first.
///
/// All members that are set must match.
public struct SessionQuery: Sendable, Hashable {
    /// The installation of the session.
    public var installation: InstallationID?
    /// A user who was signed in during the session.
    public var user: String?
    /// The session's id.
    public var id: String?
    /// The cursor after which the results continue.
    public var after: TimeCursor?
    /// The maximum number of sessions in one response.
    public var limit: Int

    /// Creates a query for all sessions.
    public init(
        installation: InstallationID? = nil,
        user: String? = nil,
        id: String? = nil,
        after: TimeCursor? = nil,
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
    public var responseBytes: Int {
        let texts = screens.reduce(0) { sum, screen in
            sum + 96 + screen.name.utf8.count + (screen.id?.utf8.count ?? 0) + (screen.uniqueID?.utf8.count ?? 0)
        }
        return 256 + texts + 128 * launches.count + users.reduce(0) { $0 + $1.utf8.count + 4 }
    }

    /// Writes the session with its screens and launches; unknown values are omitted.
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
