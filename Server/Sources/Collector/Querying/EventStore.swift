// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayEvents

/// The index that pages and queries read. It follows the intake log by its own cursor, so it lags by milliseconds and may
/// be rebuilt; intake never waits for it.
public protocol EventStore: QuestionStore {
    /// Events that match, in the query's order; as many as an ``AnswerBudget`` has room for.
    func events(matching query: EventQuery) async throws(StoreError) -> [StoredEvent]
    /// Events that hold what is searched for, as far as one search goes.
    func found(_ search: EventSearch) async throws(StoreError) -> FoundEvents
    /// The event with this id, if it has arrived.
    func event(_ id: EventID) async throws(StoreError) -> StoredEvent?
    /// How many stored events match; `after`, `order` and `limit` play no part.
    func count(matching query: EventQuery) async throws(StoreError) -> Int
    /// One row per writer, the newest first; as many as an ``AnswerBudget`` has room for.
    func ledger(matching query: LedgerQuery) async throws(StoreError) -> [LedgerRow]
    /// How many writers there are.
    func writers(installation: InstallationID?) async throws(StoreError) -> Int
    /// Erased installations, those erased last first, at most `limit`.
    func erasures(installation: InstallationID?, limit: Int) async throws(StoreError) -> [StoredErasure]
    /// Whether an installation was erased, as far as the index has come. Answers from memory; callable from any thread.
    func isErased(_ installation: InstallationID) -> Bool
    /// Refused events that match, the latest first, each with the beginning of its content; as many as an ``AnswerBudget``
    /// has room for.
    func failed(matching query: FailedQuery) async throws(StoreError) -> [FailedEvent]
    /// What was refused in a time, grouped, and what devices say that they lost.
    ///
    /// - Throws: ``StoreError``; of the kind `overBudget` when the question costs more than one may.
    func failedGroups(in time: QuestionTime) async throws(StoreError) -> FailedGroups
    /// The refused event at a position, with all of its content that is kept.
    func failed(at position: EventPosition) async throws(StoreError) -> FailedEvent?
    /// Events per minute of arrival since a moment, earliest first; minutes without events are left out. The busiest names
    /// of the whole time are counted separately, at most `names`.
    func minutes(since: Timestamp, names: Int) async throws(StoreError) -> [MinuteCount]
    /// Sessions that match, the one that began last first, with their screens and launches.
    func sessions(matching query: SessionQuery) async throws(StoreError) -> [StoredSession]
    /// Which screens were shown, and how people went from one to the next.
    func screens(matching query: ScreenQuery) async throws(StoreError) -> ScreenFlow
    /// People that match, the one seen last first, with what is known about them.
    func users(matching query: UserQuery) async throws(StoreError) -> [StoredUser]
    /// People that hold what is searched for, as far as one search goes.
    func found(_ search: UserSearch) async throws(StoreError) -> FoundUsers
    /// One person in full; nil when nobody of the kind sent an event.
    func profile(_ query: ProfileQuery) async throws(StoreError) -> PersonProfile?
    /// What one person did; nil when nobody of the kind sent an event.
    func timeline(_ query: TimelineQuery) async throws(StoreError) -> Timeline?
    /// Devices that match, the one seen last first.
    func devices(matching query: DeviceQuery) async throws(StoreError) -> [StoredDevice]
    /// What a device reported about itself, at most `limit` steps and as many states; nil when it sent no event.
    func device(_ installation: InstallationID, limit: Int) async throws(StoreError) -> DeviceHistory?
    /// The names of events, as a query asks.
    func catalogue(matching query: CatalogueQuery) async throws(StoreError) -> Catalogue
    /// What the latest events of a name look like; nil when there is none.
    func description(of name: String, days: CatalogueDays) async throws(StoreError) -> EventDescription?
    /// What was counted by a plan, name by name; empty while there never was one.
    ///
    /// - Parameter day: From this day of UTC on, counted from 1970; nil for all.
    func planCounts(since day: Int64?) async throws(StoreError) -> PlanCounts
    /// What events do not keep to, in groups.
    func violations(matching query: ViolationQuery) async throws(StoreError) -> Violations
    /// Shows an expectation the next events, a thousand at most.
    ///
    /// - Parameter end: where to stop at the latest.
    /// - Returns: the tally that has seen them, and whether there may be more.
    func look(
        _ tally: ExpectationTally,
        before end: EventPosition?
    ) async throws(StoreError) -> (tally: ExpectationTally, isMore: Bool)
    /// The whole index in numbers. Answers from memory.
    func totals() async throws(StoreError) -> StoreTotals
    /// Why the index does not follow the log, or is being made anew from it, one sentence; nil while all is well. Answers
    /// from memory.
    var trouble: String? { get }
    /// Why answers may lack events that have arrived, one sentence: there is ``trouble``, or the index follows and is seconds behind; nil
    /// while they lack none. Answers from memory.
    var partial: String? { get }
    /// Whether the index lacks what the log had when the index was opened or begun anew. Every read then throws ``StoreError`` of the kind
    /// `behind`. Answers from memory.
    var isBuilding: Bool { get }
    /// Everything before this position was forgotten on request (``ResetRecord``); the start when nothing was. Answers from memory.
    var beginning: EventPosition { get }
    /// Everything in the log before this position is in the index.
    var indexed: EventPosition { get }
    /// The indexed position at once, and again after each step of the index; a slow reader sees only the latest.
    func progress() -> AsyncStream<EventPosition>
}

extension EventStore {
    /// A store that lags only while it is in trouble.
    public var partial: String? { trouble }
    /// A store that needs no building.
    public var isBuilding: Bool { false }
}

/// The index as a whole, in numbers, and how it is doing.
public struct StoreTotals: Sendable, Hashable {
    /// Distinct events stored, without those that went by age.
    public var events: UInt64
    /// Installations that have an account in the ledger.
    public var installations: UInt64
    /// Events, or whole batches, that admission refused.
    public var failed: UInt64
    /// Events that arrived again and were not counted twice.
    public var duplicates: UInt64
    /// Damaged stretches of the intake log that the index had to pass over.
    public var damaged: UInt64
    /// Installations that were erased.
    public var erasedInstallations: UInt64
    /// Their events, removed or not taken; repeats count.
    public var erasedEvents: UInt64
    /// Why the index does not have everything that has arrived, one sentence; nil while all is well.
    public var trouble: String?
    /// Events that arrived before this moment went by age; nil when none did.
    public var keptFrom: Timestamp?

    /// Totals with all their numbers.
    public init(
        events: UInt64 = 0,
        installations: UInt64 = 0,
        failed: UInt64 = 0,
        duplicates: UInt64 = 0,
        damaged: UInt64 = 0,
        erasedInstallations: UInt64 = 0,
        erasedEvents: UInt64 = 0,
        trouble: String? = nil,
        keptFrom: Timestamp? = nil
    ) {
        self.events = events
        self.installations = installations
        self.failed = failed
        self.duplicates = duplicates
        self.damaged = damaged
        self.erasedInstallations = erasedInstallations
        self.erasedEvents = erasedEvents
        self.trouble = trouble
        self.keptFrom = keptFrom
    }
}

extension StoreTotals {
    /// Writes the numbers as members of an object that is open.
    public func writeMembers(to writer: inout JSONWriter) {
        for (key, value) in [
            ("events", events), ("installations", installations), ("failed", failed), ("duplicates", duplicates),
            ("damaged", damaged), ("erased_installations", erasedInstallations), ("erased_events", erasedEvents),
        ] {
            writer.member(key, value)
        }
        writer.keptFrom(keptFrom)
        if let trouble { writer.member("trouble", trouble) }
    }
}

/// Why the index could not answer. Intake is never affected: the log is the source of truth.
public struct StoreError: Error, Hashable, CustomStringConvertible {
    /// What kind of failure it is.
    public enum Kind: Sendable, Hashable {
        /// The index is at fault; asking again later may help.
        case unavailable
        /// The index does not have everything yet that the log had when the index began, so any answer would lack events.
        case behind
        /// The server that goes over many events is at fault; the index and intake are not.
        case analysisUnavailable
        /// The question costs more than one may; the parameter is what best narrows it.
        case overBudget(parameter: String)
    }

    /// What kind of failure it is.
    public var kind: Kind
    /// One sentence with the file or statement at fault, or what to narrow.
    public var message: String

    /// An error of the index with its sentence.
    public init(_ message: String) {
        kind = .unavailable
        self.message = message
    }

    /// An error of the server that goes over many events.
    ///
    /// - Parameter message: one sentence with its address, what is wrong there, and what helps.
    public static func analysis(_ message: String) -> StoreError {
        var error = StoreError(message)
        error.kind = .analysisUnavailable
        return error
    }

    /// The index does not have everything yet.
    ///
    /// - Parameter message: one sentence that says why.
    public static func behind(_ message: String) -> StoreError {
        var error = StoreError(message)
        error.kind = .behind
        return error
    }

    /// A question costs more than one may.
    ///
    /// - Parameters:
    ///   - parameter: what best narrows it.
    ///   - excess: what it takes too much of, and what to narrow; goes on behind “The question is too large: ”.
    public static func overBudget(_ parameter: String, _ excess: String) -> StoreError {
        var error = StoreError("The question is too large: \(excess).")
        error.kind = .overBudget(parameter: parameter)
        return error
    }

    public var description: String { message }
}
