// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayCore
internal import TrackwayJournal
internal import TrackwayLifecycle

/// Records events, stores them on the device, and delivers them.
///
/// ```swift
/// let analytics = try Analytics(Configuration(
///     appID: "shopping",
///     destinations: [.collector(URL(string: "http://127.0.0.1:8787")!, writeKey: "dev")],
///     consent: .granted
/// ))
/// analytics.record("button_click", ["category": "shoes", "value": 279.9])
/// ```
///
/// Keep the instance for as long as the app records events. The SDK has no shared instance: pass yours to the code that
/// needs it. An app can create several instances. Instances with different storage folders are independent; instances
/// with the same folder write to the same installation.
///
/// All calls are safe from any thread. When `record` returns, the event survives even if the process crashes or is
/// killed.
///
/// Releasing the instance records the exit (`_app_end`) and stops delivery immediately. Pending events are sent after
/// the next start. To send them first, call ``shutdown(timeout:)``.
public final class Analytics: Sendable {
    package let storage: InstallationStorage
    package let recording: RecordingPipeline
    package let delivery: DeliveryPipeline
    package let lifecycle: LifecyclePipeline
    let reporter: DiagnosticReporter
    let runtimeOptions: Locked<RuntimeOptions>
    /// Held while the app changes the options.
    ///
    /// Acquired before every other lock.
    let optionsLock = Locked(())
    /// The objects that optional modules attach to this instance, by name.
    ///
    /// They are retained for the instance's lifetime.
    package let companions = Locked<[String: any Sendable]>([:])
    let lastLedger = Locked(Ledger())
    let forkedChildValues: ForkedChildValues
    /// The destinations that send events, if the app chose no consent; otherwise empty.
    private let destinationsWithoutChoice: [DestinationID]
    /// Opens the storage folder once it is usable; nil if it was usable immediately.
    private let storageOpener: DeferredStorageOpener?

    /// Opens the installation's folder and starts delivery if permitted.
    ///
    /// Reads a few small files on the calling thread, which takes a millisecond or two, and does not wait for a disk
    /// flush. Later, another thread reads the events of earlier runs and, on Linux, the device's properties.
    ///
    /// - Throws: ``TrackwayError`` if the configuration is invalid or the storage folder cannot be used. The error
    ///   states the problem and how to fix it.
    public convenience init(_ configuration: Configuration) throws(TrackwayError) {
        try configuration.check()
        let (configuration, diagnostics) = configuration.bounded()
        let dependencies = try configuration.dependencies().limited(by: configuration)
        self.init(configuration, try InstallationStorage(configuration, dependencies))
        reporter.report(diagnostics)
    }

    /// Opens the installation with the given dependencies.
    package convenience init(_ configuration: Configuration, in dependencies: Dependencies) throws(TrackwayError) {
        try configuration.check()
        let (configuration, diagnostics) = configuration.bounded()
        self.init(configuration, try InstallationStorage(configuration, dependencies.limited(by: configuration)))
        reporter.report(diagnostics)
    }

    private init(_ configuration: Configuration, _ storage: InstallationStorage) {
        let options = RuntimeOptions(configuration)
        let runtimeOptions = Locked(options)
        let delivery = DeliveryPipeline(configuration, storage)
        let recording = RecordingPipeline(configuration, storage, delivery)
        let lifecycle = LifecyclePipeline(configuration, storage, recording, delivery, options: runtimeOptions)
        self.storage = storage
        self.delivery = delivery
        self.recording = recording
        self.lifecycle = lifecycle
        self.runtimeOptions = runtimeOptions
        reporter = storage.reporter
        forkedChildValues = ForkedChildValues(options)
        destinationsWithoutChoice =
            configuration.privacy.chosenConsent == nil
            ? configuration.destinations.filter { !$0.isLocal }.map(\.id) : []
        storageOpener = DeferredStorageOpener(
            storage,
            contextStore: recording.contextStore,
            consents: delivery.consents,
            lifecycle: lifecycle.controller
        )
        begin()
    }

    /// Starts background work: deferred reads, the import of older events, and delivery.
    private func begin() {
        let (dependencies, journal, backup) = (storage.dependencies, storage.journal, storage.backup)
        let (control, hooks, pacer) = (delivery.control, delivery.hooks, dependencies.pacer)
        let (controller, snapshots, storageOpener) = (lifecycle.controller, lifecycle.snapshots, storageOpener)
        let contextStore = recording.contextStore
        let (migrator, queue) = (storage.migrator, storage.queue)
        let isIncomplete = control.gate.state.contains(.contextIncomplete)
        // Runs in parallel with the app's launch. Later flushes on this queue require the folders created here.
        storage.queue.enqueue {
            // If an event is recorded before this code runs, recording the event completes the context.
            if isIncomplete {
                contextStore.complete()
                control.setGate(.contextIncomplete) { false }
            }
            journal.populate()
            // If this flush fails, it is repeated before any event is delivered or reported as durable.
            try? journal.synchronizeIdentity()
        }
        // This is the only task that is not awaited. It ends when the pipeline state machine returns the end command,
        // which `deinit` triggers. It retains only the components, never this object.
        dependencies.startTask { [weak self] in
            await withTaskGroup(of: Void.self) { group in
                group.addTask { await controller.run(pacer, flush: hooks.flush) }
                if let snapshots { group.addTask { await snapshots.run(pacer) } }
                if storageOpener != nil || backup.isShared {
                    group.addTask { [weak self] in
                        await storageOpener?.run(pacer)
                        guard backup.isShared, !Task.isCancelled else { return }
                        await self?.adoptErasure()
                    }
                }
                // Delivery starts after the import, so that imported rows can be matched with events in the journal.
                if migrator.hasPendingImport { await queue.run { migrator.importEvents(contextStore) } }
                await control.run(hooks)
                group.cancelAll()
            }
        }
        // An earlier process may have ended after erasing the installation and before recording the erasure.
        storageOpener?.onStorageOpened { [weak self] in self?.storageArrived() }
        guard storageOpener == nil else { return }
        reportMissingChoice()
        reportErasures()
        reportRestoration()
        guard dependencies.availability != nil else { return }
        storage.queue.enqueue { [journal, reporter] in DeferredStorageOpener.reportLostEvents(journal, reporter) }
    }

    /// Completes the startup steps that had to wait for the storage folder.
    private func storageArrived() {
        reportMissingChoice()
        lifecycle.crashSubscription.update { requestedLifecycleSettings.capture.contains(.crashes) }
        storage.queue.enqueue { [storage, recording] in storage.migrator.importEvents(recording.contextStore) }
        reportErasures()
        reportRestoration()
    }

    /// Reports that events are held because consent was neither chosen nor decided.
    private func reportMissingChoice() {
        guard !destinationsWithoutChoice.isEmpty else { return }
        let waiting = delivery.consents.destinationsWithoutDecision(among: destinationsWithoutChoice)
        guard let first = waiting.first else { return }
        reporter.report(
            Diagnostic(
                code: .consentNotChosen,
                field: "consent",
                value: waiting.map(\.rawValue).joined(separator: ", "),
                message: "No consent was chosen, so events are kept on the device and not sent to "
                    + (waiting.count == 1 ? "\(first.rawValue.quoted)." : "\(waiting.count) destinations."),
                recoverySuggestion: "Call setConsent(.granted) when the user agrees, or pass consent: .granted to "
                    + "Configuration if the app needs no consent."
            )
        )
    }

    deinit {
        // A forked child has no threads to stop, and its open files belong to its parent.
        guard !delivery.control.gate.isForked else { return }
        lifecycle.snapshots?.abandon()
        lifecycle.controller.abandon()
        delivery.control.change { $0.abandon() }
    }

    /// The id of this installed copy of the app.
    ///
    /// It survives restarts and changes when the installation is erased.
    public var installationID: InstallationID { storage.journal.installation }
}
