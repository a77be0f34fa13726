// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayBehavior
public import TrackwayEvents
internal import TrackwayJournal

/// Records events, stores them on the device, and delivers them.
///
/// ```swift
/// let analytics = try Analytics(Configuration(
///     appID: "shopping",
///     destinations: [.collector(URL(string: "http://127.0.0.1:8787")!, writeKey: "dev")]
/// ))
/// analytics.record("button_click", ["category": "shoes", "value": 279.9])
/// ```
///
/// Keep the instance as long as the app records. There is no shared instance: the app decides how its parts get it. Several instances may
/// exist. With different storage folders they are independent; with one folder they are writers of one installation.
///
/// Any thread may make every call. When `record` returns, the event survives the death of the process.
///
/// Releasing the instance records the exit (`_app_end`) and stops delivery immediately. Pending events are sent after the next start. To send
/// them first, call ``shutdown(timeout:)``.
public final class Analytics: Sendable {
    package let storage: InstallationStorage
    package let recording: RecordingPipeline
    package let delivery: DeliveryPipeline
    package let lifecycle: LifecyclePipeline
    let reporter: DiagnosticReporter
    let runtimeOptions: Locked<RuntimeOptions>
    /// Held while the app changes the options. Taken before every other lock.
    let reconfigurations = Locked(())
    /// Objects of optional modules that live as long as this instance, by name.
    package let companions = Locked<[String: any Sendable]>([:])
    let lastLedger = Locked(Ledger())
    let childAnswers: ForkedChildAnswers
    /// nil when the storage folder could be used at once.
    private let arrival: StorageArrival?

    /// Opens the installation in its folder, and starts delivery if permitted.
    ///
    /// The call reads a few small files on the calling thread, in a millisecond or two, and waits for no flush. Events of earlier runs, and on
    /// Linux the device's properties, are read later on another thread.
    ///
    /// - Throws: ``TrackwayError`` that says what is wrong with the configuration or the storage folder, and what to do.
    public convenience init(_ configuration: Configuration) throws(TrackwayError) {
        try configuration.check()
        let (configuration, remarks) = configuration.bounded()
        self.init(configuration, try InstallationStorage(configuration, configuration.dependencies()))
        reporter.report(remarks)
    }

    /// The same with given dependencies.
    package convenience init(_ configuration: Configuration, in dependencies: Dependencies) throws(TrackwayError) {
        try configuration.check()
        let (configuration, remarks) = configuration.bounded()
        self.init(configuration, try InstallationStorage(configuration, dependencies))
        reporter.report(remarks)
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
        childAnswers = ForkedChildAnswers(options)
        arrival = StorageArrival(
            storage,
            contextStore: recording.contextStore,
            consents: delivery.consents,
            behavior: lifecycle.behavior
        )
        begin()
    }

    /// Starts the work in the background: reading what the start left out, the import of older events, delivery.
    private func begin() {
        let (dependencies, journal, copies) = (storage.dependencies, storage.journal, storage.copies)
        let (control, work, pacer) = (delivery.control, delivery.work, dependencies.pacer)
        let (behavior, snapshots, arrival) = (lifecycle.behavior, lifecycle.snapshots, arrival)
        let contextStore = recording.contextStore
        let importing = EventImport(storage.takingOver, contextStore, on: storage.queue)
        let isIncomplete = control.gate.state.contains(.contextIncomplete)
        // In parallel with the app's launch. Everything that this queue flushes later relies on the folders made here.
        storage.queue.order {
            // An event that is recorded earlier completes the context itself.
            if isIncomplete {
                contextStore.complete()
                control.setGate(.contextIncomplete) { false }
            }
            journal.populate()
            // If the flush fails now, it is repeated before an event is delivered or reported as durable.
            try? journal.synchronizeIdentity()
        }
        // The only task that is not awaited. It ends when the control machine orders the end, which `deinit` brings about, and it
        // holds parts only, never this object.
        dependencies.startTask { [weak self] in
            await withTaskGroup(of: Void.self) { group in
                group.addTask { await behavior.run(pacer, flush: work.flush) }
                if let snapshots { group.addTask { await snapshots.run(pacer) } }
                if arrival != nil || copies.areShared {
                    group.addTask { [weak self] in
                        await arrival?.run(pacer)
                        guard copies.areShared, !Task.isCancelled else { return }
                        await self?.followErasure()
                    }
                }
                // Delivery starts after the import, so that imported rows can be matched with what the journal holds.
                await importing.run()
                await control.run(work)
                group.cancelAll()
            }
        }
        // An earlier process may have ended after it erased and before it reported the erasure.
        arrival?.reportArrival { [weak self] in self?.storageArrived() }
        guard arrival == nil else { return }
        reportErasures()
        reportRestoration()
        guard dependencies.availability != nil else { return }
        storage.queue.order { [journal, reporter] in StorageArrival.countLost(journal, reporter) }
    }

    /// Does what was not possible at the start because the storage folder could not be used.
    private func storageArrived() {
        lifecycle.crashWatch.follow { wantedBehavior.capture.contains(.crashes) }
        storage.queue.order { [storage, recording] in storage.takingOver.importEvents(recording.contextStore) }
        reportErasures()
        reportRestoration()
    }

    deinit {
        // A forked child has no threads to end, and the files that it shares belong to its parent.
        guard !delivery.control.gate.isForked else { return }
        lifecycle.snapshots?.abandon()
        lifecycle.behavior.abandon()
        delivery.control.change { $0.abandoned() }
    }

    /// The id of this installed copy of the app.
    ///
    /// It survives restarts and changes when the installation is erased.
    public var installationID: InstallationID { storage.journal.installation }
}
