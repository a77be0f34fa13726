// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayBehavior
internal import TrackwayEvents
internal import TrackwayJournal
internal import TrackwayPlatform

/// Takes over what an older SDK of the app left, once, at the first start of a new installation.
///
/// The steps: ``begin()`` decides, before the installation has an identity, that it is new; ``takeOver(into:)`` changes the settings;
/// ``settle(isKept:)`` keeps the rest; ``importEvents(_:)`` records what waited. Each is kept before the next, and made again by the
/// next start where a process ended in between. One process of an installation does it; a lock beside the file says which.
final class TakingOver: Sendable {
    private struct State: Sendable {
        /// nil when nothing is taken over.
        var record: TakeOverRecord?
        var lock: (any StorageLock)?
        var former: FormerState?
        /// Whether an earlier process may have recorded rows already that the record does not know of.
        var isRepeated = false
        /// Whether the record is on the disk.
        var isKept = true
        /// Whether the predecessor cannot be read now.
        var isDelayed = false

        mutating func release() {
            lock?.release()
            lock = nil
        }
    }

    let predecessor: Predecessor?
    let limits: EventLimits
    let reporter: DiagnosticReporter
    let dependencies: Dependencies
    private let file: StateFile<TakeOverRecord>
    private let state = Locked(State())

    init(_ configuration: Configuration, in dependencies: Dependencies, _ reporter: DiagnosticReporter) {
        // An app's tests have a device of their own, on which nobody was before.
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

    // MARK: What there is

    /// What was taken over.
    var report: MigrationResult? { state.withLock { $0.record?.report } }

    /// What the app's behaviour begins with: what the older SDK saw, or nothing.
    var behavior: AppBehavior {
        state.withLock { $0.record?.behavior }.map { AppBehavior(continuing: $0) } ?? AppBehavior()
    }

    /// Adds what only the older SDK knew of app and device.
    func complete(_ context: inout RecordedContext) {
        complete(app: &context.app, device: &context.device)
    }

    /// Takes that away again.
    func forget(in context: inout RecordedContext) {
        guard let report else { return }
        if report.firstDay != nil { context.app[Self.firstDay] = nil }
        if let id = report.vendorID, context.device["id"] == .string(id) { context.device["id"] = nil }
    }

    /// Dependencies whose facts are complete whenever they are read anew.
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
        // The system's own answer counts, where it gives one.
        if let id = report.vendorID, device["id"] == nil { device["id"] = .string(id) }
    }

    private static let firstDay = "first_day"

    // MARK: Steps

    /// Finds out what is to be done. Call it before the installation gets an identity, and again where its folder could not be used.
    func begin() {
        guard predecessor != nil else { return }
        do throws(StorageError) {
            var found = try kept()
            if found == nil { found = try newRecord() }
            // Not ours to do: another process is about it, or there is nothing.
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
            // What is over with the first unlocking is tried again then.
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

    private func kept() throws(StorageError) -> TakeOverRecord? {
        switch try file.read() {
        case .nothing: return nil
        case .kept(let record, _): return record
        case .damaged(let what):
            // To take over twice would be worse than not to know what was taken over.
            reporter.report(
                Diagnostic(
                    notTakenOver: "takeover",
                    what,
                    "The record of the migration is damaged (\(what)). Nothing more is migrated, and what was "
                        + "migrated stays."
                )
            )
            return TakeOverRecord(.closed)
        }
    }

    /// A record for a new installation, kept; nil for one that is not new.
    private func newRecord() throws(StorageError) -> TakeOverRecord? {
        guard try !Journal.wasMade(in: dependencies.folder, of: dependencies.storage) else { return nil }
        // A device that was restored from a backup, or got a new app's data: it had an installation of ours before.
        if let backup = dependencies.backup, try disk.size(of: "\(backup.folder)/\(backup.name)") != nil { return nil }
        let record = TakeOverRecord(.begun)
        try dependencies.storage.makeFolder(dependencies.folder)
        try file.write(record)
        return record
    }

    private var disk: any JournalStorage {
        (dependencies.storage as? EncryptedStorage)?.base ?? dependencies.storage
    }

    /// Takes people and global attributes over into settings that can be written, and settles.
    func takeOver(into settings: SettingsFile) {
        guard let change else { return }
        let (_, failure) = settings.changeUntold(change)
        if let failure { settings.report(failure) }
        settle(isKept: failure == nil)
    }

    /// What taking over changes in settings; nil when nothing is to be taken over.
    var change: (@Sendable (inout Settings) -> Void)? {
        guard let former = read() else { return nil }
        let now = dependencies.clock.now().wall
        return { $0.takeOver(former.person, former.global, at: now) }
    }

    /// What the older SDK knew, if that is still to be taken over; read once.
    private func read() -> FormerState? {
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

    /// Keeps what the settings do not, and tells what was taken over.
    ///
    /// - Parameter isKept: whether the settings are on the disk; if not, the next start does everything again.
    func settle(isKept: Bool) {
        guard isKept, let predecessor, let former = read() else { return }
        var record = TakeOverRecord(.importing)
        record.behavior = former.behavior == FormerBehavior() ? nil : former.behavior
        var report = MigrationResult(origin: predecessor.name)
        report.take(former)
        record.report = former.isEmpty ? nil : report
        guard keep(record) else {
            // The app's behaviour goes on from it all the same; everything else is for the next start.
            return state.withLock { state in
                state.record = record
                state.isKept = false
            }
        }
        reporter.report(former.problems)
        if !former.isEmpty { reporter.report(Diagnostic(report)) }
    }

    /// The person has everything forgotten: what the older SDK left is never taken over again.
    func close() throws(StorageError) {
        guard predecessor != nil || file.readable != nil else { return }
        try file.write(TakeOverRecord(.closed))
        state.withLock { state in
            state.record = TakeOverRecord(.closed)
            state.release()
            state.former = nil
        }
    }

    // MARK: The record

    /// What is to be imported yet, and whether some of it may be recorded already; nil when nothing is.
    var importing: (record: TakeOverRecord, isRepeated: Bool)? {
        state.withLock { state in
            guard let record = state.record, record.stage == .importing, state.lock != nil, state.isKept else {
                return nil
            }
            return (record, state.isRepeated)
        }
    }

    /// Keeps a record. False when the disk does not take it, which is told.
    @discardableResult
    func keep(_ record: TakeOverRecord) -> Bool {
        do throws(StorageError) {
            try file.write(record)
        } catch {
            reporter.report(Diagnostic(delayed: predecessor?.name ?? "", error))
            return false
        }
        state.withLock { state in
            // Erased meanwhile: nothing of it may come back.
            guard state.record?.stage != .closed else { return }
            state.record = record
            if !record.isUnfinished { state.release() }
        }
        return true
    }
}

extension Settings {
    /// What an older SDK knew counts where nothing was said here.
    mutating func takeOver(_ person: FormerPerson, _ global: Attributes, at now: Timestamp) {
        let before = identity.user
        identity.takenOver(person, at: now)
        if before == nil, let user = identity.user { _ = consent.signedIn(user) }
        self.global = global.merging(self.global)
    }
}

extension MigrationResult {
    /// Notes what was found.
    fileprivate mutating func take(_ former: FormerState) {
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
    /// Something that can be done later.
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
