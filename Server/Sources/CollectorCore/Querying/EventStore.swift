// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayCore

/// The index that the web UI and queries read.
///
/// The index reads the intake log with its own cursor, so it lags by milliseconds and can be rebuilt. Intake never
/// waits for the index.
public protocol EventStore: AnalyticsStore {
    /// Returns the matching events in the query's order.
    ///
    /// ``ResponseBudget`` limits the size of the result.
    func events(matching query: EventQuery) async throws(StoreError) -> [StoredEvent]
    /// Returns the events that match a search.
    ///
    /// One call scans events only up to the limits of a single search.
    func search(_ search: EventSearch) async throws(StoreError) -> EventSearchResult
    /// Returns the event with this id, if it has arrived.
    func event(_ id: EventID) async throws(StoreError) -> StoredEvent?
    /// Returns the number of matching stored events.
    ///
    /// `after`, `order` and `limit` are ignored.
    func count(matching query: EventQuery) async throws(StoreError) -> Int
    /// Returns one row per writer, newest writer first.
    ///
    /// ``ResponseBudget`` limits the size of the result.
    func ledger(matching query: LedgerQuery) async throws(StoreError) -> [LedgerRow]
    /// Returns the number of writers of an installation; of all if nil.
    func writers(installation: InstallationID?) async throws(StoreError) -> Int
    /// Returns at most `limit` erased installations, most recently erased first.
    func erasures(installation: InstallationID?, limit: Int) async throws(StoreError) -> [StoredErasure]
    /// Whether an installation was erased, as of the indexed position.
    ///
    /// Reads from memory; callable from any thread.
    func isErased(_ installation: InstallationID) -> Bool
    /// Whether a user was erased, as of the indexed position.
    ///
    /// Reads from memory; callable from any thread.
    func isErased(user id: String) -> Bool
    /// Whether any user was ever erased, as of the indexed position.
    ///
    /// Reads from memory; callable from any thread.
    var hasErasedUsers: Bool { get }
    /// Returns what an erasure of a user would remove.
    ///
    /// Returns nil if nothing is known of the user, or if the store cannot erase users.
    func erasurePreview(of user: String) async throws(StoreError) -> ErasurePreview?
    /// Returns the statements about merged users that are connected with users through their ids, earliest first.
    func merges(connectedWith users: [String]) async throws(StoreError) -> [StoredMerge]
    /// Returns what the store holds about people.
    func inventory() async throws(StoreError) -> DataInventory
    /// Returns the installations of a person, with the part of their data that is the person's.
    ///
    /// Empty if nothing is known of the person, or if all the person's events are without an installation.
    func installations(of person: PersonKey) async throws(StoreError) -> [PersonInstallation]
    /// Sets the cohorts that conditions of queries can name; at first, there are none.
    func use(_ cohorts: any CohortDirectory)
    /// Returns matching rejected events with the beginning of their content.
    ///
    /// The latest events come first. ``ResponseBudget`` limits the size of the result.
    func failed(matching query: FailedQuery) async throws(StoreError) -> [FailedEvent]
    /// Returns rejected events in groups, and the losses that devices reported.
    ///
    /// - Throws: ``StoreError``, of kind `overBudget` when the query exceeds its budget.
    func failedGroups(in time: QueryTimeRange) async throws(StoreError) -> FailedGroups
    /// Returns the rejected event at a position, with all stored content.
    func failed(at position: EventPosition) async throws(StoreError) -> FailedEvent?
    /// Returns the number of events per minute of arrival, earliest first.
    ///
    /// Minutes without events are omitted. At most `names` names, those with the most events in the whole time range,
    /// are counted separately.
    func minutes(since: Timestamp, names: Int) async throws(StoreError) -> [MinuteCount]
    /// Returns matching sessions with their screens and launches, latest start first.
    func sessions(matching query: SessionQuery) async throws(StoreError) -> [StoredSession]
    /// Returns the screens that were shown, and the transitions between them.
    func screens(matching query: ScreenQuery) async throws(StoreError) -> ScreenFlow
    /// Returns matching people with their profiles, most recently seen first.
    func users(matching query: UserQuery) async throws(StoreError) -> [StoredUser]
    /// Returns the people that match a search.
    ///
    /// One call scans people only up to the limits of a single search.
    func search(_ search: UserSearch) async throws(StoreError) -> UserSearchResult
    /// Returns a person's full profile; nil if the person has no events.
    func profile(_ query: ProfileQuery) async throws(StoreError) -> PersonProfile?
    /// Returns a person's events; nil if the person has no events.
    func timeline(_ query: TimelineQuery) async throws(StoreError) -> Timeline?
    /// Returns a reader of all of a person's events before a position; nil if the person has no events.
    ///
    /// - Parameter limit: The maximum number of events in a page.
    func eventReader(
        of person: PersonKey,
        before end: EventPosition,
        limit: Int
    ) async throws(StoreError) -> (any PersonEventReader)?
    /// Returns matching devices, most recently seen first.
    func devices(matching query: DeviceQuery) async throws(StoreError) -> [StoredDevice]
    /// Returns a device's reports about itself.
    ///
    /// Returns nil if the device sent no events.
    ///
    /// The result has at most `limit` steps and at most `limit` states.
    func device(_ installation: InstallationID, limit: Int) async throws(StoreError) -> DeviceHistory?
    /// Returns the event names that match a query.
    func catalog(matching query: CatalogQuery) async throws(StoreError) -> EventCatalog
    /// Returns statistics of the latest events with a name.
    ///
    /// Returns nil when no events have the name.
    func description(of name: String, days: CatalogDays) async throws(StoreError) -> EventDescription?
    /// Returns the counts of events checked against plans, by name.
    ///
    /// The result is empty if there has never been a plan.
    ///
    /// - Parameter day: the first day in UTC, as a number of days since 1970; nil for all days.
    func planCounts(since day: Int64?) async throws(StoreError) -> PlanCounts
    /// Returns the events' plan violations in groups.
    func violations(matching query: ViolationQuery) async throws(StoreError) -> Violations
    /// Adds the next events, at most a thousand, to an expectation's tally.
    ///
    /// - Parameter end: the position before which to stop; nil to read to the end.
    /// - Returns: the updated tally, and whether there may be more events.
    func advance(
        _ tally: ExpectationTally,
        before end: EventPosition?
    ) async throws(StoreError) -> (tally: ExpectationTally, hasMore: Bool)
    /// Returns totals for the whole index.
    ///
    /// Reads from memory.
    func totals() async throws(StoreError) -> StoreTotals
    /// Why the index is not following the log, or is being rebuilt.
    ///
    /// One sentence; nil while the index follows the log. Reads from memory.
    var failureReason: String? { get }
    /// Why responses may lack events that have arrived.
    ///
    /// One sentence: ``failureReason``, or that the index follows the log but is seconds behind. Nil while responses
    /// are complete. Reads from memory.
    var incompleteReason: String? { get }
    /// Whether the index has yet to catch up with the log.
    ///
    /// This is the case after the index is opened or reset. Until it catches up, the index lacks events that the log
    /// had at that time, and every read throws a ``StoreError`` of kind `behind`. Reads from memory.
    var isBuilding: Bool { get }
    /// The position before which everything was deleted on request (``ResetRecord``).
    ///
    /// It is ``EventPosition/start`` when nothing was deleted. Reads from memory.
    var beginning: EventPosition { get }
    /// The position before which the index contains everything in the log.
    var indexed: EventPosition { get }
    /// Returns a stream of updates to the indexed position.
    ///
    /// The stream yields the current position, then a new position after each indexing step. A slow reader receives
    /// only the latest position.
    func progress() -> AsyncStream<EventPosition>
}

extension EventStore {
    /// The default for stores that lag only when reporting a failure.
    public var incompleteReason: String? { failureReason }
    /// The default for a store that does not need to be built.
    public var isBuilding: Bool { false }
    /// The default for a store that does not evaluate cohorts.
    public func use(_ cohorts: any CohortDirectory) {}
    /// The default for a store that cannot erase users.
    public func isErased(user id: String) -> Bool { false }
    /// The default for a store that cannot erase users.
    public var hasErasedUsers: Bool { false }
    /// The default for a store that cannot erase users.
    public func erasurePreview(of user: String) async throws(StoreError) -> ErasurePreview? { nil }
    /// The default for a store that does not merge users.
    public func merges(connectedWith users: [String]) async throws(StoreError) -> [StoredMerge] { [] }
}

/// Totals and status of the index.
public struct StoreTotals: Sendable, Hashable {
    /// The number of distinct stored events, without expired ones.
    public var events: UInt64
    /// The number of installations with an account in the ledger.
    public var installations: UInt64
    /// The number of events and whole batches that admission rejected.
    public var failed: UInt64
    /// The number of duplicates, which are not counted as events.
    public var duplicates: UInt64
    /// The number of damaged log ranges that the index skipped.
    public var damaged: UInt64
    /// The number of erased installations.
    public var erasedInstallations: UInt64
    /// The number of events removed or not stored because of erasures.
    ///
    /// Duplicates are included.
    public var erasedEvents: UInt64
    /// Why the index lacks events that have arrived.
    ///
    /// One sentence; nil when the index is complete.
    public var failureReason: String?
    /// The arrival time before which events have expired; nil if none.
    public var retainedSince: Timestamp?
    /// The number of events that have expired.
    public var expiredEvents: UInt64

    /// Creates totals.
    public init(
        events: UInt64 = 0,
        installations: UInt64 = 0,
        failed: UInt64 = 0,
        duplicates: UInt64 = 0,
        damaged: UInt64 = 0,
        erasedInstallations: UInt64 = 0,
        erasedEvents: UInt64 = 0,
        failureReason: String? = nil,
        retainedSince: Timestamp? = nil,
        expiredEvents: UInt64 = 0
    ) {
        self.events = events
        self.installations = installations
        self.failed = failed
        self.duplicates = duplicates
        self.damaged = damaged
        self.erasedInstallations = erasedInstallations
        self.erasedEvents = erasedEvents
        self.failureReason = failureReason
        self.retainedSince = retainedSince
        self.expiredEvents = expiredEvents
    }
}

extension StoreTotals {
    /// Writes the totals as members of an open object.
    public func writeMembers(to writer: inout JSONWriter) {
        for (key, value) in [
            ("events", events), ("installations", installations), ("failed", failed), ("duplicates", duplicates),
            ("damaged", damaged), ("erased_installations", erasedInstallations), ("erased_events", erasedEvents),
        ] {
            writer.member(key, value)
        }
        if expiredEvents > 0 { writer.member("expired_events", expiredEvents) }
        writer.writeRetainedSince(retainedSince)
        if let failureReason { writer.member("trouble", failureReason) }
    }
}

/// An error that prevents a store from answering a query.
///
/// Intake is never affected: the log is the source of truth.
public struct StoreError: Error, Hashable, CustomStringConvertible {
    /// The kind of failure.
    public enum Kind: Sendable, Hashable {
        /// The index failed; a later retry may succeed.
        case unavailable
        /// The index has not caught up yet.
        ///
        /// The index lacks events that the log had when the index started, so any response would be incomplete.
        case behind
        /// The analytics server failed; the index and intake work.
        case analysisUnavailable
        /// The query exceeds its budget.
        ///
        /// The associated value is the parameter that narrows the query best.
        case overBudget(parameter: String)
        /// A condition names a cohort that does not exist.
        case unknownCohort
        /// The store cannot answer queries of this kind.
        case unsupported(parameter: String)
    }

    /// The kind of failure.
    public var kind: Kind
    /// The failing file or statement, or a hint, in one sentence.
    ///
    /// The hint states what to narrow.
    public var message: String

    /// Creates an error for a failure of the index.
    public init(_ message: String) {
        kind = .unavailable
        self.message = message
    }

    /// Creates an error for a failure of the analytics server.
    ///
    /// - Parameter message: one sentence with the server's address, the problem, and a hint.
    public static func analysis(_ message: String) -> StoreError {
        var error = StoreError(message)
        error.kind = .analysisUnavailable
        return error
    }

    /// Creates an error for an index that has not caught up.
    ///
    /// - Parameter message: one sentence with the reason.
    public static func behind(_ message: String) -> StoreError {
        var error = StoreError(message)
        error.kind = .behind
        return error
    }

    /// Creates an error for a query that exceeds its budget.
    ///
    /// - Parameters:
    ///   - parameter: the parameter that narrows the query best.
    ///   - excess: the exceeded limit, and what to narrow. This text follows “The query is too large: ”.
    public static func overBudget(_ parameter: String, _ excess: String) -> StoreError {
        var error = StoreError("The query is too large: \(excess).")
        error.kind = .overBudget(parameter: parameter)
        return error
    }

    /// Creates an error for a condition on a missing cohort.
    public static func unknownCohort(_ name: String) -> StoreError {
        var error = StoreError(
            "No cohort has the name “\(name.prefix(80))”: `trackway users cohorts` lists all. To filter by an attribute "
                + "named cohort, write \"cohort\" in quotes."
        )
        error.kind = .unknownCohort
        return error
    }

    /// Creates an error for an unsupported kind of query.
    ///
    /// - Parameters:
    ///   - parameter: the parameter that requires the support.
    ///   - message: one sentence with the feature, and a hint.
    public static func unsupported(_ parameter: String, _ message: String) -> StoreError {
        var error = StoreError(message)
        error.kind = .unsupported(parameter: parameter)
        return error
    }

    public var description: String { message }
}
