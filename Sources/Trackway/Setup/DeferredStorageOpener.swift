// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayBehavior
internal import TrackwayDelivery
internal import TrackwayEvents
internal import TrackwayJournal
internal import TrackwayPlatform

/// Moves an ``Analytics`` that began in memory to its folder.
///
/// This happens once the folder can be used. Until then, consent counts as pending: events are recorded, and nothing is
/// sent. Afterwards, the stored consent decisions, enabled state and user also apply to the events recorded in the
/// meantime. The folder is tried when the system sends a notification, and at intervals, on the storage queue.
/// Recording continues concurrently.
final class DeferredStorageOpener: Sendable {
    /// The interval between attempts without a notification.
    static let interval = Duration.seconds(10)

    private let parts: Parts
    /// The user in contexts that were recorded in memory.
    ///
    /// Used unless the app set another one.
    private let provisional: RecordedContext.User
    private let observation = Locked<(any Sendable)?>(nil)
    private let state = Locked(State())

    private struct Parts: Sendable {
        let storage: InstallationStorage
        let contextStore: ContextStore
        let consents: ConsentController
        let behavior: LifecycleController

        var dependencies: Dependencies { storage.dependencies }
        var journal: Journal { storage.journal }
        var settings: SettingsFile { storage.settings }
        var reporter: DiagnosticReporter { storage.reporter }
        var queue: StorageQueue { storage.queue }
        var takingOver: LegacyMigrator { storage.takingOver }
    }

    /// nil if the storage folder was usable immediately.
    init?(
        _ storage: InstallationStorage,
        contextStore: ContextStore,
        consents: ConsentController,
        behavior: LifecycleController
    ) {
        guard let availability = storage.dependencies.availability, storage.journal.isAwaitingStorage else {
            return nil
        }
        let parts = Parts(storage: storage, contextStore: contextStore, consents: consents, behavior: behavior)
        self.parts = parts
        provisional = parts.contextStore.current.user
        if parts.dependencies.isPreview {
            parts.reporter.report(.previewed)
            return
        }
        parts.reporter.report(
            Diagnostic(
                code: .storageAwaited,
                field: "storage.folder",
                value: parts.journal.configuration.folder,
                message: "The storage folder \(parts.journal.configuration.folder) is not available before the device "
                    + "is unlocked for the first time. Events are held in memory until then."
            )
        )
        let mayBeUsable = Attempt(make: { [weak self] in self?.attemptSoon() })
        let observed = availability.observe { mayBeUsable.make() }
        observation.withLock { $0 = observed }
    }

    private struct State: Sendable {
        var hasArrived = false
        /// The settings of earlier runs, without changes made since.
        var stored: Settings?
        var listener: Attempt?
    }

    /// Boxed in a struct to avoid reabstraction thunks.
    fileprivate struct Attempt: Sendable {
        let make: @Sendable () -> Void
    }

    /// Tries the folder at intervals until it was opened, or until canceled.
    func run(_ sleeper: any DeliverySleeper) async {
        guard !parts.dependencies.isPreview else { return }
        while parts.journal.isAwaitingStorage, !Task.isCancelled {
            await sleeper.sleep(until: parts.dependencies.clock.now().monotonic.advanced(by: Self.interval))
            guard !Task.isCancelled else { return }
            await parts.queue.run { [self] in attempt() }
        }
    }

    private func attemptSoon() {
        parts.queue.order { [self] in attempt() }
    }

    /// Opens the folder if it can be used.
    ///
    /// Runs on the storage queue.
    func attempt() {
        guard parts.journal.isAwaitingStorage else { return }
        do {
            // Ensures that nothing is written with a key that is not the folder's.
            try (parts.dependencies.storage as? EncryptedStorage)?.prepare()
            InstallationBackup.restoreIdentity(parts.dependencies)
            parts.takingOver.begin()
            try parts.settings.take(changing: parts.takingOver.change) {
                [contextStore = parts.contextStore, state] stored in
                state.withLock { $0.stored = stored }
                contextStore.perform { $0.context.global = stored.global.merging($0.context.global) }
            }
            parts.takingOver.settle(isKept: true)
            try parts.journal.identify()
            try parts.journal.enterFolder(fate())
        } catch {
            return  // The next attempt tries again.
        }
        observation.withLock { $0 = nil }
        parts.storage.registry.recall()
        let user = user
        parts.contextStore.perform { [takingOver = parts.takingOver] transaction in
            transaction.context.user = user
            takingOver.complete(&transaction.context)
        }
        parts.consents.follow()
        parts.behavior.storageArrived()
        Self.countLost(parts.journal, parts.reporter)
        let listener = state.withLock { state in
            state.hasArrived = true
            return state.listener
        }
        listener?.make()
    }

    /// Counts and reports events that were lost before the folder was usable.
    ///
    /// They were lost with the processes that recorded them. Runs on the storage queue.
    static func countLost(_ journal: Journal, _ reporter: DiagnosticReporter) {
        // If this cannot be read now, the next start counts it.
        guard let lost = try? journal.countAbandonedMarkers(), lost > 0 else { return }
        reporter.report(
            Diagnostic(
                code: .lostBeforeStorage,
                field: "storage.folder",
                value: "\(lost)",
                message: "\(lost) events are lost because the processes that recorded them ended before the "
                    + "device was unlocked. They are counted as storage_awaited."
            )
        )
    }

    /// Calls `arrived` once all startup work in the folder is done.
    ///
    /// The state is then as if the folder had been usable from the start.
    func reportArrival(_ arrived: @escaping @Sendable () -> Void) {
        let hasArrived = state.withLock { state in
            if !state.hasArrived { state.listener = Attempt(make: arrived) }
            return state.hasArrived
        }
        if hasArrived { arrived() }
    }

    /// The current user, from the settings that are now known.
    private var user: RecordedContext.User {
        IdentityOrigin(parts.journal.installation).completing(parts.settings.current.user)
    }

    /// Returns what happens to buffered events, according to earlier runs' decisions.
    private func fate() -> BufferedEventOutcome {
        let settings = parts.settings.current
        if settings.isEnabled == false { return .dropped(.disabled) }
        if parts.consents.permissionNow.consent == .denied { return .dropped(.consentDenied) }
        let stored = state.withLock { $0.stored } ?? settings
        let former = IdentityOrigin(parts.journal.installation).completing(stored.user)
        let (user, global, provisional) = (user, stored.global, provisional)
        return .written { json in
            // The SDK's own contexts can always be parsed; any other stays as it is.
            guard var context = try? RecordedContext(json: json) else { return json }
            context.user = context.user.replacing(provisional, by: former, or: user)
            context.global = global.merging(context.global)
            return context.json()
        }
    }
}

extension RecordedContext.User {
    /// Returns the user of an event that was recorded before the user was known.
    ///
    /// This is the user of earlier runs, or the user who signed in since, with the installation's own ids.
    fileprivate func replacing(_ provisional: Self, by former: Self, or known: Self) -> Self {
        if self == provisional { return former }
        if id == known.id { return known }
        var user = self
        if uniqueID == provisional.uniqueID {
            user.uniqueID = known.uniqueID
            user.firstTouch = known.firstTouch
        }
        if anonymousID == provisional.anonymousID { user.anonymousID = known.anonymousID }
        return user
    }
}
