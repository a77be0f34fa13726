// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayBehavior
package import TrackwayDelivery
public import TrackwayEvents
package import TrackwayJournal
internal import TrackwayWire

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
    // What recording needs, in the order it needs it; where something unusual goes on, the recorder.
    package let control: ControlDriver
    let clock: any EventClock
    let ids: EventIDGenerator
    let limits: EventLimits
    package let journal: Journal
    package let delivery: DeliveryService
    let reporter: DiagnosticReporter
    let write: @Sendable (String) -> Void
    let recorder: Recorder
    let zone: ZoneWatch

    // What everything else needs.
    let registry: QueueRegistry
    /// Destinations come and go one after the other, here and in delivery. Taken before every other lock.
    let destinationChanges = Locked(())
    /// How destinations are delivered to that nobody said more about.
    let usualPolicy: DeliveryPolicy
    let runtimeOptions: Locked<RuntimeOptions>
    /// Held while the app changes the options. Taken before every other lock.
    let reconfigurations = Locked(())
    let settings: SettingsFile
    let consents: ConsentDriver
    let identity: IdentityDriver
    package let timers: TimerDriver
    let contextStore: ContextStore
    package let behavior: BehaviorDriver
    let dynamic: DynamicAttributes
    let interception: Interception
    package let snapshots: SnapshotDriver?
    package let queue: StorageQueue
    /// Objects of higher modules that live as long as these analytics, by name.
    package let companions = Locked<[String: any Sendable]>([:])
    let lastLedger = Locked(Ledger())
    /// What a forked child gets. Made before any fork, because making it takes locks of Swift's runtime.
    let ledgerInChild = Ledger(uncounted: [Ledger.Uncounted(path: "", reason: TrackwayError.inChild.sentences)])
    /// As above.
    let optionsInChild: RuntimeOptions
    /// As above: throwing an error needs the conformance of its type.
    private let errorInChild: any Error = TrackwayError.inChild
    package let commits: GroupCommitter
    package let lifeCycle: LifeCycleFollower
    /// Which screen is shown, of those that lie over one another.
    package let screenTracker: ScreenTracker
    package let environment: ExtensionEnvironment
    private let observation: (any Sendable)?
    private let conditions: (any Sendable)?
    let crashWatch: CrashWatch
    let systemReportWatch: CrashWatch
    let copies: InstallationCopies
    let takingOver: TakingOver
    /// Whether it is ``disabled``, which nothing can enable.
    let isInert: Bool
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
        self.init(configuration, try Components(configuration, configuration.dependencies()))
        reporter.report(remarks)
    }

    /// The same with given dependencies.
    package convenience init(_ configuration: Configuration, in dependencies: Dependencies) throws(TrackwayError) {
        try configuration.check()
        let (configuration, remarks) = configuration.bounded()
        self.init(configuration, try Components(configuration, dependencies))
        reporter.report(remarks)
    }

    private init(_ configuration: Configuration, _ parts: Components) {
        control = parts.control
        clock = parts.dependencies.clock
        ids = parts.dependencies.ids
        limits = configuration.limits
        journal = parts.journal
        delivery = parts.delivery
        reporter = parts.reporter
        write = parts.dependencies.write
        registry = parts.registry
        usualPolicy = configuration.delivery.policy
        optionsInChild = RuntimeOptions(configuration)
        runtimeOptions = Locked(optionsInChild)
        settings = parts.settings
        consents = parts.consents
        identity = parts.identity
        timers = parts.timers
        recorder = parts.recorder
        contextStore = parts.contextStore
        zone = parts.zone
        behavior = parts.behavior
        dynamic = parts.dynamic
        interception = parts.interception
        snapshots = parts.snapshots
        queue = parts.queue
        environment = parts.environment
        commits = parts.commits
        isInert = parts.dependencies.isInert
        copies = InstallationCopies(parts.dependencies, parts.journal)
        takingOver = parts.takingOver
        lifeCycle = LifeCycleFollower(
            parts.behavior,
            parts.timers,
            parts.snapshots,
            parts.control,
            in: parts.dependencies
        )
        let (chosen, told) = (runtimeOptions, parts.reporter)
        let tracker = ScreenTracker(parts.behavior, in: parts.dependencies) {
            if chosen.withLock({ $0.capture.contains(.screens) }) { told.report(.screenCaptureMissing) }
        }
        screenTracker = tracker
        let follower = lifeCycle
        if parts.dependencies.showsScreens {
            follower.reportAlso { if $0.contains(.didBecomeActive) { tracker.appBecameActive() } }
            if parts.dependencies.launchState == .active { tracker.appBecameActive() }
        }
        observation =
            configuration.lifecycle.isObserved
            ? parts.dependencies.observeLifeCycle { [weak follower] in follower?.announced($0, moment: $1) }
            : nil
        conditions = parts.conditions
        crashWatch = CrashWatch(parts.dependencies.captureCrashes)
        crashWatch.follow { configuration.capture.contains(.crashes) }
        let observeSystemReports = parts.dependencies.observeSystemReports
        let reporting = parts.behavior
        systemReportWatch = CrashWatch {
            observeSystemReports { [weak reporting] in reporting?.systemReportsArrived() }
        }
        systemReportWatch.follow { configuration.capture.contains(.systemReports) }
        let (control, work, behavior, pacer) = (parts.control, parts.work, parts.behavior, parts.dependencies.pacer)
        let snapshots = parts.snapshots
        let (arrival, copies) = (parts.arrival, copies)
        let importing = EventImport(parts.takingOver, contextStore, on: queue)
        self.arrival = arrival
        let isIncomplete = control.gate.state.contains(.contextIncomplete)
        // Beside the app that starts. Everything else that this queue flushes comes after it, and relies on the folders above.
        queue.order { [contextStore, control, journal] in
            // An event that comes sooner does it itself.
            if isIncomplete {
                contextStore.complete()
                control.setGate(.contextIncomplete) { false }
            }
            journal.populate()
            // What cannot be flushed now is flushed before it is delivered or called durable.
            try? journal.synchronizeIdentity()
        }
        // The one task that nobody awaits: it ends when the control machine orders the end, which `deinit` brings about,
        // and it holds parts only, never this object.
        parts.dependencies.startTask { [weak self] in
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
                // Delivery begins after it, so that what is recorded can be told from what is still to be.
                await importing.run()
                await control.run(work)
                group.cancelAll()
            }
        }
        // An earlier process may have died after it erased and before it could tell.
        arrival?.reportArrival { [weak self] in self?.storageArrived() }
        guard arrival == nil else { return }
        reportErasures()
        reportRestoration()
        guard parts.dependencies.availability != nil else { return }
        queue.order { [journal, reporter] in StorageArrival.countLost(journal, reporter) }
    }

    /// What could not be done at the start, because the storage folder could not be used.
    private func storageArrived() {
        crashWatch.follow { wantedBehavior.capture.contains(.crashes) }
        queue.order { [takingOver, contextStore] in takingOver.importEvents(contextStore) }
        reportErasures()
        reportRestoration()
    }

    deinit {
        // A forked child has no threads that could end anything, and what it shares with its parent is not its own.
        guard !control.gate.isForked else { return }
        snapshots?.abandon()
        behavior.abandon()
        control.change { $0.abandoned() }
    }

    /// The id of this installed copy of the app.
    ///
    /// It survives restarts and changes when the installation is erased.
    public var installationID: InstallationID { journal.installation }
}
