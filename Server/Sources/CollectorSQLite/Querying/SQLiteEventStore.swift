// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import CollectorCore
internal import GRDB
public import TrackwayCore
public import TrackwayJournal

/// An index in one SQLite file, which queries read and ``Indexer`` writes.
///
/// Reads see the last completed transaction. They never wait for the indexer, and the indexer never waits for them.
/// Callable from any task.
public final class SQLiteEventStore: EventStore {
    /// The file's path.
    public let path: String
    let signal: ProgressSignal
    let storage: any JournalStorage
    private let timeout: Duration
    let clock: any EventClock
    let budget: QueryBudget
    /// The collector's erasures; nil if the log cannot be rewritten.
    let erasures: ErasureQueue?
    private let descriptionLimits: EventDescription.Limits
    private let checkpoints: CheckpointSchedule
    private let state: Locked<State>

    private struct State: Sendable {
        var database: IndexDatabase
        var files: IndexFiles
        var progress: IndexProgress
        var erased: Set<InstallationID>
        var erasedUsers: Set<IdentityHash>
        /// The boundary of the kept records.
        var retention: RetentionBoundary
        /// Whether the index must begin with the retained state.
        var needsRetainedState = false
        /// The end of the last reset that this process has read, or the start of the log.
        var beginning = EventPosition.start
        /// The reason why the index does not follow the log.
        var failureReason: String?
        /// The freshness of the index relative to the log.
        var freshness: IndexFreshness
        var space = IndexSpace()
        /// The reason for the rebuild; nil without a rebuild.
        var rebuilding: String?
        /// A reader's error that may be caused by damage, and whether the damage is certain.
        var suspectedCorruption: (text: String, isCertain: Bool)?
        var onSuspectedCorruption: @Sendable () -> Void = {}
        var isClosed = false
        /// The number of times that this process emptied or replaced the index.
        var clearings = 0
        var cohorts: any CohortDirectory = NoCohorts()

        /// Reports that the index has reached a position in the log.
        mutating func advance(to position: LogPosition) {
            freshness.advance(to: position)
            if !freshness.isBuilding { rebuilding = nil }
        }

        /// Whether the index is still being built or rebuilt.
        ///
        /// During that time, the index lacks records that the log had at the start, and no result is reliable.
        var isBuilding: Bool {
            freshness.isBuilding || rebuilding != nil || needsRetainedState || retention.target != nil
        }
    }

    /// Opens the index at `path`, or creates it; its folder must exist.
    ///
    /// A damaged file is renamed (`.damaged`) and replaced by an empty one, which the indexer fills from the log.
    ///
    /// - Parameters:
    ///   - path: The file. SQLite creates two more next to it.
    ///   - storage: The storage used to rename a damaged file.
    ///   - timeout: The maximum time that a write waits for another process that has locked the file.
    ///   - clock: The clock that measures the duration of queries.
    ///   - budget: The maximum cost of one query.
    ///   - descriptionLimits: The maximum amount of data read for the description of an event.
    ///   - keepsLegacyIndex: Whether an index of an older version, which must be rebuilt, is kept (``legacyIndexPath``)
    ///     instead of deleted.
    ///   - checkpoints: When the write-ahead log is copied into the file.
    ///   - erasures: The collector's erasures; nil for an index whose log cannot be rewritten, which then ignores
    ///     requests to erase users.
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
        erasures: ErasureQueue? = nil
    ) throws(StoreError) {
        self.path = path
        self.erasures = erasures
        self.storage = storage
        self.timeout = timeout
        self.clock = clock
        self.budget = budget
        self.descriptionLimits = descriptionLimits
        self.checkpoints = checkpoints
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
        var needsRetainedState = false
        if RetainedState.exists(for: path) {
            // The log before this position is gone.
            let first = try RetainedState.first(for: path)
            needsRetainedState =
                found.progress.cursor < LogPosition(segment: first.segment, offset: first.offset)
        }
        state = Locked(
            State(
                database: database,
                files: IndexFiles(path),
                progress: found.progress,
                erased: found.erased,
                erasedUsers: found.erasedUsers,
                retention: found.retention,
                needsRetainedState: needsRetainedState,
                freshness: IndexFreshness(at: found.progress.cursor),
                rebuilding: database.quarantined.map { Self.damaged(path, $0.reason) }
            )
        )
        signal = ProgressSignal(at: found.progress.position)
    }

    private static func damaged(_ path: String, _ reason: String) -> String {
        "The index \(path) was damaged (\(reason)); it is being rebuilt from the intake log."
    }

    /// The current database.
    var database: IndexDatabase { state.withLock { $0.database } }

    /// The new path of a damaged index; nil without damage.
    public var quarantinedPath: String? { database.quarantined?.path }

    public var failureReason: String? {
        state.withLock { state in
            if let failureReason = state.failureReason ?? state.rebuilding { return failureReason }
            guard state.isBuilding else { return nil }
            return state.progress.cursor == .start
                ? "The index \(path) is being built from the intake log."
                : "The index \(path) is catching up with the intake log."
        }
    }

    public var incompleteReason: String? {
        if let failureReason { return failureReason }
        let now = clock.now().monotonic
        guard case .behind(let lag) = state.withLock({ $0.freshness.verdict(at: now) }) else { return nil }
        return "The index \(path) lacks events that arrived up to \(lag.wholeMilliseconds / 1_000) seconds ago."
    }

    public var isBuilding: Bool { state.withLock { $0.isBuilding } }

    public var indexed: EventPosition { signal.position }

    /// Estimates the disk space still needed to index the log.
    ///
    /// The result covers the log up to `end`, in bytes, and is at most 1 GiB.
    ///
    /// Does no I/O.
    ///
    /// - Parameter segmentBytes: The length of a segment of the log.
    public func bytesNeeded(upTo end: LogPosition, segmentBytes: Int) -> Int {
        state.withLock { state in
            let logBytes = IndexSpace.distance(from: state.freshness.indexed, to: end, segmentBytes: segmentBytes)
            return state.space.bytesNeeded(forLogBytes: logBytes)
        }
    }

    public var beginning: EventPosition { state.withLock { $0.beginning } }

    public func progress() -> AsyncStream<EventPosition> {
        signal.listen()
    }

    public func events(matching query: EventQuery) async throws(StoreError) -> [StoredEvent] {
        try await read { try EventRows.matching(query, $0) }
    }

    public func search(_ search: EventSearch) async throws(StoreError) -> EventSearchResult {
        let (budget, clock) = (budget, clock)
        let total = UInt64(clamping: progressNow.events)
        let cohorts = try cohorts(in: [QueryFilter(conditions: search.conditions)])
        return try await read {
            try EventSearchRows.search(search, of: total, budget: budget, clock: clock, cohorts: cohorts, $0)
        }
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

    /// The erased users, as of the indexed position.
    var erasedUsers: Set<IdentityHash> { state.withLock { $0.erasedUsers } }

    public var hasErasedUsers: Bool { erasures != nil && !state.withLock { $0.erasedUsers.isEmpty } }

    public func erasurePreview(of user: String) async throws(StoreError) -> ErasurePreview? {
        guard erasures != nil else { return nil }
        return try await read { try UserInstallation.preview(of: user, $0) }
    }

    public func isErased(user id: String) -> Bool {
        guard let erasures, !state.withLock({ $0.erasedUsers.isEmpty }) else { return false }
        let identity = erasures.key.hash(user: id)
        return state.withLock { $0.erasedUsers.contains(identity) }
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

    public func firstEvent() async throws(StoreError) -> Timestamp? {
        try await read { db in
            let statement = try RawStatement(db, "SELECT min(quarter) FROM activity")
            defer { statement.reset() }
            guard try statement.step(), let quarter = statement.optionalInteger(0) else { return nil }
            return Timestamp(milliseconds: QuarterOfHour.start(of: quarter))
        }
    }

    public func trend(_ query: TrendQuery) async throws(StoreError) -> Trend {
        let (budget, clock, cohorts) = (budget, clock, try cohorts(in: [query.filter]))
        return try await read { try TrendRows.trend(query, budget: budget, clock: clock, cohorts: cohorts, $0) }
    }

    public func funnel(_ query: FunnelQuery) async throws(StoreError) -> Funnel {
        let (budget, clock, cohorts) = (budget, clock, try cohorts(in: query.steps))
        return try await read { try FunnelRows.funnel(query, budget: budget, clock: clock, cohorts: cohorts, $0) }
    }

    public func retention(_ query: RetentionQuery) async throws(StoreError) -> Retention {
        let (budget, clock, cohorts) = (budget, clock, try cohorts(in: [query.first, query.returning]))
        return try await read { try ActivityRows.retention(query, budget: budget, clock: clock, cohorts: cohorts, $0) }
    }

    public func lifecycle(_ query: ActivityQuery) async throws(StoreError) -> Lifecycle {
        let (budget, clock, cohorts) = (budget, clock, try cohorts(in: [query.filter]))
        return try await read { try ActivityRows.lifecycle(query, budget: budget, clock: clock, cohorts: cohorts, $0) }
    }

    public func stickiness(_ query: ActivityQuery) async throws(StoreError) -> Stickiness {
        let (budget, clock, cohorts) = (budget, clock, try cohorts(in: [query.filter]))
        return try await read { try ActivityRows.stickiness(query, budget: budget, clock: clock, cohorts: cohorts, $0) }
    }

    public func people(_ query: PointPeopleQuery) async throws(StoreError) -> PointPeople {
        let (budget, clock, cohorts) = (budget, clock, try cohorts(in: query.filters))
        return try await read { try PointPeopleRows.people(query, budget: budget, clock: clock, cohorts: cohorts, $0) }
    }

    public func paths(_ query: PathQuery) async throws(StoreError) -> Paths {
        let (budget, clock) = (budget, clock)
        return try await read { try PathRows.paths(query, budget: budget, clock: clock, $0) }
    }

    public func catalog(matching query: CatalogQuery) async throws(StoreError) -> EventCatalog {
        try await read { try CatalogRows.catalog(query, $0) }
    }

    public func description(of name: String, days: CatalogDays) async throws(StoreError) -> EventDescription? {
        let (limits, clock) = (descriptionLimits, clock)
        return try await read { try CatalogRows.description(of: name, days: days, limits: limits, clock: clock, $0) }
    }

    public func advance(
        _ tally: ExpectationTally,
        before end: EventPosition?
    ) async throws(StoreError) -> (tally: ExpectationTally, hasMore: Bool) {
        try await read { try ExpectationRows.advance(tally, before: end, $0) }
    }

    public func totals() async throws(StoreError) -> StoreTotals {
        // The totals are also available while the index is being built; `failureReason` then reports that they are
        // incomplete.
        let installations = try await readWhileBuilding { db in
            try Int64.fetchOne(db, sql: "SELECT count(*) FROM installations WHERE erased = 0") ?? 0
        }
        let (progress, erased, retention) = state.withLock { ($0.progress, $0.erased.count, $0.retention) }
        return StoreTotals(
            events: UInt64(clamping: progress.events),
            installations: UInt64(clamping: installations),
            failed: UInt64(clamping: progress.failed),
            duplicates: UInt64(clamping: progress.duplicates),
            damaged: UInt64(clamping: progress.damaged),
            erasedInstallations: UInt64(erased),
            erasedEvents: UInt64(clamping: progress.erased),
            failureReason: incompleteReason,
            retainedSince: retention.keptFrom,
            expiredEvents: UInt64(clamping: retention.events)
        )
    }

    /// Returns the cohorts that conditions name, as of now.
    func cohorts(in filters: [QueryFilter]) throws(StoreError) -> [String: Cohort] {
        let fields = filters.flatMap(\.fields)
        guard fields.contains(where: \.isOfPerson) else { return [:] }
        return try state.withLock { $0.cohorts }.cohorts(in: fields, at: clock.now().wall)
    }

    public func use(_ cohorts: any CohortDirectory) {
        state.withLock { $0.cohorts = cohorts }
    }

    /// Removes all traces of deleted rows from the files of the index.
    ///
    /// Deleted rows are overwritten in the file; the write-ahead log and damaged former files still contain them.
    ///
    /// - Throws: The error of SQLite, such as busy while a query is running, or of the storage.
    func discardRemovedPages() async throws {
        try await database.pool.writeWithoutTransaction { _ = try $0.checkpoint(.truncate) }
        try IndexDatabase.removeQuarantinedFile(of: path, storage)
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
        state.withLock { $0.onSuspectedCorruption = body }
    }

    /// Returns the damage to the files that has been detected so far, or nil.
    func damage() async -> String? {
        let (found, suspectedCorruption) = state.withLock { ($0.files.damage()?.description, $0.suspectedCorruption) }
        if let found { return found }
        guard let suspectedCorruption else { return nil }
        if suspectedCorruption.isCertain { return suspectedCorruption.text }
        // The cause of the error may be an invalid statement, which a rebuild would not fix.
        let fault = await database.findDamage()
        if fault == nil { state.withLock { $0.suspectedCorruption = nil } }
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
            // The old database is no longer needed; its remaining resources are freed with its last reader.
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
            state.erasedUsers = found.erasedUsers
            state.retention = found.retention
            state.needsRetainedState = RetainedState.exists(for: path)
            state.suspectedCorruption = nil
            state.failureReason = nil
            state.rebuilding = Self.damaged(path, reason)
            state.freshness.restart(at: found.progress.cursor)
            state.clearings += 1
        }
        signal.advance(to: found.progress.position)
    }

    /// Reports that the log ends at `end` and is on stable storage up to that position.
    ///
    /// Holds a lock briefly.
    func updateLogEnd(_ end: LogPosition) {
        let now = clock.now().monotonic
        state.withLock { $0.freshness.recordLogEnd(end, at: now) }
    }

    /// Reports that the log had records up to `end` when this index was opened.
    ///
    /// Queries fail until the index contains these records.
    func build(upTo end: LogPosition) {
        state.withLock { $0.freshness.build(upTo: end) }
    }

    /// Reports that the index is about to be emptied.
    ///
    /// Queries fail until the index is complete again.
    func prepareForClearing() {
        state.withLock { state in
            state.freshness.restart(at: .start)
            state.needsRetainedState = RetainedState.exists(for: path)
            state.clearings += 1
        }
    }

    /// The number of times that this process emptied or replaced the index.
    ///
    /// Row numbers read earlier are valid as long as it is the same.
    var clearings: Int { state.withLock { $0.clearings } }

    /// The progress as of the last completed transaction.
    var progressNow: IndexProgress { state.withLock { $0.progress } }

    /// Publishes the result of a transaction.
    ///
    /// - Parameters:
    ///   - users: All erased users; nil if the transaction erased none.
    ///   - isReset: Whether the transaction cleared everything before its end.
    func publish(
        _ progress: IndexProgress,
        erased: Set<InstallationID>,
        users: Set<IdentityHash>? = nil,
        isReset: Bool = false,
        retention: RetentionBoundary? = nil
    ) {
        state.withLock { state in
            state.progress = progress
            if let retention { state.retention = retention }
            if isReset {
                state.erased = []
                state.erasedUsers = []
                state.retention.keptFrom = nil
                state.retention.events = 0
                state.retention.failed = 0
                state.beginning = progress.position
                state.clearings += 1
            }
            state.erased.formUnion(erased)
            if let users { state.erasedUsers = users }
            state.failureReason = nil
            state.advance(to: progress.cursor)
        }
        signal.advance(to: progress.position)
    }

    public var retainedSince: Timestamp? { state.withLock { $0.retention.keptFrom } }

    /// The boundary of the kept records.
    var retention: RetentionBoundary { state.withLock { $0.retention } }

    /// The position of the first record in the log, or of the first one that is kept.
    var beginningOfLog: LogPosition {
        let first = retention.first
        return first == .start ? .start : LogPosition(segment: first.segment, offset: first.offset)
    }

    /// The position up to which the log is known to be indexed.
    var indexedEnd: LogPosition { state.withLock { $0.freshness.indexed } }

    /// Whether the index must begin with the retained state before it can follow the log.
    var needsRetainedState: Bool { state.withLock { $0.needsRetainedState } }

    /// Reports that records up to an arrival time are about to be removed.
    func announce(keptFrom: Timestamp) {
        state.withLock { $0.retention.keptFrom = max($0.retention.keptFrom ?? keptFrom, keptFrom) }
    }

    /// Begins an empty or outdated index with the retained state.
    ///
    /// - Throws: ``StoreError``; the index is then unchanged.
    func beginWithRetainedState() async throws(StoreError) {
        try await RetainedState.begin(database, path)
        try adopt(isBeginning: true)
    }

    /// Takes the sums of the retained state after the log was read up to its position.
    ///
    /// - Throws: ``StoreError``; the index is then unchanged.
    func completeWithRetainedState(at end: LogPosition) async throws(StoreError) {
        try await RetainedState.complete(database, path, at: end)
        try adopt(isBeginning: false)
    }

    private func adopt(isBeginning: Bool) throws(StoreError) {
        let found: FoundIndex
        do {
            found = try FoundIndex(database)
        } catch {
            throw StoreError("The index \(path) cannot be read: \(error).")
        }
        state.withLock { state in
            state.progress = found.progress
            state.erased = found.erased
            state.erasedUsers = found.erasedUsers
            state.retention = found.retention
            state.needsRetainedState = false
            state.failureReason = nil
            if isBeginning {
                state.freshness.restart(at: found.progress.cursor)
                state.clearings += 1
            }
            state.advance(to: found.progress.cursor)
        }
        signal.advance(to: found.progress.position)
    }

    /// Replaces the retained state by the current one, if there is any.
    ///
    /// Called after data was removed from the index, which must not remain in the file.
    ///
    /// - Throws: SQLite errors or `StorageError`; the old file then remains.
    func renewRetainedState() throws {
        guard RetainedState.exists(for: path) else {
            return try RetainedState.removeUnfinishedFile(for: path, storage)
        }
        try RetainedState.write(for: path, storage: storage)
    }

    /// Saves the retained state.
    ///
    /// - Throws: SQLite errors or `StorageError`; the old file then remains.
    func saveRetainedState() throws { try RetainedState.write(for: path, storage: storage) }

    /// The bytes of the index's file that contain rows.
    func usedBytes() async throws -> Int {
        try await database.pool.read { db in
            let pages = try Int.fetchOne(db, sql: "PRAGMA page_count") ?? 0
            let free = try Int.fetchOne(db, sql: "PRAGMA freelist_count") ?? 0
            let size = try Int.fetchOne(db, sql: "PRAGMA page_size") ?? 0
            return (pages - free) * size
        }
    }

    /// Reports that the index contains everything in the log up to `end`.
    ///
    /// Readers that wait for this position are resumed.
    ///
    /// The last record of a segment ends before the start of the next segment, which may still be empty.
    func markCaughtUp(to end: LogPosition) {
        state.withLock { state in
            state.failureReason = nil
            state.advance(to: end)
        }
        let position = EventPosition(segment: end.segment, offset: end.offset)
        if signal.position < position { signal.advance(to: position) }
    }

    /// Reports that a range of the log was indexed.
    func recordIndexed(logBytes: Int, bodyBytes: Int) {
        state.withLock { $0.space.recordIndexed(logBytes: logBytes, bodyBytes: bodyBytes) }
    }

    /// The free bytes on the index's disk; nil if unknown.
    var freeBytes: Int? {
        let folder = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
        return storage.freeBytes(at: folder.isEmpty ? "/" : folder)
    }

    /// Reports that the index currently cannot follow the log.
    func recordFailure(_ failureReason: String) {
        state.withLock { $0.failureReason = failureReason }
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
        // The index may have been emptied during the read.
        try checkIsReadable()
        return result
    }

    /// Throws while the index is being built or rebuilt.
    ///
    /// The index then lacks records that the log had at the start, so results would appear complete although they are
    /// not.
    private func checkIsReadable() throws(StoreError) {
        guard isBuilding else { return }
        throw .behind(failureReason ?? "The index \(path) is catching up with the intake log.")
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
            recordSuspectedCorruption(error)
            throw StoreError("The index \(path) cannot be queried: \(error).")
        }
    }

    /// Reports a reader's error to the indexer if damage may be the cause.
    private func recordSuspectedCorruption(_ error: any Error) {
        let evidence = IndexDatabase.evidence(in: error)
        guard evidence != .unrelated else { return }
        let call = state.withLock { state in
            if state.suspectedCorruption?.isCertain != true {
                state.suspectedCorruption = ("\(error)", evidence == .corrupt)
            }
            return state.onSuspectedCorruption
        }
        call()
    }
}
