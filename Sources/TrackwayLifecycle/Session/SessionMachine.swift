// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayCore

/// The limits that end a session.
package struct SessionLimits: Sendable, Equatable {
    /// The time in the background after which returning begins a new session.
    package var timeout: Duration
    /// The foreground inactivity that ends a session; nil for no limit.
    ///
    /// The next activity begins a new session.
    package var idleTimeout: Duration?
    /// The age that ends a session; nil for no limit.
    ///
    /// The next activity begins a new session.
    package var maximumLength: Duration?

    /// Creates limits.
    package init(timeout: Duration, idleTimeout: Duration? = nil, maximumLength: Duration? = nil) {
        self.timeout = timeout
        self.idleTimeout = idleTimeout
        self.maximumLength = maximumLength
    }

    /// Whether a session can end while the app is in the foreground.
    package var canEndInForeground: Bool { idleTimeout != nil || maximumLength != nil }
}

/// The state machine that decides which foreground periods form one session.
///
/// A session continues if the user returns in less than the timeout. With neither an idle timeout nor a maximum length,
/// a session has no maximum duration and never ends in the foreground. With either, it can end in the foreground, and
/// the next activity begins a new one. Time is measured by the monotonic clock within a boot and by the wall clock
/// across boots. If the wall clock went back while the user was away, the elapsed time is unknown, and a new session
/// begins.
package struct SessionMachine: Sendable, Equatable, Codable {
    /// An action for the coordinator.
    package enum Action: Sendable, Equatable {
        /// A session began.
        case begin(RecordedContext.Session)
    }

    private enum State: Sendable, Equatable, Codable {
        /// No session has begun yet.
        case none
        /// The current session, which may be over when the user returns.
        case current(RecordedContext.Session, lastSeen: DeviceTime, isAnnounced: Bool)
        /// The latest session, which has ended; kept for its number.
        ///
        /// A process that the user did not open determined that the session was over.
        case over(RecordedContext.Session)
    }

    private var state = State.none
    /// The user's latest activity in this session; nil without an idle timeout.
    private var lastUserActivity: DeviceTime?
    /// The current session's start; nil if there was no maximum length.
    private var began: DeviceTime?

    /// Creates a machine for a new installation.
    package init() {}

    /// Creates a machine that continues the sessions of an older SDK.
    ///
    /// Use this for a new installation in an app whose latest session an older SDK recorded. A session that the older
    /// SDK reported continues. If the end of that session is unknown, only the session number continues.
    init(continuing former: LegacyLifecycle) {
        guard let session = former.session else { return }
        guard !session.id.isEmpty, let seen = former.lastSeen else {
            state = .over(session)
            return
        }
        // The boot is unknown, so the elapsed time is measured by the wall clock.
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

    /// Handles a process that the user did not start.
    ///
    /// Only the user's return begins a session. Until then, events belong to the latest session if it is not over.
    package mutating func startedInBackground(at now: DeviceTime, limits: SessionLimits) {
        guard case .current(let session, let lastSeen, _) = state, isOver(session, lastSeen, at: now, limits)
        else { return }
        state = .over(session)
    }

    /// Handles the user's arrival in the app.
    ///
    /// - Parameter uniqueID: The user's unique id; the id of a new session begins with its last characters.
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

    /// Notes user activity at this time, without beginning a session.
    ///
    /// Times before the latest activity change nothing.
    package mutating func noteActivity(at time: DeviceTime, limits: SessionLimits) {
        guard limits.idleTimeout != nil, case .current = state else { return }
        if let lastUserActivity, time.elapsed(since: lastUserActivity) == nil { return }
        lastUserActivity = time
    }

    /// Handles user activity in the foreground.
    ///
    /// - Parameter uniqueID: The user's unique id; the id of a new session begins with its last characters.
    package mutating func userActed(at now: DeviceTime, uniqueID: String, limits: SessionLimits) -> [Action] {
        guard limits.canEndInForeground, case .current(let session, _, _) = state else { return [] }
        if isOverInForeground(at: now, limits) { return begin(after: session, at: now, uniqueID: uniqueID, limits) }
        noteActivity(at: now, limits: limits)
        noteUserPresence(at: now)
        return []
    }

    /// Changes the limits; a new idle timeout counts from now.
    package mutating func limitsChanged(to limits: SessionLimits, at now: DeviceTime) {
        lastUserActivity = limits.idleTimeout == nil ? nil : lastUserActivity ?? now
        if limits.maximumLength == nil { began = nil }
    }

    /// Notes the latest time at which the user saw the app.
    package mutating func noteUserPresence(at now: DeviceTime) {
        guard case .current(let session, let lastSeen, let isAnnounced) = state, now.elapsed(since: lastSeen) != nil
        else { return }
        state = .current(session, lastSeen: now, isAnnounced: isAnnounced)
    }

    /// Handles the user's departure at this time.
    ///
    /// The system may report the departure late, so the time may precede the last time the user was seen.
    package mutating func userLeft(at time: DeviceTime) {
        guard case .current(let session, let lastSeen, let isAnnounced) = state else { return }
        guard time.boot == lastSeen.boot || time.elapsed(since: lastSeen) != nil else { return }
        state = .current(session, lastSeen: time, isAnnounced: isAnnounced)
    }

    /// Marks the session as reported.
    ///
    /// - Returns: The session on the first call; nil if its start was already reported.
    package mutating func markAnnounced() -> RecordedContext.Session? {
        guard case .current(let session, let lastSeen, isAnnounced: false) = state else { return nil }
        state = .current(session, lastSeen: lastSeen, isAnnounced: true)
        return session
    }

    // MARK: Decisions

    /// Returns whether foreground activity now would begin a new session.
    package func isOverInForeground(at now: DeviceTime, _ limits: SessionLimits) -> Bool {
        guard case .current(let session, _, _) = state else { return false }
        return isIdle(at: now, limits) || isTooLong(session, at: now, limits)
    }

    /// Returns the user's last activity in the ending foreground period.
    ///
    /// That is `now`, the end of the period, unless the user has been idle for the idle timeout.
    package func lastActivity(before now: DeviceTime, _ limits: SessionLimits) -> DeviceTime {
        if let lastUserActivity, isIdle(at: now, limits) { lastUserActivity } else { now }
    }

    private func isIdle(at now: DeviceTime, _ limits: SessionLimits) -> Bool {
        guard let timeout = limits.idleTimeout, let lastUserActivity, let idle = now.elapsed(since: lastUserActivity)
        else { return false }
        return idle >= timeout
    }

    private func isTooLong(_ session: RecordedContext.Session, at now: DeviceTime, _ limits: SessionLimits) -> Bool {
        guard let maximum = limits.maximumLength else { return false }
        // For a session that began without a limit or in another boot, only the wall time is known.
        let began = began ?? DeviceTime(wall: session.start, monotonic: MonotonicTime(milliseconds: 0), boot: "")
        return now.elapsed(since: began).map { $0 >= maximum } ?? false
    }

    /// Returns whether the session of a user seen at `lastSeen` is over.
    private func isOver(
        _ session: RecordedContext.Session,
        _ lastSeen: DeviceTime,
        at now: DeviceTime,
        _ limits: SessionLimits
    ) -> Bool {
        guard let away = now.elapsed(since: lastSeen) else { return true }
        // The timeout applies to the time in the background; the idle timeout applies to the time before the user left.
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
            // The clock went back, or no time passed. Session ids must be unique.
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

/// A generator of session ids, such as `dc7a7a18-20230905-131926703`.
///
/// An id consists of the end of the user's unique id and the start time in UTC.
package enum SessionID {
    /// The number of characters taken from the unique id.
    static let prefixLength = 8

    /// Returns the id of a user's session with this start time.
    ///
    /// - Parameter uniqueID: The last eight characters are used; shorter ids are padded with leading `_`.
    package static func make(uniqueID: String, start: Timestamp) -> String {
        let suffix = uniqueID.suffix(prefixLength)
        let filling = String(repeating: "_", count: prefixLength - suffix.count)
        // The digits of 2023-09-05T13:19:26.703Z, for example, split after the date.
        let digits = start.iso8601.utf8.filter { $0 &- UInt8(ascii: "0") < 10 }
        let date = String(decoding: digits.prefix(8), as: UTF8.self)
        let time = String(decoding: digits.dropFirst(8), as: UTF8.self)
        return "\(filling)\(suffix)-\(date)-\(time)"
    }
}
