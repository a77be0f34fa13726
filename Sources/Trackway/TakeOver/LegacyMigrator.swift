// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayBehavior
internal import TrackwayEvents
internal import TrackwayJournal
internal import TrackwayPlatform

/// Migrates the state of an older SDK of the app, once.
///
/// This happens at the first start of a new installation. These are the steps: ``begin()`` determines, before the
/// installation has an identity, that it is new. ``takeOver(into:)`` changes the settings. ``settle(isKept:)`` stores
/// the rest. ``importEvents(_:)`` records pending events. Each step is stored before the next one, and repeated by the
/// next start if a process ended in between. Only one process of an installation migrates; a lock next to the file
/// determines which.
final class LegacyMigrator: Sendable {
    private struct State: Sendable {
        /// nil if nothing is migrated.
        var record: MigrationState?
        var lock: (any StorageLock)?
        var former: LegacyState?
        /// Whether an earlier process may have recorded unlisted rows.
        ///
        /// The record does not contain these rows yet.
        var isRepeated = false
        /// Whether the record is on disk.
        var isKept = true
        /// Whether a problem with reading the older SDK was already reported.
        var isDelayed = false

        mutating func release() {
            lock?.release()
            lock = nil
        }
    }

    let predecessor: LegacySDK?
    let limits: EventLimits
    let reporter: DiagnosticReporter
    let dependencies: Dependencies
    private let file: StateFile<MigrationState>
    private let state = Locked(State())

    init(_ configuration: Configuration, in dependencies: Dependencies, _ reporter: DiagnosticReporter) {
        // An app's tests run in a separate environment, in which no older SDK ran.
        let isTest = configuration.dependencySource != nil
        predecessor = configuration.predecessor.flatMap { isTest && $0.isOfSystem ? nil : $0 }
        limits = configuration.limits
        self.dependencies = dependencies
        self.reporter = reporter
        file = StateFile("takeover", in: dependencies.folder, of: dependencies.storage, format: .json)
    }

    deinit {
        state.withLock { $0.release() }
    }

    // MARK: Results

    /// The migrated state.
    var report: MigrationResult? { state.withLock { $0.record?.report } }

    /// The initial state of the behavior machines: the older SDK's, or empty.
    var behavior: LifecycleStateMachine {
        state.withLock { $0.record?.behavior }.map { LifecycleStateMachine(continuing: $0) } ?? LifecycleStateMachine()
    }

    /// Adds data about the app and the device that only the older SDK had.
    func complete(_ context: inout RecordedContext) {
        complete(app: &context.app, device: &context.device)
    }

    /// Removes the data that ``complete(_:)`` adds.
    func forget(in context: inout RecordedContext) {
        guard let report else { return }
        if report.firstDay != nil { context.app[Self.firstDay] = nil }
        if let id = report.vendorID, context.device["id"] == .string(id) { context.device["id"] = nil }
    }

    /// Returns dependencies whose facts always include the older SDK's data.
    func completing(_ dependencies: Dependencies) -> Dependencies {
        guard predecessor != nil, let refresh = dependencies.refreshFacts else { return dependencies }
        var dependencies = dependencies
        dependencies.refreshFacts = { [weak self] in
            var facts = refresh()
            self?.complete(app: &facts.app, device: &facts.device)
            return facts
        }
        return dependencies
    }

    private func complete(app: inout Attributes, device: inout Attributes) {
        guard let report else { return }
        if let day = report.firstDay { app[Self.firstDay] = .string(day) }
        // The system's own value takes precedence.
        if let id = report.vendorID, device["id"] == nil { device["id"] = .string(id) }
    }

    private static let firstDay = "first_day"

    // MARK: Steps

    /// Determines what to migrate.
    ///
    /// Call this before the installation gets an identity, and again if its folder could not be used.
    func begin() {
        guard predecessor != nil else { return }
        do throws(StorageError) {
            var found = try kept()
            if found == nil { found = try newRecord() }
            // Another process migrates, or there is nothing to migrate.
            guard let record = found else { return state.withLock { $0.record = nil } }
            guard state.withLock({ $0.lock == nil }) else { return }
            let lock = record.isUnfinished ? try file.lock() : nil
            state.withLock { state in
                state.isRepeated = record.stage == .importing
                state.record = record
                state.lock = lock
            }
        } catch {
            state.withLock { $0.record = nil }
            // If the first unlock resolves the error, the migration is retried then.
            if dependencies.availability?.isTemporary(error) ?? false { return }
            reporter.report(
                Diagnostic(
                    notTakenOver: "takeover",
                    "\(error)",
                    "The state of an older SDK was not migrated because a file could not be written (\(error)). It "
                        + "stays where it is.",
                    recoverySuggestion: "Free some space, or make the storage folder writable, before the first start."
                )
            )
        }
    }

    private func kept() throws(StorageError) -> MigrationState? {
        switch try file.read() {
        case .nothing: return nil
        case .kept(let record, _): return record
        case .damaged(let what):
            // Migrating twice would be worse than not knowing what was migrated.
            reporter.report(
                Diagnostic(
                    notTakenOver: "takeover",
                    what,
                    "The record of the migration is damaged (\(what)). Nothing more is migrated, and what was "
                        + "migrated stays."
                )
            )
            return MigrationState(.closed)
        }
    }

    /// Returns the stored record of a new installation.
    ///
    /// nil if the installation is not new.
    private func newRecord() throws(StorageError) -> MigrationState? {
        guard try !Journal.installationExists(in: dependencies.folder, of: dependencies.storage) else { return nil }
        // A device that was restored from a backup, or received another device's app data, had an installation before.
        if let backup = dependencies.backup, try disk.size(of: "\(backup.folder)/\(backup.name)") != nil { return nil }
        let record = MigrationState(.begun)
        try dependencies.storage.makeFolder(dependencies.folder)
        try file.write(record)
        return record
    }

    private var disk: any JournalStorage {
        (dependencies.storage as? EncryptedStorage)?.base ?? dependencies.storage
    }

    /// Migrates users and global attributes into writable settings, then stores the rest.
    func takeOver(into settings: SettingsFile) {
        guard let change else { return }
        let (_, failure) = settings.changeWithoutReporting(change)
        if let failure { settings.report(failure) }
        settle(isKept: failure == nil)
    }

    /// The migration's change of the settings.
    ///
    /// nil if nothing is to be migrated.
    var change: (@Sendable (inout Settings) -> Void)? {
        guard let former = read() else { return nil }
        let now = dependencies.clock.now().wall
        return { $0.takeOver(former.person, former.global, at: now) }
    }

    /// Returns the older SDK's state if it is still to be migrated.
    ///
    /// Reads it once.
    private func read() -> LegacyState? {
        let (record, lock, former) = state.withLock { ($0.record, $0.lock, $0.former) }
        guard let predecessor, record?.stage == .begun, lock != nil else { return nil }
        if let former { return former }
        do throws(StorageError) {
            let former = try predecessor.state(limits)
            state.withLock { $0.former = former }
            return former
        } catch {
            let isFirst = state.withLock { state in
                defer { state.isDelayed = true }
                return !state.isDelayed
            }
            if isFirst { reporter.report(Diagnostic(delayed: predecessor.name, error)) }
            return nil
        }
    }

    /// Stores what the settings do not contain, and reports what was migrated.
    ///
    /// - Parameter isKept: Whether the settings are on disk; if not, the next start repeats everything.
    func settle(isKept: Bool) {
        guard isKept, let predecessor, let former = read() else { return }
        var record = MigrationState(.importing)
        record.behavior = former.behavior == LegacyLifecycle() ? nil : former.behavior
        var report = MigrationResult(origin: predecessor.name)
        report.take(former)
        record.report = former.isEmpty ? nil : report
        guard keep(record) else {
            // The behavior machines continue from this state now; everything else is left to the next start.
            return state.withLock { state in
                state.record = record
                state.isKept = false
            }
        }
        reporter.report(former.problems)
        if !former.isEmpty { reporter.report(Diagnostic(report)) }
    }

    /// Prevents further migration, because the user erases all data.
    func close() throws(StorageError) {
        guard predecessor != nil || file.readable != nil else { return }
        try file.write(MigrationState(.closed))
        state.withLock { state in
            state.record = MigrationState(.closed)
            state.release()
            state.former = nil
        }
    }

    // MARK: The record

    /// The pending import, and whether parts of it may already be recorded.
    ///
    /// nil if nothing is pending.
    var importing: (record: MigrationState, isRepeated: Bool)? {
        state.withLock { state in
            guard let record = state.record, record.stage == .importing, state.lock != nil, state.isKept else {
                return nil
            }
            return (record, state.isRepeated)
        }
    }

    /// Stores a record.
    ///
    /// - Returns: False if the disk does not accept the record, which is reported.
    @discardableResult
    func keep(_ record: MigrationState) -> Bool {
        do throws(StorageError) {
            try file.write(record)
        } catch {
            reporter.report(Diagnostic(delayed: predecessor?.name ?? "", error))
            return false
        }
        state.withLock { state in
            // If everything was erased in the meantime, no erased data may return.
            guard state.record?.stage != .closed else { return }
            state.record = record
            if !record.isUnfinished { state.release() }
        }
        return true
    }
}

extension Settings {
    /// Applies the older SDK's state where nothing was set here.
    mutating func takeOver(_ person: LegacyUser, _ global: Attributes, at now: Timestamp) {
        let before = identity.user
        identity.takenOver(person, at: now)
        if before == nil, let user = identity.user { _ = consent.signedIn(user) }
        self.global = global.merging(self.global)
    }
}

extension MigrationResult {
    /// Sets the values that were found.
    fileprivate mutating func take(_ former: LegacyState) {
        user = former.person.user
        anonymousID = former.person.anonymousID
        uniqueID = former.person.uniqueID
        firstTouch = former.person.firstTouch
        firstDay = former.firstDay
        vendorID = former.vendorID
        wasOpened = former.behavior.wasOpened
        sessionNumber = former.behavior.session?.number
        appVersion = former.behavior.appVersion
        systemVersion = former.behavior.systemVersion
        knownUsers = former.person.known.count
        userAttributes = former.person.attributes.map(\.name)
        globalAttributes = former.global.keys
        problems = former.problems.map(\.takeOverSentence)
    }
}

extension Diagnostic {
    /// Creates the diagnostic for a step that is postponed.
    init(delayed origin: String, _ error: StorageError) {
        self.init(
            code: .takeOverDelayed,
            field: origin,
            value: "\(error)",
            message: "The state of \(origin) could not be migrated now (\(error)). The next start tries again, and "
                + "nothing is lost.",
            recoverySuggestion: "Make the app's folders readable and writable."
        )
    }
}
