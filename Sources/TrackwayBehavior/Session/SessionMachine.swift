// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayEvents

/// When a session is over.
package struct SessionLimits: Sendable, Hashable {
    /// The time in the background from which on the user's return begins a new session.
    package var timeout: Duration
    /// The inactivity in the foreground from which on the next activity begins a new session; nil for none.
    package var idleTimeout: Duration?
    /// The age of a session from which on the next activity begins a new one; nil for any age.
    package var maximumLength: Duration?

    /// Limits of these parts.
    package init(timeout: Duration, idleTimeout: Duration? = nil, maximumLength: Duration? = nil) {
        self.timeout = timeout
        self.idleTimeout = idleTimeout
        self.maximumLength = maximumLength
    }

    /// Whether a session can end while the user sees the app.
    package var endInForeground: Bool { idleTimeout != nil || maximumLength != nil }
}

/// Decides which stretches in the foreground belong to one session.
///
/// A session goes on as long as the user comes back in less than the timeout. Unless the limits name an idle timeout or a maximum
/// length, it has no greatest length, and while the user sees the app it never ends. With them it ends in the foreground, too: the
/// next activity begins a new one. Time is measured by the monotonic clock within a boot, by the wall clock across boots; when
/// that went back while the user was away, nobody can tell, and a new session begins.
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
    /// The latest activity of the user in the current session; nil without an idle timeout.
    private var lastUserActivity: DeviceTime?
    /// When the current session began; nil when no maximum length held then.
    private var began: DeviceTime?

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
    package mutating func startedUnseen(at now: DeviceTime, limits: SessionLimits) {
        guard case .current(let session, let lastSeen, _) = state, isOver(session, lastSeen, at: now, limits)
        else { return }
        state = .over(session)
    }

    /// The user opened the app.
    ///
    /// - Parameter uniqueID: Of the user; its end begins the id of a new session.
    package mutating func userArrived(at now: DeviceTime, uniqueID: String, limits: SessionLimits) -> [Action] {
        switch state {
        case .current(let session, let lastSeen, let isAnnounced) where !isOver(session, lastSeen, at: now, limits):
            state = .current(session, lastSeen: now, isAnnounced: isAnnounced)
            lastUserActivity = limits.idleTimeout == nil ? nil : now
            return []
        case .none:
            return begin(after: nil, at: now, uniqueID: uniqueID, limits)
        case .current(let session, _, _), .over(let session):
            return begin(after: session, at: now, uniqueID: uniqueID, limits)
        }
    }

    /// The user did something at this time. Begins no session; times before the latest activity change nothing.
    package mutating func noteActivity(at time: DeviceTime, limits: SessionLimits) {
        guard limits.idleTimeout != nil, case .current = state else { return }
        if let lastUserActivity, time.elapsed(since: lastUserActivity) == nil { return }
        lastUserActivity = time
    }

    /// The user does something while seeing the app.
    ///
    /// - Parameter uniqueID: Of the user; its end begins the id of a new session.
    package mutating func userActed(at now: DeviceTime, uniqueID: String, limits: SessionLimits) -> [Action] {
        guard limits.endInForeground, case .current(let session, _, _) = state else { return [] }
        if isOverInForeground(at: now, limits) { return begin(after: session, at: now, uniqueID: uniqueID, limits) }
        noteActivity(at: now, limits: limits)
        userSeen(at: now)
        return []
    }

    /// Other limits hold from now on. A new idle timeout counts from here.
    package mutating func limitsChanged(to limits: SessionLimits, at now: DeviceTime) {
        lastUserActivity = limits.idleTimeout == nil ? nil : lastUserActivity ?? now
        if limits.maximumLength == nil { began = nil }
    }

    /// The user saw the app, for the last time so far.
    package mutating func userSeen(at now: DeviceTime) {
        guard case .current(let session, let lastSeen, let isAnnounced) = state, now.elapsed(since: lastSeen) != nil
        else { return }
        state = .current(session, lastSeen: now, isAnnounced: isAnnounced)
    }

    /// The user left at this time. It may be before the last time the user was seen, because the system may announce it late.
    package mutating func userLeft(at time: DeviceTime) {
        guard case .current(let session, let lastSeen, let isAnnounced) = state else { return }
        guard time.boot == lastSeen.boot || time.elapsed(since: lastSeen) != nil else { return }
        state = .current(session, lastSeen: time, isAnnounced: isAnnounced)
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

    /// Whether activity now would begin a new session, while the user sees the app.
    package func isOverInForeground(at now: DeviceTime, _ limits: SessionLimits) -> Bool {
        guard case .current(let session, _, _) = state else { return false }
        return isIdle(at: now, limits) || isTooLong(session, at: now, limits)
    }

    /// Until when the user was active, of a stretch in the foreground that ends now: until now, unless the user has been idle for
    /// the idle timeout.
    package func activeUntil(_ now: DeviceTime, _ limits: SessionLimits) -> DeviceTime {
        if let lastUserActivity, isIdle(at: now, limits) { lastUserActivity } else { now }
    }

    private func isIdle(at now: DeviceTime, _ limits: SessionLimits) -> Bool {
        guard let timeout = limits.idleTimeout, let lastUserActivity, let idle = now.elapsed(since: lastUserActivity)
        else { return false }
        return idle >= timeout
    }

    private func isTooLong(_ session: RecordedContext.Session, at now: DeviceTime, _ limits: SessionLimits) -> Bool {
        guard let maximum = limits.maximumLength else { return false }
        // Of a session that began without a limit only the wall time is known, as of one in another boot.
        let began = began ?? DeviceTime(wall: session.start, monotonic: MonotonicTime(milliseconds: 0), boot: "")
        return now.elapsed(since: began).map { $0 >= maximum } ?? false
    }

    /// Whether the session is over for a user who was not there since `lastSeen`.
    private func isOver(
        _ session: RecordedContext.Session,
        _ lastSeen: DeviceTime,
        at now: DeviceTime,
        _ limits: SessionLimits
    ) -> Bool {
        guard let away = now.elapsed(since: lastSeen) else { return true }
        // In the background the timeout counts; the idle timeout counts for the time before the user left.
        return away >= limits.timeout || isIdle(at: lastSeen, limits) || isTooLong(session, at: now, limits)
    }

    private mutating func begin(
        after latest: RecordedContext.Session?,
        at now: DeviceTime,
        uniqueID: String,
        _ limits: SessionLimits
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
        lastUserActivity = limits.idleTimeout == nil ? nil : now
        began = limits.maximumLength == nil ? nil : now
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
