// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayEvents

/// The index that the web UI and queries read.
///
/// It reads the intake log with its own cursor, so it lags by milliseconds and can be rebuilt. Intake never waits for
/// it.
public protocol EventStore: AnalyticsStore {
    /// Returns the matching events in the query's order.
    ///
    /// The result is limited by an ``ResponseBudget``.
    func events(matching query: EventQuery) async throws(StoreError) -> [StoredEvent]
    /// Returns the events that match a search.
    ///
    /// One call scans events up to the limits of one search.
    func found(_ search: EventSearch) async throws(StoreError) -> EventSearchResult
    /// Returns the event with this id, if it has arrived.
    func event(_ id: EventID) async throws(StoreError) -> StoredEvent?
    /// Returns the number of matching stored events.
    ///
    /// `after`, `order` and `limit` are ignored.
    func count(matching query: EventQuery) async throws(StoreError) -> Int
    /// Returns one row per writer, newest first.
    ///
    /// The result is limited by an ``ResponseBudget``.
    func ledger(matching query: LedgerQuery) async throws(StoreError) -> [LedgerRow]
    /// Returns the number of writers.
    func writers(installation: InstallationID?) async throws(StoreError) -> Int
    /// Returns at most `limit` erased installations, the most recently erased first.
    func erasures(installation: InstallationID?, limit: Int) async throws(StoreError) -> [StoredErasure]
    /// Whether an installation was erased, as of the indexed position.
    ///
    /// Reads from memory; callable from any thread.
    func isErased(_ installation: InstallationID) -> Bool
    /// Returns matching rejected events with the beginning of their content.
    ///
    /// The latest are first.
    ///
    /// The result is limited by an ``ResponseBudget``.
    func failed(matching query: FailedQuery) async throws(StoreError) -> [FailedEvent]
    /// Returns rejected events in groups, and the losses that devices reported.
    ///
    /// - Throws: ``StoreError``; of the kind `overBudget` when the query exceeds its budget.
    func failedGroups(in time: QueryTimeRange) async throws(StoreError) -> FailedGroups
    /// Returns the rejected event at a position, with all stored content.
    func failed(at position: EventPosition) async throws(StoreError) -> FailedEvent?
    /// Returns the number of events per minute of arrival, earliest first.
    ///
    /// Minutes without events are omitted. At most `names` names, the busiest of the whole time range, are counted
    /// separately.
    func minutes(since: Timestamp, names: Int) async throws(StoreError) -> [MinuteCount]
    /// Returns matching sessions with their screens and launches, latest start first.
    func sessions(matching query: SessionQuery) async throws(StoreError) -> [StoredSession]
    /// Returns the screens that were shown, and the transitions between them.
    func screens(matching query: ScreenQuery) async throws(StoreError) -> ScreenFlow
    /// Returns matching people with their profiles, the most recently seen first.
    func users(matching query: UserQuery) async throws(StoreError) -> [StoredUser]
    /// Returns the people that match a search.
    ///
    /// One call scans people up to the limits of one search.
    func found(_ search: UserSearch) async throws(StoreError) -> UserSearchResult
    /// Returns one person's full profile; nil without any events.
    func profile(_ query: ProfileQuery) async throws(StoreError) -> PersonProfile?
    /// Returns one person's events; nil without any events.
    func timeline(_ query: TimelineQuery) async throws(StoreError) -> Timeline?
    /// Returns matching devices, the most recently seen first.
    func devices(matching query: DeviceQuery) async throws(StoreError) -> [StoredDevice]
    /// Returns what a device reported about itself; nil without any events.
    ///
    /// The result has at most `limit` steps and as many states.
    func device(_ installation: InstallationID, limit: Int) async throws(StoreError) -> DeviceHistory?
    /// Returns the event names that match a query.
    func catalogue(matching query: CatalogQuery) async throws(StoreError) -> EventCatalog
    /// Returns statistics of the latest events with a name.
    ///
    /// Nil without any events.
    func description(of name: String, days: CatalogDays) async throws(StoreError) -> EventDescription?
    /// Returns the counts of events checked against plans, by name.
    ///
    /// The result is empty if there has never been a plan.
    ///
    /// - Parameter day: the first day in UTC, counted from 1970; nil for all days.
    func planCounts(since day: Int64?) async throws(StoreError) -> PlanCounts
    /// Returns the plan violations of events, in groups.
    func violations(matching query: ViolationQuery) async throws(StoreError) -> Violations
    /// Feeds the next events to an expectation, at most a thousand.
    ///
    /// - Parameter end: the position to stop at, at the latest.
    /// - Returns: the updated tally, and whether there may be more events.
    func look(
        _ tally: ExpectationTally,
        before end: EventPosition?
    ) async throws(StoreError) -> (tally: ExpectationTally, isMore: Bool)
    /// Returns the totals of the whole index.
    ///
    /// Reads from memory.
    func totals() async throws(StoreError) -> StoreTotals
    /// Why the index does not follow the log, or is being rebuilt.
    ///
    /// One sentence; nil while it follows. Reads from memory.
    var trouble: String? { get }
    /// Why responses may lack events that have arrived.
    ///
    /// One sentence: there is ``trouble``, or the index follows but is seconds behind; nil while responses are
    /// complete. Reads from memory.
    var partial: String? { get }
    /// Whether the index has yet to catch up with the log.
    ///
    /// This is the case after it was opened or reset.
    ///
    /// It then lacks events that the log had at that time, and every read throws a ``StoreError`` of the kind `behind`.
    /// Reads from memory.
    var isBuilding: Bool { get }
    /// The position before which everything was deleted on request (``ResetRecord``).
    ///
    /// It is the start when nothing was deleted. Reads from memory.
    var beginning: EventPosition { get }
    /// The position before which the index contains everything in the log.
    var indexed: EventPosition { get }
    /// Returns the indexed position now, and again after each indexing step.
    ///
    /// A slow reader receives only the latest.
    func progress() -> AsyncStream<EventPosition>
}

extension EventStore {
    /// The default for a store that lags only when it reports trouble.
    public var partial: String? { trouble }
    /// The default for a store that does not need to be built.
    public var isBuilding: Bool { false }
}

/// Totals and status of the index.
public struct StoreTotals: Sendable, Hashable {
    /// The number of distinct stored events, without expired ones.
    public var events: UInt64
    /// The number of installations with an account in the ledger.
    public var installations: UInt64
    /// The number of events, or whole batches, that admission rejected.
    public var failed: UInt64
    /// The number of duplicates, which are not counted as events.
    public var duplicates: UInt64
    /// The number of damaged log ranges that the index skipped.
    public var damaged: UInt64
    /// The number of erased installations.
    public var erasedInstallations: UInt64
    /// The number of their events that were removed or not stored.
    ///
    /// Duplicates are included.
    public var erasedEvents: UInt64
    /// Why the index lacks events that have arrived.
    ///
    /// One sentence; nil when it lacks none.
    public var trouble: String?
    /// The time before which arrived events have expired; nil when none have.
    public var keptFrom: Timestamp?

    /// Creates totals.
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
    /// Writes the totals as members of an open object.
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

/// Why the index could not answer.
///
/// Intake is never affected: the log is the source of truth.
public struct StoreError: Error, Hashable, CustomStringConvertible {
    /// The kind of failure.
    public enum Kind: Sendable, Hashable {
        /// The index failed; a later retry may succeed.
        case unavailable
        /// The index has not caught up yet.
        ///
        /// It lacks events that the log had when the index started, so any response would lack events.
        case behind
        /// The analytics server failed; the index and intake work.
        case analysisUnavailable
        /// The query exceeds its budget.
        ///
        /// The parameter is the one that narrows it best.
        case overBudget(parameter: String)
    }

    /// The kind of failure.
    public var kind: Kind
    /// One sentence with the failing file or statement, or a hint.
    ///
    /// The hint states what to narrow.
    public var message: String

    /// Creates an error of the index.
    public init(_ message: String) {
        kind = .unavailable
        self.message = message
    }

    /// Creates an error of the analytics server.
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
    ///   - parameter: the parameter that narrows it best.
    ///   - excess: the limit that is exceeded, and what to narrow. It follows “The query is too large: ”.
    public static func overBudget(_ parameter: String, _ excess: String) -> StoreError {
        var error = StoreError("The query is too large: \(excess).")
        error.kind = .overBudget(parameter: parameter)
        return error
    }

    public var description: String { message }
}
