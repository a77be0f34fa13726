// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Trackway
internal import TrackwayCore
internal import TrackwayJournal
internal import TrackwayLifecycle

/// Migrates the state of the app's older SDK, once.
///
/// The migration happens at the first start of a new installation, in these steps: ``begin()`` determines whether the
/// installation is new, before the installation has an identity. ``change`` is applied to the settings.
/// ``finishSettings(isPersisted:)`` stores the rest. ``importEvents(_:)`` records pending events. The completion of
/// each step is stored before the next step begins; a step that a process did not complete is repeated at the next
/// start. Only one process of an installation migrates; a lock next to the file determines which.
final class LegacyMigrator: InstallationMigrator {
    private struct State: Sendable {
        /// The progress; nil if nothing is migrated.
        var record: MigrationState?
        var lock: (any StorageLock)?
        var legacyState: LegacyState?
        /// Whether an earlier process may have recorded rows beyond the stored progress.
        ///
        /// The record does not list these rows yet.
        var isRepeated = false
        /// Whether the record is on disk.
        var isPersisted = true
        /// Whether a problem with reading the older SDK was already reported.
        var isDelayed = false

        mutating func release() {
            lock?.release()
            lock = nil
        }
    }

    let legacySDK: LegacySDK?
    let limits: EventLimits
    let reporter: DiagnosticReporter
    let dependencies: Dependencies
    private let omitsDeviceID: Bool
    private let file: StateFile<MigrationState>
    private let state = Locked(State())

    init(
        _ legacySDK: LegacySDK,
        _ configuration: Configuration,
        in dependencies: Dependencies,
        _ reporter: DiagnosticReporter
    ) {
        // Tests of an app run in a separate environment, in which no older SDK ran.
        let isTest = configuration.dependencySource != nil
        self.legacySDK = isTest && legacySDK.isSystemLocation ? nil : legacySDK
        limits = configuration.limits
        omitsDeviceID = configuration.privacy.omittedContext.contains(.deviceID)
        self.dependencies = dependencies
        self.reporter = reporter
        file = StateFile("takeover", in: dependencies.folder, of: dependencies.storage, format: .json)
    }

    deinit {
        state.withLock { $0.release() }
    }

    // MARK: Results

    /// The migrated state.
    var result: MigrationResult? { state.withLock { $0.record?.report } }

    /// The initial state of the lifecycle state machines: the older SDK's, or empty.
    var initialLifecycle: LifecycleStateMachine {
        state.withLock { $0.record?.behavior }.map { LifecycleStateMachine(continuing: $0) } ?? LifecycleStateMachine()
    }

    /// Adds data about the app and the device that only the older SDK had.
    func complete(_ context: inout RecordedContext) {
        var (app, device) = (context.app, context.device)
        complete(app: &app, device: &device)
        (context.app, context.device) = (app, device)
    }

    /// Removes the data that ``complete(_:)`` adds.
    func forget(in context: inout RecordedContext) {
        guard let result else { return }
        if result.firstDay != nil { context.app[Self.firstDay] = nil }
        if let id = result.vendorID, context.device["id"] == .string(id) { context.device["id"] = nil }
    }

    /// Returns dependencies whose facts always include the older SDK's data.
    func completing(_ dependencies: Dependencies) -> Dependencies {
        guard legacySDK != nil, let refresh = dependencies.refreshFacts else { return dependencies }
        var dependencies = dependencies
        dependencies.refreshFacts = { [weak self] in
            var facts = refresh()
            self?.complete(app: &facts.app, device: &facts.device)
            return facts
        }
        return dependencies
    }

    private func complete(app: inout Attributes, device: inout Attributes) {
        guard let result else { return }
        if let day = result.firstDay { app[Self.firstDay] = .string(day) }
        // The system's own value takes precedence.
        if let id = result.vendorID, device["id"] == nil, !omitsDeviceID { device["id"] = .string(id) }
    }

    private static let firstDay = "first_day"

    // MARK: Steps

    /// Determines what to migrate.
    ///
    /// Call this before the installation gets an identity, and again if its folder could not be used.
    func begin() {
        guard legacySDK != nil else { return }
        do throws(StorageError) {
            var found = try storedRecord()
            if found == nil { found = try newRecord() }
            // Another process performs the migration, or there is nothing to migrate.
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
            // If the first unlock of the device may resolve the error, the migration is retried then.
            if dependencies.availability?.isTemporary(error) ?? false { return }
            reporter.report(
                Diagnostic(
                    notMigrated: "takeover",
                    "\(error)",
                    "The state of an older SDK was not migrated because a file could not be written (\(error)). It "
                        + "is left in place.",
                    recoverySuggestion: "Free some space, or make the storage folder writable, before the first start."
                )
            )
        }
    }

    private func storedRecord() throws(StorageError) -> MigrationState? {
        switch try file.read() {
        case .missing: return nil
        case .stored(let record, _): return record
        case .damaged(let what):
            // Migrating twice would be worse than losing the record of what was migrated.
            reporter.report(
                Diagnostic(
                    notMigrated: "takeover",
                    what,
                    "The migration record is damaged (\(what)). Nothing more is migrated, and what was already "
                        + "migrated is kept."
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

    /// A closure that migrates the older SDK's state into the settings.
    ///
    /// nil if nothing is to be migrated.
    var change: (@Sendable (inout Settings) -> Void)? {
        guard let legacyState = read() else { return nil }
        let now = dependencies.clock.now().wall
        return { $0.migrate(legacyState.person, legacyState.global, at: now) }
    }

    /// Returns the older SDK's state if it has not been migrated yet.
    ///
    /// Reads the state only once.
    private func read() -> LegacyState? {
        let (record, lock, legacyState) = state.withLock { ($0.record, $0.lock, $0.legacyState) }
        guard let legacySDK, record?.stage == .begun, lock != nil else { return nil }
        if let legacyState { return legacyState }
        do throws(StorageError) {
            let legacyState = try legacySDK.state(limits)
            state.withLock { $0.legacyState = legacyState }
            return legacyState
        } catch {
            let isFirst = state.withLock { state in
                defer { state.isDelayed = true }
                return !state.isDelayed
            }
            if isFirst { reporter.report(Diagnostic(delayed: legacySDK.name, error)) }
            return nil
        }
    }

    /// Stores what the settings do not contain, and reports what was migrated.
    ///
    /// - Parameter isPersisted: Whether the settings are on disk; if they are not, the next start repeats everything.
    func finishSettings(isPersisted: Bool) {
        guard isPersisted, let legacySDK, let legacyState = read() else { return }
        var record = MigrationState(.importing)
        record.behavior = legacyState.lifecycle == LegacyLifecycle() ? nil : legacyState.lifecycle
        var report = MigrationResult(origin: legacySDK.name)
        report.fill(from: legacyState)
        record.report = legacyState.isEmpty ? nil : report
        guard persist(record) else {
            // The lifecycle state machines continue from this state immediately; everything else is left for the next
            // start.
            return state.withLock { state in
                state.record = record
                state.isPersisted = false
            }
        }
        reporter.report(legacyState.problems)
        if !legacyState.isEmpty { reporter.report(Diagnostic(report)) }
    }

    /// Prevents further migration, because all data is being erased.
    func cancelMigration() throws(StorageError) {
        guard legacySDK != nil || file.storedValue != nil else { return }
        try file.write(MigrationState(.closed))
        state.withLock { state in
            state.record = MigrationState(.closed)
            state.release()
            state.legacyState = nil
        }
    }

    // MARK: The record

    /// The pending import, and whether parts of it may already be recorded.
    ///
    /// nil if nothing is pending.
    var pendingImport: (record: MigrationState, isRepeated: Bool)? {
        state.withLock { state in
            guard let record = state.record, record.stage == .importing, state.lock != nil, state.isPersisted else {
                return nil
            }
            return (record, state.isRepeated)
        }
    }

    var hasPendingImport: Bool { pendingImport != nil }

    /// Stores a record.
    ///
    /// - Returns: False if the record cannot be written, which is reported.
    @discardableResult
    func persist(_ record: MigrationState) -> Bool {
        do throws(StorageError) {
            try file.write(record)
        } catch {
            reporter.report(Diagnostic(delayed: legacySDK?.name ?? "", error))
            return false
        }
        state.withLock { state in
            // If everything was erased in the meantime, the erased data must not return.
            guard state.record?.stage != .closed else { return }
            state.record = record
            if !record.isUnfinished { state.release() }
        }
        return true
    }
}

extension Settings {
    /// Adds the older SDK's state where this SDK has set nothing.
    mutating func migrate(_ person: LegacyUser, _ global: Attributes, at now: Timestamp) {
        let before = identity.user
        identity.migrate(from: person, at: now)
        if before == nil, let user = identity.user { _ = consent.signIn(user) }
        self.global = global.merging(self.global)
    }
}

extension MigrationResult {
    /// Sets the values that were found in the older SDK's state.
    fileprivate mutating func fill(from legacyState: LegacyState) {
        user = legacyState.person.user
        anonymousID = legacyState.person.anonymousID
        uniqueID = legacyState.person.uniqueID
        firstTouch = legacyState.person.firstTouch
        firstDay = legacyState.firstDay
        vendorID = legacyState.vendorID
        wasOpened = legacyState.lifecycle.wasOpened
        sessionNumber = legacyState.lifecycle.session?.number
        appVersion = legacyState.lifecycle.appVersion
        systemVersion = legacyState.lifecycle.systemVersion
        knownUsers = legacyState.person.known.count
        userAttributes = legacyState.person.attributes.map(\.name)
        globalAttributes = legacyState.global.keys
        problems = legacyState.problems.map(\.migrationSentence)
    }
}

extension Diagnostic {
    /// Creates the diagnostic for a step that is postponed.
    init(delayed origin: String, _ error: StorageError) {
        self.init(
            code: .takeOverDelayed,
            field: origin,
            value: "\(error)",
            message: "The state of \(origin) could not be migrated now (\(error)). The next start will try "
                + "again, and nothing is lost.",
            recoverySuggestion: "Make the app's folders readable and writable."
        )
    }
}
