// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import Collector
internal import GRDB
public import TrackwayEvents
public import TrackwayJournal

/// The index in one SQLite file: what pages and queries read, and what the ``Indexer`` writes.
///
/// Reads see the last complete transaction and never wait for the indexer, nor it for them. Callable from any task.
public final class SQLiteEventStore: EventStore {
    /// The file's path.
    public let path: String
    let signal: ProgressSignal
    let storage: any JournalStorage
    private let timeout: Duration
    let clock: any EventClock
    let budget: QuestionBudget
    /// Whether a visitor who signs in and the user are one person.
    let joinsVisitors: Bool
    private let descriptionLimits: EventDescription.Limits
    private let checkpoints: CheckpointPlan
    private let state: Locked<State>

    private struct State: Sendable {
        var database: IndexDatabase
        var files: IndexFiles
        var progress: IndexProgress
        var erased: Set<InstallationID>
        /// Where the last reset ends, if this process met one.
        var beginning = EventPosition.start
        /// Why the index does not follow.
        var trouble: String?
        /// Whether it has what the log has.
        var freshness: IndexFreshness
        var space = IndexSpace()
        /// Why it was made anew, if it was.
        var rebuilding: String?
        /// What a reader met that may be damage, and whether it is certain.
        var suspicion: (text: String, isCertain: Bool)?
        var suspected: @Sendable () -> Void = {}
        var isClosed = false

        /// The index has come to a place in the log.
        mutating func reached(_ position: LogPosition) {
            freshness.reached(position)
            if !freshness.isBuilding { rebuilding = nil }
        }

        /// Whether it lacks what was in the log when it began, so that no answer can be relied on.
        var isBuilding: Bool { freshness.isBuilding || rebuilding != nil }
    }

    /// Opens the index at `path`, making it when missing; its folder must exist.
    ///
    /// A damaged file is renamed (`.damaged`) and a new, empty one begun: the indexer fills it again from the log.
    ///
    /// - Parameters:
    ///   - path: the file; SQLite puts two more beside it.
    ///   - storage: how a damaged file is renamed.
    ///   - timeout: how long a write waits for another process that holds the file.
    ///   - clock: measures how long a question takes.
    ///   - budget: what one question may cost.
    ///   - descriptionLimits: how much the description of an event looks at.
    ///   - keepsFormer: whether an index of an older version, which has to be made anew, is put aside (``former``) and not removed.
    ///   - checkpoints: when what was written is copied into the file.
    ///   - joinsVisitors: Whether a visitor who signs in and the user are one person. A file must always be opened with the same value.
    /// - Throws: ``StoreError`` when the file cannot be used, or was made by a newer version.
    public init(
        path: String,
        storage: any JournalStorage = DiskStorage(),
        timeout: Duration = .seconds(2),
        clock: any EventClock = SystemClock(),
        budget: QuestionBudget = QuestionBudget(),
        descriptionLimits: EventDescription.Limits = EventDescription.Limits(),
        keepsFormer: Bool = false,
        checkpoints: CheckpointPlan = CheckpointPlan(),
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
            keepsFormer: keepsFormer,
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
        "The index \(path) was damaged (\(reason)); it is being made anew from the intake log."
    }

    /// The file that is in use.
    var database: IndexDatabase { state.withLock { $0.database } }

    /// Where a damaged index was put; nil when there was none.
    public var putAside: String? { database.putAside?.path }

    public var trouble: String? {
        state.withLock { state in
            if let trouble = state.trouble ?? state.rebuilding { return trouble }
            guard state.isBuilding else { return nil }
            return state.progress.cursor == .start
                ? "The index \(path) is being made from the intake log."
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

    /// About how many bytes the index still needs for what the log holds up to `end`, at most 1 GiB. Answers from memory.
    ///
    /// - Parameter segmentBytes: how long a segment of the log is.
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

    public func found(_ search: EventSearch) async throws(StoreError) -> FoundEvents {
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

    public func failedGroups(in time: QuestionTime) async throws(StoreError) -> FailedGroups {
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

    public func funnel(_ question: FunnelQuestion) async throws(StoreError) -> Funnel {
        let (budget, clock) = (budget, clock)
        return try await read { try FunnelRows.funnel(question, budget: budget, clock: clock, $0) }
    }

    public func retention(_ question: RetentionQuestion) async throws(StoreError) -> Retention {
        let (budget, clock) = (budget, clock)
        return try await read { try ActivityRows.retention(question, budget: budget, clock: clock, $0) }
    }

    public func lifecycle(_ question: ActivityQuestion) async throws(StoreError) -> Lifecycle {
        let (budget, clock) = (budget, clock)
        return try await read { try ActivityRows.lifecycle(question, budget: budget, clock: clock, $0) }
    }

    public func stickiness(_ question: ActivityQuestion) async throws(StoreError) -> Stickiness {
        let (budget, clock) = (budget, clock)
        return try await read { try ActivityRows.stickiness(question, budget: budget, clock: clock, $0) }
    }

    public func paths(_ question: PathQuestion) async throws(StoreError) -> Paths {
        let (budget, clock) = (budget, clock)
        return try await read { try PathRows.paths(question, budget: budget, clock: clock, $0) }
    }

    public func catalogue(matching query: CatalogueQuery) async throws(StoreError) -> Catalogue {
        try await read { try CatalogueRows.catalogue(query, $0) }
    }

    public func description(of name: String, days: CatalogueDays) async throws(StoreError) -> EventDescription? {
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
        // Read also while the index is being made: `trouble` says then that the numbers are not all.
        let installations = try await readAnyhow { db in
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

    /// Ends the progress streams and closes the file. Queries in flight are finished first; a second close does nothing.
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
            // The log beside the file stays and is read at the next opening.
        }
        do {
            try database.close()
        } catch {
            throw StoreError("The index \(path) cannot be closed: \(error).")
        }
    }

    // MARK: For the indexer

    /// Has `body` called whenever a reader meets damage.
    func onSuspicion(_ body: @escaping @Sendable () -> Void) {
        state.withLock { $0.suspected = body }
    }

    /// What is wrong with the files, as far as anybody has met it; nil when nothing is.
    func damage() async -> String? {
        let (found, suspicion) = state.withLock { ($0.files.damage()?.description, $0.suspicion) }
        if let found { return found }
        guard let suspicion else { return nil }
        if suspicion.isCertain { return suspicion.text }
        // A statement of ours may be at fault, and throwing the index away would not mend that.
        let fault = await database.fault()
        if fault == nil { state.withLock { $0.suspicion = nil } }
        return fault
    }

    /// Puts the file aside and begins a new one, which then has to be filled from the log. Questions that are being answered
    /// fail once.
    ///
    /// - Throws: ``StoreError`` when that is not possible now.
    func replace(because reason: String) throws(StoreError) {
        let old = database
        do {
            try old.close()
        } catch {
            // It is not needed any more; what it still holds is freed with the last reader.
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

    /// The log ends at `end`, and all before it is on stable storage.
    ///
    /// Costs a short lock.
    func logged(_ end: LogPosition) {
        let now = clock.now().monotonic
        state.withLock { $0.freshness.logged(end, at: now) }
    }

    /// The log had records up to `end` when this index was opened: nothing is answered before they are in it.
    func build(upTo end: LogPosition) {
        state.withLock { $0.freshness.build(upTo: end) }
    }

    /// The index is about to be emptied: nothing is answered before it has everything again.
    func emptying() {
        state.withLock { $0.freshness.restart(at: .start) }
    }

    /// The progress of the last complete transaction.
    var progressNow: IndexProgress { state.withLock { $0.progress } }

    /// A transaction is complete: tells everybody who waits.
    ///
    /// - Parameter isReset: whether it has forgotten everything before where it ends.
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

    /// The index follows, and what the log holds up to `end` has nothing more to enter: whoever waits for that place has waited
    /// long enough. The last record of a segment ends before the next segment begins, which may still be empty.
    func caughtUp(to end: LogPosition) {
        state.withLock { state in
            state.trouble = nil
            state.reached(end)
        }
        let position = EventPosition(segment: end.segment, offset: end.offset)
        if signal.position < position { signal.advance(to: position) }
    }

    /// A stretch of the log was entered.
    func entered(logBytes: Int, bodyBytes: Int) {
        state.withLock { $0.space.entered(logBytes: logBytes, bodyBytes: bodyBytes) }
    }

    /// Bytes that are free on the index's disk; nil where that cannot be found out.
    var freeBytes: Int? {
        let folder = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
        return storage.freeBytes(at: folder.isEmpty ? "/" : folder)
    }

    /// The index does not follow at the moment.
    func recordFailure(_ trouble: String) {
        state.withLock { $0.trouble = trouble }
    }

    /// Reads in one transaction, beside the indexer.
    ///
    /// - Throws: ``StoreError``, of the kind `behind` while the index lacks what the log had when it began; what `body` throws, if it is
    ///   one.
    func read<Result: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Result
    ) async throws(StoreError) -> Result {
        try checkIsReadable()
        let result = try await readAnyhow(body)
        // It may have been emptied meanwhile.
        try checkIsReadable()
        return result
    }

    /// Refuses a reader while the index lacks what the log had when it began: what it would find looks complete and is not.
    private func checkIsReadable() throws(StoreError) {
        guard isBuilding else { return }
        throw .behind(trouble ?? "The index \(path) is catching up with the intake log.")
    }

    /// The same, also while the index is being made.
    private func readAnyhow<Result: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Result
    ) async throws(StoreError) -> Result {
        do {
            return try await database.pool.read(body)
        } catch let error as StoreError {
            throw error
        } catch is CancellationError {
            throw StoreError("The question was given up.")
        } catch {
            suspect(error)
            throw StoreError("The index \(path) cannot answer: \(error).")
        }
    }

    /// A reader failed: when damage may be why, the indexer has to look.
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
