// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayEvents

/// Decides which stretches in the foreground belong to one session.
///
/// A session goes on as long as the user comes back in less than the timeout. It has no greatest length, and while the
/// user sees the app it never ends. Time away is measured by the monotonic clock within a boot, by the wall clock across
/// boots; when that went back meanwhile, nobody can tell, and a new session begins.
package struct SessionMachine: Sendable, Hashable, Codable {
    /// An order to the coordinator.
    package enum Action: Sendable, Hashable {
        /// A session began.
        case begin(RecordedContext.Session)
    }

    private enum State: Sendable, Hashable, Codable {
        /// There was no session yet.
        case none
        /// There is one, unless it shows when the user comes back that it is over.
        case current(RecordedContext.Session, lastSeen: DeviceTime, isAnnounced: Bool)
        /// The latest one was found over by a process that the user did not open. It is kept for its number.
        case over(RecordedContext.Session)
    }

    private var state = State.none

    /// An installation that never ran.
    package init() {}

    /// An installation of ours that never ran, in an app whose latest session an older SDK counted. A session that was told of goes
    /// on; of one whose end is not known the number counts.
    init(continuing former: FormerBehavior) {
        guard let session = former.session else { return }
        guard !session.id.isEmpty, let seen = former.lastSeen else {
            state = .over(session)
            return
        }
        // In a boot of which nobody knows: the wall clock says how long ago it was.
        let lastSeen = DeviceTime(wall: seen, monotonic: MonotonicTime(milliseconds: 0), boot: "")
        state = .current(session, lastSeen: lastSeen, isAnnounced: true)
    }

    /// The session that events belong to.
    package var current: RecordedContext.Session? {
        switch state {
        case .current(let session, _, _): session
        case .none, .over: nil
        }
    }

    // MARK: Inputs

    /// A process began without the user. Only coming back makes a session; what happens until then belongs to the latest
    /// one if that is not over.
    package mutating func startedUnseen(at now: DeviceTime, timeout: Duration) {
        guard case .current(let session, let lastSeen, _) = state, Self.isOver(lastSeen, at: now, timeout: timeout)
        else { return }
        state = .over(session)
    }

    /// The user opened the app.
    ///
    /// - Parameter uniqueID: Of the user; its end begins the id of a new session.
    package mutating func userArrived(at now: DeviceTime, uniqueID: String, timeout: Duration) -> [Action] {
        switch state {
        case .current(let session, let lastSeen, let isAnnounced)
        where !Self.isOver(lastSeen, at: now, timeout: timeout):
            state = .current(session, lastSeen: now, isAnnounced: isAnnounced)
            return []
        case .none:
            return begin(after: nil, at: now, uniqueID: uniqueID)
        case .current(let session, _, _), .over(let session):
            return begin(after: session, at: now, uniqueID: uniqueID)
        }
    }

    /// The user saw the app, for the last time so far.
    package mutating func userSeen(at now: DeviceTime) {
        guard case .current(let session, let lastSeen, let isAnnounced) = state, now.elapsed(since: lastSeen) != nil
        else { return }
        state = .current(session, lastSeen: now, isAnnounced: isAnnounced)
    }

    /// The start of the session can be told now.
    ///
    /// - Returns: The session, the first time; nil when its start was told before.
    package mutating func announce() -> RecordedContext.Session? {
        guard case .current(let session, let lastSeen, isAnnounced: false) = state else { return nil }
        state = .current(session, lastSeen: lastSeen, isAnnounced: true)
        return session
    }

    // MARK: Decisions

    private static func isOver(_ lastSeen: DeviceTime, at now: DeviceTime, timeout: Duration) -> Bool {
        guard let away = now.elapsed(since: lastSeen) else { return true }
        return away >= timeout
    }

    private mutating func begin(
        after latest: RecordedContext.Session?,
        at now: DeviceTime,
        uniqueID: String
    ) -> [Action] {
        var id = SessionID.make(uniqueID: uniqueID, start: now.wall)
        if id == latest?.id {
            // The clock went back, or no time passed at all. Two sessions never share an id.
            id = SessionID.make(uniqueID: uniqueID, start: now.wall.advanced(by: .milliseconds(1)))
        }
        let number = latest.map { $0.number == .max ? .max : $0.number + 1 } ?? 1
        let session = RecordedContext.Session(
            id: id,
            number: number,
            start: now.wall,
            monotonicStart: now.boot.isEmpty ? nil : now.monotonic,
            boot: now.boot.isEmpty ? nil : now.boot
        )
        state = .current(session, lastSeen: now, isAnnounced: false)
        return [.begin(session)]
    }
}

/// Makes the ids of sessions: `dc7a7a18-20230905-131926703`, the end of the user's unique id and the start in UTC.
package enum SessionID {
    /// How many characters of the unique id are in it.
    static let prefixLength = 8

    /// The id of a session of this user that begins at this time.
    ///
    /// - Parameter uniqueID: Its last eight characters are used; fewer are filled up with `_` in front.
    package static func make(uniqueID: String, start: Timestamp) -> String {
        let suffix = uniqueID.suffix(prefixLength)
        let filling = String(repeating: "_", count: prefixLength - suffix.count)
        // 2023-09-05T13:19:26.703Z: the digits, parted where the date ends.
        let digits = start.iso8601.utf8.filter { $0 &- UInt8(ascii: "0") < 10 }
        let date = String(decoding: digits.prefix(8), as: UTF8.self)
        let time = String(decoding: digits.dropFirst(8), as: UTF8.self)
        return "\(filling)\(suffix)-\(date)-\(time)"
    }
}
