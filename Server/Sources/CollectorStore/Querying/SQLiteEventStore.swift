// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import Collector
internal import GRDB
public import TrackwayEvents
public import TrackwayJournal

/// The index in one SQLite file: pages and queries read it, the ``Indexer`` writes it.
///
/// Reads see the last complete transaction. They never wait for the indexer, and the indexer never waits for them.
/// Callable from any task.
public final class SQLiteEventStore: EventStore {
    /// The file's path.
    public let path: String
    let signal: ProgressSignal
    let storage: any JournalStorage
    private let timeout: Duration
    let clock: any EventClock
    let budget: QueryBudget
    /// Whether a visitor who signs in and the user are one person.
    let joinsVisitors: Bool
    private let descriptionLimits: EventDescription.Limits
    private let checkpoints: CheckpointSchedule
    private let state: Locked<State>

    private struct State: Sendable {
        var database: IndexDatabase
        var files: IndexFiles
        var progress: IndexProgress
        var erased: Set<InstallationID>
        /// The end of the last reset, if this process has read one.
        var beginning = EventPosition.start
        /// The reason why the index does not follow the log.
        var trouble: String?
        /// Whether the index has everything in the log.
        var freshness: IndexFreshness
        var space = IndexSpace()
        /// The reason for a rebuild, if there was one.
        var rebuilding: String?
        /// An error of a reader that may be damage, and whether it is certain.
        var suspicion: (text: String, isCertain: Bool)?
        var suspected: @Sendable () -> Void = {}
        var isClosed = false

        /// Reports that the index has reached a position in the log.
        mutating func reached(_ position: LogPosition) {
            freshness.reached(position)
            if !freshness.isBuilding { rebuilding = nil }
        }

        /// Whether the index lacks records that the log had at the start.
        ///
        /// No result is reliable then.
        var isBuilding: Bool { freshness.isBuilding || rebuilding != nil }
    }

    /// Opens the index at `path`, or creates it; its folder must exist.
    ///
    /// A damaged file is renamed (`.damaged`) and replaced by an empty one, which the indexer fills from the log.
    ///
    /// - Parameters:
    ///   - path: The file. SQLite creates two more next to it.
    ///   - storage: Renames a damaged file.
    ///   - timeout: The maximum time that a write waits for another process that holds the file.
    ///   - clock: Measures the duration of queries.
    ///   - budget: The maximum cost of one query.
    ///   - descriptionLimits: The maximum data that the description of an event reads.
    ///   - keepsLegacyIndex: Whether an index of an older version, which must be rebuilt, is kept (``former``) instead of
    ///     deleted.
    ///   - checkpoints: When the write-ahead log is copied into the file.
    ///   - joinsVisitors: Whether a visitor who signs in and the user are one person. A file must always be opened with the same value.
    /// - Throws: ``StoreError`` if the file cannot be used, or was created by a newer version.
    public init(
        path: String,
        storage: any JournalStorage = DiskStorage(),
        timeout: Duration = .seconds(2),
        clock: any EventClock = SystemClock(),
        budget: QueryBudget = QueryBudget(),
        descriptionLimits: EventDescription.Limits = EventDescription.Limits(),
        keepsLegacyIndex: Bool = false,
        checkpoints: CheckpointSchedule = CheckpointSchedule(),
        joinsVisitors: Bool = true
    ) throws(StoreError) {
        self.path = path
        self.storage = storage
        self.timeout = timeout
        self.clock = clock
        self.budget = budget
        self.descriptionLimits = descriptionLimits
        self.checkpoints = checkpoints
        self.joinsVisitors = joinsVisitors
        var database = try IndexDatabase(
            path: path,
            storage: storage,
            timeout: timeout,
            keepsLegacyIndex: keepsLegacyIndex,
            checkpoints: checkpoints
        )
        var found: FoundIndex
        do {
            found = try FoundIndex(database)
        } catch {
            database = try IndexDatabase(
                replacing: path,
                because: "\(error)",
                storage: storage,
                timeout: timeout,
                checkpoints: checkpoints
            )
            do {
                found = try FoundIndex(database)
            } catch {
                throw StoreError("The index \(path) cannot be read: \(error).")
            }
        }
        state = Locked(
            State(
                database: database,
                files: IndexFiles(path),
                progress: found.progress,
                erased: found.erased,
                freshness: IndexFreshness(at: found.progress.cursor),
                rebuilding: database.putAside.map { Self.damaged(path, $0.reason) }
            )
        )
        signal = ProgressSignal(at: found.progress.position)
    }

    private static func damaged(_ path: String, _ reason: String) -> String {
        "The index \(path) was damaged (\(reason)); it is being rebuilt from the intake log."
    }

    /// The current database.
    var database: IndexDatabase { state.withLock { $0.database } }

    /// The new path of a damaged index; nil if the index was not damaged.
    public var putAside: String? { database.putAside?.path }

    public var trouble: String? {
        state.withLock { state in
            if let trouble = state.trouble ?? state.rebuilding { return trouble }
            guard state.isBuilding else { return nil }
            return state.progress.cursor == .start
                ? "The index \(path) is being built from the intake log."
                : "The index \(path) is catching up with the intake log."
        }
    }

    public var partial: String? {
        if let trouble { return trouble }
        let now = clock.now().monotonic
        guard case .behind(let lag) = state.withLock({ $0.freshness.verdict(at: now) }) else { return nil }
        return "The index \(path) lacks events that arrived up to \(lag.wholeMilliseconds / 1_000) seconds ago."
    }

    public var isBuilding: Bool { state.withLock { $0.isBuilding } }

    public var indexed: EventPosition { signal.position }

    /// Estimates the bytes that the index still needs for the log up to `end`, at most 1 GiB.
    ///
    /// Does no I/O.
    ///
    /// - Parameter segmentBytes: The length of a segment of the log.
    public func bytesNeeded(upTo end: LogPosition, segmentBytes: Int) -> Int {
        state.withLock { state in
            let logBytes = IndexSpace.distance(from: state.freshness.indexed, to: end, segmentBytes: segmentBytes)
            return state.space.needed(forLogBytes: logBytes)
        }
    }

    public var beginning: EventPosition { state.withLock { $0.beginning } }

    public func progress() -> AsyncStream<EventPosition> {
        signal.listen()
    }

    public func events(matching query: EventQuery) async throws(StoreError) -> [StoredEvent] {
        try await read { try EventRows.matching(query, $0) }
    }

    public func found(_ search: EventSearch) async throws(StoreError) -> EventSearchResult {
        let (budget, clock) = (budget, clock)
        let total = UInt64(clamping: progressNow.events)
        return try await read { try EventSearchRows.found(search, of: total, budget: budget, clock: clock, $0) }
    }

    public func event(_ id: EventID) async throws(StoreError) -> StoredEvent? {
        try await read { try EventRows.withID(id, $0) }
    }

    public func count(matching query: EventQuery) async throws(StoreError) -> Int {
        var everything = EventQuery()
        everything.after = query.after
        everything.order = query.order
        everything.limit = query.limit
        if query == everything {
            try checkIsReadable()
            return Int(progressNow.events)
        }
        return try await read { try EventRows.count(query, $0) }
    }

    public func ledger(matching query: LedgerQuery) async throws(StoreError) -> [LedgerRow] {
        try await read { try LedgerRows.matching(query, $0) }
    }

    public func writers(installation: InstallationID?) async throws(StoreError) -> Int {
        try await read { try LedgerRows.count(of: installation, $0) }
    }

    public func erasures(
        installation: InstallationID?,
        limit: Int
    ) async throws(StoreError) -> [StoredErasure] {
        try await read { try ErasureRows.latest(of: installation, limit: limit, $0) }
    }

    public func isErased(_ installation: InstallationID) -> Bool {
        state.withLock { $0.erased.contains(installation) }
    }

    public func failed(matching query: FailedQuery) async throws(StoreError) -> [FailedEvent] {
        try await read { try FailedRows.matching(query, $0) }
    }

    public func failedGroups(in time: QueryTimeRange) async throws(StoreError) -> FailedGroups {
        let (budget, clock) = (budget, clock)
        return try await read { try FailedGroupRows.groups(in: time, budget: budget, clock: clock, $0) }
    }

    public func failed(at position: EventPosition) async throws(StoreError) -> FailedEvent? {
        try await read { try FailedRows.at(position, $0) }
    }

    public func minutes(since moment: Timestamp, names: Int) async throws(StoreError) -> [MinuteCount] {
        try await read { try MinuteTable.since(moment, names: names, $0) }
    }

    public func trend(_ question: Question) async throws(StoreError) -> Trend {
        let (budget, clock) = (budget, clock)
        return try await read { try TrendRows.trend(question, budget: budget, clock: clock, $0) }
    }

    public func funnel(_ question: FunnelQuery) async throws(StoreError) -> Funnel {
        let (budget, clock) = (budget, clock)
        return try await read { try FunnelRows.funnel(question, budget: budget, clock: clock, $0) }
    }

    public func retention(_ question: RetentionQuery) async throws(StoreError) -> Retention {
        let (budget, clock) = (budget, clock)
        return try await read { try ActivityRows.retention(question, budget: budget, clock: clock, $0) }
    }

    public func lifecycle(_ question: ActivityQuery) async throws(StoreError) -> Lifecycle {
        let (budget, clock) = (budget, clock)
        return try await read { try ActivityRows.lifecycle(question, budget: budget, clock: clock, $0) }
    }

    public func stickiness(_ question: ActivityQuery) async throws(StoreError) -> Stickiness {
        let (budget, clock) = (budget, clock)
        return try await read { try ActivityRows.stickiness(question, budget: budget, clock: clock, $0) }
    }

    public func paths(_ question: PathQuery) async throws(StoreError) -> Paths {
        let (budget, clock) = (budget, clock)
        return try await read { try PathRows.paths(question, budget: budget, clock: clock, $0) }
    }

    public func catalogue(matching query: CatalogQuery) async throws(StoreError) -> EventCatalog {
        try await read { try CatalogueRows.catalogue(query, $0) }
    }

    public func description(of name: String, days: CatalogDays) async throws(StoreError) -> EventDescription? {
        let (limits, clock) = (descriptionLimits, clock)
        return try await read { try CatalogueRows.description(of: name, days: days, limits: limits, clock: clock, $0) }
    }

    public func look(
        _ tally: ExpectationTally,
        before end: EventPosition?
    ) async throws(StoreError) -> (tally: ExpectationTally, isMore: Bool) {
        try await read { try ExpectationRows.look(tally, before: end, $0) }
    }

    public func totals() async throws(StoreError) -> StoreTotals {
        // Also available while the index is being built: `trouble` then reports that the numbers are incomplete.
        let installations = try await readWhileBuilding { db in
            try Int64.fetchOne(db, sql: "SELECT count(*) FROM installations WHERE erased = 0") ?? 0
        }
        let (progress, erased) = state.withLock { ($0.progress, $0.erased.count) }
        return StoreTotals(
            events: UInt64(clamping: progress.events),
            installations: UInt64(clamping: installations),
            failed: UInt64(clamping: progress.failed),
            duplicates: UInt64(clamping: progress.duplicates),
            damaged: UInt64(clamping: progress.damaged),
            erasedInstallations: UInt64(erased),
            erasedEvents: UInt64(clamping: progress.erased),
            trouble: partial
        )
    }

    /// Ends the progress streams and closes the file.
    ///
    /// Running queries finish first. A second call has no effect.
    public func close() throws(StoreError) {
        signal.finish()
        let database = database
        let isFirst = state.withLock { state in
            defer { state.isClosed = true }
            return !state.isClosed
        }
        guard isFirst else { return }
        do {
            database.checkpoints.close()
            try database.pool.writeWithoutTransaction { _ = try $0.checkpoint(.truncate) }
        } catch {
            // The write-ahead log remains and is read when the file is opened again.
        }
        do {
            try database.close()
        } catch {
            throw StoreError("The index \(path) cannot be closed: \(error).")
        }
    }

    // MARK: For the indexer

    /// Sets the closure that is called when a reader encounters damage.
    func onSuspectedCorruption(_ body: @escaping @Sendable () -> Void) {
        state.withLock { $0.suspected = body }
    }

    /// Returns the damage of the files that has been noticed so far, or nil.
    func damage() async -> String? {
        let (found, suspicion) = state.withLock { ($0.files.damage()?.description, $0.suspicion) }
        if let found { return found }
        guard let suspicion else { return nil }
        if suspicion.isCertain { return suspicion.text }
        // The cause may be one of our statements; a rebuild would not fix that.
        let fault = await database.fault()
        if fault == nil { state.withLock { $0.suspicion = nil } }
        return fault
    }

    /// Renames the file and creates a new one, which must then be filled from the log.
    ///
    /// Running queries fail once.
    ///
    /// - Throws: ``StoreError`` if that fails.
    func replace(because reason: String) throws(StoreError) {
        let old = database
        do {
            try old.close()
        } catch {
            // The old database is not needed any more; its remaining resources are freed with its last reader.
        }
        let fresh = try IndexDatabase(
            replacing: path,
            because: reason,
            storage: storage,
            timeout: timeout,
            checkpoints: checkpoints
        )
        let found: FoundIndex
        do {
            found = try FoundIndex(fresh)
        } catch {
            throw StoreError("The index \(path) cannot be read: \(error).")
        }
        state.withLock { state in
            state.database = fresh
            state.files = IndexFiles(path)
            state.progress = found.progress
            state.suspicion = nil
            state.trouble = nil
            state.rebuilding = Self.damaged(path, reason)
            state.freshness.restart(at: found.progress.cursor)
        }
        signal.advance(to: found.progress.position)
    }

    /// Reports that the log ends at `end` and that everything before is on stable storage.
    ///
    /// Costs a short lock.
    func logged(_ end: LogPosition) {
        let now = clock.now().monotonic
        state.withLock { $0.freshness.logged(end, at: now) }
    }

    /// Reports that the log had records up to `end` when this index was opened.
    ///
    /// Queries fail until the index has them.
    func build(upTo end: LogPosition) {
        state.withLock { $0.freshness.build(upTo: end) }
    }

    /// Reports that the index is about to be emptied.
    ///
    /// Queries fail until it is complete again.
    func emptying() {
        state.withLock { $0.freshness.restart(at: .start) }
    }

    /// The progress of the last complete transaction.
    var progressNow: IndexProgress { state.withLock { $0.progress } }

    /// Publishes the result of a transaction.
    ///
    /// - Parameter isReset: Whether the transaction forgot everything before its end.
    func committed(_ progress: IndexProgress, erased: Set<InstallationID>, isReset: Bool = false) {
        state.withLock { state in
            state.progress = progress
            if isReset {
                state.erased = []
                state.beginning = progress.position
            }
            state.erased.formUnion(erased)
            state.trouble = nil
            state.reached(progress.cursor)
        }
        signal.advance(to: progress.position)
    }

    /// Reports that the index has everything in the log up to `end`.
    ///
    /// Readers that wait for this position are released.
    ///
    /// The last record of a segment ends before the next segment begins, which may still be empty.
    func caughtUp(to end: LogPosition) {
        state.withLock { state in
            state.trouble = nil
            state.reached(end)
        }
        let position = EventPosition(segment: end.segment, offset: end.offset)
        if signal.position < position { signal.advance(to: position) }
    }

    /// Reports that a range of the log was indexed.
    func entered(logBytes: Int, bodyBytes: Int) {
        state.withLock { $0.space.entered(logBytes: logBytes, bodyBytes: bodyBytes) }
    }

    /// The free bytes on the index's disk; nil if unknown.
    var freeBytes: Int? {
        let folder = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
        return storage.freeBytes(at: folder.isEmpty ? "/" : folder)
    }

    /// Reports that the index cannot follow the log at the moment.
    func recordFailure(_ trouble: String) {
        state.withLock { $0.trouble = trouble }
    }

    /// Reads in one transaction, concurrently with the indexer.
    ///
    /// - Throws: ``StoreError``, of the kind `behind` while the index lacks records that the log had at the start;
    ///   errors of `body`, if they are of that type.
    func read<Result: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Result
    ) async throws(StoreError) -> Result {
        try checkIsReadable()
        let result = try await readWhileBuilding(body)
        // The index may have been emptied in the meantime.
        try checkIsReadable()
        return result
    }

    /// Throws while the index lacks records that the log had at the start.
    ///
    /// Results would appear complete although they are not.
    private func checkIsReadable() throws(StoreError) {
        guard isBuilding else { return }
        throw .behind(trouble ?? "The index \(path) is catching up with the intake log.")
    }

    /// Reads in one transaction, even while the index is being built.
    private func readWhileBuilding<Result: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Result
    ) async throws(StoreError) -> Result {
        do {
            return try await database.pool.read(body)
        } catch let error as StoreError {
            throw error
        } catch is CancellationError {
            throw StoreError("The query was canceled.")
        } catch {
            suspect(error)
            throw StoreError("The index \(path) cannot answer: \(error).")
        }
    }

    /// Reports a reader's error to the indexer if damage may be the cause.
    private func suspect(_ error: any Error) {
        let evidence = IndexDatabase.evidence(in: error)
        guard evidence != .none else { return }
        let call = state.withLock { state in
            if state.suspicion?.isCertain != true { state.suspicion = ("\(error)", evidence == .proof) }
            return state.suspected
        }
        call()
    }
}
