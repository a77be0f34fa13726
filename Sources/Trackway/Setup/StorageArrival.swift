// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayBehavior
internal import TrackwayDelivery
internal import TrackwayEvents
internal import TrackwayJournal
internal import TrackwayPlatform

/// Brings analytics that began in memory into their folder, once it can be used.
///
/// Until then consent counts as pending: events are recorded, and nothing is sent. What earlier runs decided about consent and the
/// switch, and who is signed in, then counts for what was recorded meanwhile, too. It is tried when the system says so, and now and
/// then, on the storage's own thread; recording goes on beside it.
final class StorageArrival: Sendable {
    /// How long it is waited before the folder is looked at again, where nothing tells.
    static let interval = Duration.seconds(10)

    private let parts: Parts
    /// What the contexts say that were recorded in memory, unless the app said something else.
    private let provisional: RecordedContext.User
    private let observation = Locked<(any Sendable)?>(nil)
    private let state = Locked(State())

    private struct Parts: Sendable {
        let storage: InstallationStorage
        let contextStore: ContextStore
        let consents: ConsentDriver
        let behavior: BehaviorDriver

        var dependencies: Dependencies { storage.dependencies }
        var journal: Journal { storage.journal }
        var settings: SettingsFile { storage.settings }
        var reporter: DiagnosticReporter { storage.reporter }
        var queue: StorageQueue { storage.queue }
        var takingOver: TakingOver { storage.takingOver }
    }

    /// nil when the storage folder could be used at once.
    init?(
        _ storage: InstallationStorage,
        contextStore: ContextStore,
        consents: ConsentDriver,
        behavior: BehaviorDriver
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
                    + "is unlocked for the first time. Events wait in memory until then."
            )
        )
        let mayBeUsable = Attempt(make: { [weak self] in self?.attemptSoon() })
        let observed = availability.observe { mayBeUsable.make() }
        observation.withLock { $0 = observed }
    }

    private struct State: Sendable {
        var hasArrived = false
        /// What earlier runs decided, without what was changed since.
        var stored: Settings?
        var listener: Attempt?
    }

    /// The closure stands in a struct: a bare one in a generic place is wrapped once more with every access.
    fileprivate struct Attempt: Sendable {
        let make: @Sendable () -> Void
    }

    /// Looks now and then. Returns when the folder was entered, or when cancelled.
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

    /// On the storage's thread: enters the folder if it can be used.
    func attempt() {
        guard parts.journal.isAwaitingStorage else { return }
        do {
            // Nothing is written under a key that is not the folder's.
            try (parts.dependencies.storage as? EncryptedStorage)?.prepare()
            InstallationCopies.restoreIdentity(parts.dependencies)
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
            return  // It is looked at again.
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

    /// On the storage's thread: counts, and tells, what was lost with processes that ended before the folder could be used.
    static func countLost(_ journal: Journal, _ reporter: DiagnosticReporter) {
        // What cannot be read now is counted by the next start.
        guard let lost = try? journal.countAbandonedNotes(), lost > 0 else { return }
        reporter.report(
            Diagnostic(
                code: .lostBeforeStorage,
                field: "storage.folder",
                value: "\(lost)",
                message: "\(lost) events are lost: they were recorded before the device was unlocked, by processes "
                    + "that ended before that. They are counted as storage_awaited."
            )
        )
    }

    /// Has somebody told once everything is as if the folder had been there from the start.
    func reportArrival(_ arrived: @escaping @Sendable () -> Void) {
        let hasArrived = state.withLock { state in
            if !state.hasArrived { state.listener = Attempt(make: arrived) }
            return state.hasArrived
        }
        if hasArrived { arrived() }
    }

    /// Who uses the app, now that it is known.
    private var user: RecordedContext.User {
        IdentityOrigin(parts.journal.installation).completing(parts.settings.current.user)
    }

    /// What becomes of what waits, by what earlier runs decided.
    private func fate() -> HeldFate {
        let settings = parts.settings.current
        if settings.isEnabled == false { return .dropped(.disabled) }
        if parts.consents.permissionNow.consent == .denied { return .dropped(.consentDenied) }
        let stored = state.withLock { $0.stored } ?? settings
        let former = IdentityOrigin(parts.journal.installation).completing(stored.user)
        let (user, global, provisional) = (user, stored.global, provisional)
        return .written { json in
            // A context of ours is always readable; what is not stays as it is.
            guard var context = try? RecordedContext(json: json) else { return json }
            context.user = context.user.replacing(provisional, by: former, or: user)
            context.global = global.merging(context.global)
            return context.json()
        }
    }
}

extension RecordedContext.User {
    /// The user of an event that was recorded while nobody knew who used the app: who did before, or who signed in meanwhile, under
    /// the installation's own ids.
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
