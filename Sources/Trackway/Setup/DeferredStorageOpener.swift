// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore
internal import TrackwayDelivery
internal import TrackwayJournal
internal import TrackwayLifecycle
internal import TrackwayPlatform

/// Moves an ``Analytics`` that began in memory to its folder.
///
/// The move happens once the folder can be used. Until then, consent counts as pending: events are recorded, and
/// nothing is sent. Afterward, the stored consent decisions, enabled state and user also apply to the events recorded
/// in the meantime. Attempts to open the folder run on the storage queue, when the system sends a notification and at
/// intervals. Recording continues concurrently.
final class DeferredStorageOpener: Sendable {
    /// The interval between attempts without a notification.
    static let interval = Duration.seconds(10)

    private let context: Context
    /// The user in contexts that were recorded in memory.
    ///
    /// This user applies unless the app has set another one.
    private let provisional: RecordedContext.User
    private let observation = Locked<(any Sendable)?>(nil)
    private let state = Locked(State())

    private struct Context: Sendable {
        let storage: InstallationStorage
        let contextStore: ContextStore
        let consents: ConsentController
        let lifecycle: LifecycleController

        var dependencies: Dependencies { storage.dependencies }
        var journal: Journal { storage.journal }
        var settings: SettingsFile { storage.settings }
        var reporter: DiagnosticReporter { storage.reporter }
        var queue: StorageQueue { storage.queue }
        var migrator: any InstallationMigrator { storage.migrator }
    }

    /// Creates an opener; nil if the storage folder was usable immediately.
    init?(
        _ storage: InstallationStorage,
        contextStore: ContextStore,
        consents: ConsentController,
        lifecycle: LifecycleController
    ) {
        guard let availability = storage.dependencies.availability, storage.journal.isAwaitingStorage else {
            return nil
        }
        let context = Context(storage: storage, contextStore: contextStore, consents: consents, lifecycle: lifecycle)
        self.context = context
        provisional = context.contextStore.current.user
        if context.dependencies.isPreview {
            context.reporter.report(.previewed)
            return
        }
        context.reporter.report(
            Diagnostic(
                code: .storageAwaited,
                field: "storage.folder",
                value: context.journal.configuration.folder,
                message:
                    "The storage folder \(context.journal.configuration.folder) is not available before the device "
                    + "is unlocked for the first time. Events are held in memory until then."
            )
        )
        let retry = Handler(run: { [weak self] in self?.scheduleAttempt() })
        let observed = availability.observe { retry.run() }
        observation.withLock { $0 = observed }
    }

    private struct State: Sendable {
        var isOpened = false
        /// The settings of earlier runs, excluding later changes.
        var stored: Settings?
        var openedHandler: Handler?
    }

    /// Boxed in a struct to avoid reabstraction thunks.
    fileprivate struct Handler: Sendable {
        let run: @Sendable () -> Void
    }

    /// Tries to open the folder at intervals until success or cancellation.
    func run(_ sleeper: any DeliverySleeper) async {
        guard !context.dependencies.isPreview else { return }
        while context.journal.isAwaitingStorage, !Task.isCancelled {
            await sleeper.sleep(until: context.dependencies.clock.now().monotonic.advanced(by: Self.interval))
            guard !Task.isCancelled else { return }
            await context.queue.run { [self] in attempt() }
        }
    }

    private func scheduleAttempt() {
        context.queue.enqueue { [self] in attempt() }
    }

    /// Opens the folder if it can be used.
    ///
    /// Runs on the storage queue.
    func attempt() {
        guard context.journal.isAwaitingStorage else { return }
        do {
            // Ensures that nothing is written with a key that is not the folder's.
            try (context.dependencies.storage as? EncryptedStorage)?.prepare()
            InstallationBackup.restoreIdentity(context.dependencies)
            context.migrator.begin()
            try context.settings.load(changing: context.migrator.change) {
                [contextStore = context.contextStore, state] stored in
                state.withLock { $0.stored = stored }
                contextStore.perform { $0.context.global = stored.global.merging($0.context.global) }
            }
            context.migrator.finishSettings(isPersisted: true)
            try context.journal.loadIdentity()
            try context.journal.openFolder(bufferedEventOutcome())
        } catch {
            return  // The next attempt retries.
        }
        observation.withLock { $0 = nil }
        context.storage.registry.reload()
        let user = user
        context.contextStore.perform { [migrator = context.migrator] transaction in
            transaction.context.user = user
            migrator.complete(&transaction.context)
        }
        context.consents.applyAllScheduledDecisions()
        context.consents.applySettings()
        context.lifecycle.storageArrived()
        Self.reportLostEvents(context.journal, context.reporter)
        let openedHandler = state.withLock { state in
            state.isOpened = true
            return state.openedHandler
        }
        openedHandler?.run()
    }

    /// Counts and reports events that were lost before the folder became usable.
    ///
    /// These events were lost with the processes that recorded them. Runs on the storage queue.
    static func reportLostEvents(_ journal: Journal, _ reporter: DiagnosticReporter) {
        // If the markers currently cannot be read, the next start counts them.
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

    /// Calls `handler` once all startup work in the folder is done.
    ///
    /// The state is then the same as if the folder had been usable from the start.
    func onStorageOpened(_ handler: @escaping @Sendable () -> Void) {
        let isOpened = state.withLock { state in
            if !state.isOpened { state.openedHandler = Handler(run: handler) }
            return state.isOpened
        }
        if isOpened { handler() }
    }

    /// The current user according to the settings read from the folder.
    private var user: RecordedContext.User {
        IdentityOrigin(context.journal.installation).completing(context.settings.current.user)
    }

    /// Returns what happens to buffered events, according to earlier runs' decisions.
    private func bufferedEventOutcome() -> BufferedEventOutcome {
        let settings = context.settings.current
        if settings.isEnabled == false { return .dropped(.disabled) }
        if context.consents.currentPermission.consent == .denied { return .dropped(.consentDenied) }
        let stored = state.withLock { $0.stored } ?? settings
        let former = IdentityOrigin(context.journal.installation).completing(stored.user)
        let (user, global, provisional) = (user, stored.global, provisional)
        return .written { json in
            // The SDK's own contexts can always be parsed; any other context is left unchanged.
            guard var recorded = try? RecordedContext(json: json) else { return json }
            recorded.user = recorded.user.replacing(provisional, by: former, or: user)
            recorded.global = global.merging(recorded.global)
            return recorded.json()
        }
    }
}

extension RecordedContext.User {
    /// Returns the user of an event recorded before the user was known.
    ///
    /// The result is the user of earlier runs or the user who has signed in since, with the installation's own ids.
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
