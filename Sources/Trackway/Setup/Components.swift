// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayBehavior
internal import TrackwayDelivery
internal import TrackwayEvents
internal import TrackwayJournal
internal import TrackwayPlatform
internal import TrackwayWire

/// The parts of an ``Analytics``, put together in the order in which they need each other.
struct Components {
    let dependencies: Dependencies
    let reporter: DiagnosticReporter
    let queue: StorageQueue
    let settings: SettingsFile
    let journal: Journal
    let registry: QueueRegistry
    let recorder: Recorder
    let contextStore: ContextStore
    let zone: ZoneWatch
    let dynamic: DynamicAttributes
    let interception: Interception
    let behavior: BehaviorDriver
    let control: ControlDriver
    let consents: ConsentDriver
    let identity: IdentityDriver
    let timers: TimerDriver
    let snapshots: SnapshotDriver?
    let delivery: DeliveryService
    let commits: GroupCommitter
    let work: ControlWork
    let environment: ExtensionEnvironment
    let takingOver: TakingOver
    /// nil when the storage could be used at once.
    let arrival: StorageArrival?
    /// What tells of the device's conditions; nil where nothing does.
    let conditions: (any Sendable)?

    init(_ configuration: Configuration, _ dependencies: Dependencies) throws(TrackwayError) {
        let bare = try dependencies.labelling(events: configuration.eventLogLabel).encrypting(configuration)
        // What a preview cannot keep or send is nobody's mistake.
        let only = bare.isPreview ? Diagnostic.Code.previewed : nil
        let reporter = DiagnosticReporter(configuration.onDiagnostic, log: bare.log, only: only)
        let takingOver = TakingOver(configuration, in: bare, reporter)
        let dependencies = takingOver.completing(bare)
        self.dependencies = dependencies
        self.takingOver = takingOver
        let queue = StorageQueue(label: "trackway.storage")
        let registry = QueueRegistry(configuration, dependencies, queue, reporter)
        InstallationCopies.restoreIdentity(dependencies)
        CopiedFolder(dependencies)?.separate(dependencies, rules: ConsentRules(configuration)) {
            () throws(TrackwayError) in
            try Self.openJournal(
                configuration,
                dependencies,
                expecting: registry.expected,
                targets: registry.expectedTargets
            )
        }
        // Before the installation has an identity: what was never there is new.
        takingOver.begin()
        let journal = try Self.openJournal(
            configuration,
            dependencies,
            expecting: registry.expected,
            targets: registry.expectedTargets
        )
        let storageFolder = dependencies.folder
        journal.reportRestorations { recorded in
            reporter.report(Diagnostic(folderRemoved: storageFolder, recorded: recorded))
        }
        let settings = try Self.openSettings(configuration, dependencies, queue, reporter)
        takingOver.takeOver(into: settings)
        let known = settings.current
        // One that is to be added again counts already: what is recorded until then is for it, too.
        let categories = configuration.categories.merging(registry.expected.map { ($0, .analytics) }) { first, _ in
            first
        }
        let permission = Permission(known, categories)
        let machine = ControlMachine(
            consent: permission.consent,
            maySend: permission.maySend,
            isEnabled: known.isEnabled ?? configuration.isEnabled
        )
        let control = ControlDriver(machine, logsEvents: configuration.logEvents)
        var context = RecordedContext(
            app: dependencies.facts.app,
            device: dependencies.facts.device,
            boot: dependencies.facts.boot,
            user: IdentityOrigin(journal.installation).completing(known.user),
            global: known.global,
            modes: configuration.modes
        )
        // What is read later is completed then.
        if dependencies.readDevice == nil { takingOver.complete(&context) }
        let consents = ConsentDriver(
            settings,
            control: control,
            categories: categories,
            journal: journal,
            queue: queue,
            reporter: reporter
        )
        // Weak, because the consents hold the delivery that sends through this: whoever lets go of the analytics lets go of
        // the journal, too. Nobody is left to permit anything then.
        let isPermitted: @Sendable () -> Bool = { [weak consents] in consents?.isPermitted() ?? false }
        let transport = configuration.delivery.transport ?? dependencies.transport
        let delivery = DeliveryService(
            journal: journal,
            routes: configuration.destinations.filter { !$0.isLocal }.map { destination in
                DeliveryRoute(
                    destination: destination.destination,
                    policy: destination.delivery ?? configuration.delivery.policy,
                    admission: consents.rule(for: destination.id),
                    rules: destination.rules ?? []
                )
            },
            transport: transport,
            isPermitted: isPermitted,
            clock: dependencies.clock,
            sleeper: dependencies.sleeper,
            random: dependencies.random,
            memory: RetryFile(
                folder: dependencies.folder,
                storage: dependencies.storage,
                boot: dependencies.facts.boot
            ),
            queues: registry,
            boot: dependencies.facts.boot,
            executor: dependencies.deliveryExecutor,
            report: { notice in
                if let diagnostic = Diagnostic(notice) { reporter.report(diagnostic) }
            }
        )
        let wanted = configuration.deliveryConditions
        conditions = dependencies.observeConditions { [weak delivery] device in
            delivery?.restrain(by: wanted.restraint(by: device))
        }
        environment = ExtensionEnvironment(
            dependencies,
            appID: configuration.appID,
            transport: PermittedTransport(transport, isPermitted: isPermitted)
        )
        self.reporter = reporter
        self.queue = queue
        self.registry = registry
        self.settings = settings
        self.journal = journal
        self.control = control
        self.delivery = delivery
        self.consents = consents
        consents.attach(delivery)
        recorder = Recorder(
            gate: control.gate,
            permission: consents.permission,
            clock: dependencies.clock,
            ids: dependencies.ids,
            limits: configuration.limits,
            journal: journal,
            delivery: delivery,
            registry: registry,
            log: EventLog(configuration.eventLogForm)
        )
        let completion = dependencies.readDevice.map { readDevice in
            ContextStore.Completion { context in
                context.device = readDevice()
                takingOver.complete(&context)
            }
        }
        zone = ZoneWatch(dependencies.zoneOffset)
        contextStore = ContextStore(context, completedBy: completion, recorder: recorder, zone: zone) {
            diagnostics,
            lines in
            reporter.report(diagnostics)
            for line in lines { dependencies.write(line) }
        }
        if completion != nil { control.setGate(.contextIncomplete) { true } }
        dynamic = DynamicAttributes()
        interception = Interception(
            configuration.interceptors,
            counts: InterceptedCounts(folder: dependencies.folder, storage: dependencies.storage, queue: queue),
            clock: dependencies.clock,
            reporter: reporter
        )
        control.setGate(.intercepts) { !configuration.interceptors.isEmpty }
        behavior = BehaviorDriver(
            BehaviorSettings(RuntimeOptions(configuration), known.policy),
            in: dependencies,
            contextStore: contextStore,
            control: control,
            dynamic: dynamic,
            journal: journal,
            takingOver: takingOver
        )
        let (contextStore, behavior) = (contextStore, behavior)
        delivery.beforeSending { [weak behavior] in behavior?.flush(before: $0) }
        snapshots = configuration.snapshots.map {
            SnapshotDriver($0, in: dependencies, contextStore: contextStore, behavior: behavior)
        }
        let snapshots = snapshots
        let store = contextStore
        consents.followEpoch { [weak store] in
            // Read before the store's lock is taken, which is the inner one.
            let epoch = settings.current.consent.epoch
            store?.perform { $0.context.user.consentEpoch = max($0.context.user.consentEpoch, epoch) }
        }
        consents.reportChanges { [weak snapshots] in snapshots?.permissionChanged() }
        behavior.reportScreens { [weak snapshots] in snapshots?.screenShown($0.name) }
        timers = TimerDriver(
            launchState: dependencies.launchState,
            clock: dependencies.clock,
            boot: dependencies.facts.boot
        )
        identity = IdentityDriver(
            settings,
            contextStore: contextStore,
            consents: consents,
            behavior: behavior,
            timers: timers,
            dynamic: dynamic,
            limits: configuration.limits,
            reporter: reporter,
            clock: dependencies.clock,
            installation: { journal.installation }
        )
        arrival = StorageArrival(
            StorageArrival.Parts(
                dependencies: dependencies,
                journal: journal,
                settings: settings,
                contextStore: contextStore,
                consents: consents,
                behavior: behavior,
                registry: registry,
                queue: queue,
                reporter: reporter,
                takingOver: takingOver
            ),
            dependencies.availability
        )
        commits = GroupCommitter(on: queue) {
            do throws(JournalError) {
                try journal.synchronize()
                return nil
            } catch {
                return error
            }
        }
        work = ControlWork(
            begin: { delivery.resume() },
            deliver: { await delivery.run() },
            flush: {
                await control.untilSettled()
                guard control.machine.maySend else { return }
                await queue.run { _ = journal.drain() }
                _ = await delivery.flush(timeout: Self.longestFlush, forcesQueues: false, isAsked: false)
            },
            hold: { delivery.hold() },
            untilHeld: { await delivery.untilHeld() },
            release: { delivery.release() },
            stop: { lastFlush, timeout in
                if lastFlush > .zero {
                    await queue.run { _ = journal.drain() }
                    let isAsked = control.machine.isShutDown
                    _ = await delivery.flush(timeout: lastFlush, forcesQueues: false, isAsked: isAsked)
                }
                await delivery.suspend(timeout: timeout)
            },
            discard: { _ = await queue.run { consents.discard() } }
        )
    }

    /// How long what waits may be sent when the app leaves and nobody said how long it has.
    private static let longestFlush = Duration.seconds(30)

    private static func openJournal(
        _ configuration: Configuration,
        _ dependencies: Dependencies,
        expecting expected: [DestinationID],
        targets: Set<DestinationID>
    ) throws(TrackwayError) -> Journal {
        do throws(JournalError) {
            return try Journal(
                JournalConfiguration(
                    folder: dependencies.folder,
                    destinations: configuration.destinations.map(\.id),
                    expected: expected,
                    kept: targets.union(configuration.destinations.filter(\.isLocal).map(\.id)),
                    maximumBytes: configuration.storage.maximumBytes,
                    maximumKeptBytes: configuration.storage.maximumLocalDestinationBytes,
                    maximumAge: configuration.storage.maximumAge,
                    segmentBytes: dependencies.segmentBytes
                ),
                clock: dependencies.clock,
                bootID: dependencies.facts.boot,
                storage: dependencies.storage,
                isTemporary: { dependencies.availability?.isTemporary($0) ?? false }
            )
        } catch {
            throw TrackwayError(
                .storageUnavailable,
                "The storage folder \(dependencies.folder) cannot be used.",
                recoverySuggestion: "Make it writable, or configure another storage.folder.",
                cause: error
            )
        }
    }

    private static func openSettings(
        _ configuration: Configuration,
        _ dependencies: Dependencies,
        _ queue: StorageQueue,
        _ reporter: DiagnosticReporter
    ) throws(TrackwayError) -> SettingsFile {
        do throws(StorageError) {
            return try SettingsFile(
                ConsentRules(configuration),
                folder: dependencies.folder,
                storage: dependencies.storage,
                queue: queue,
                reporter: reporter,
                isTemporary: { dependencies.availability?.isTemporary($0) ?? false }
            )
        } catch {
            guard error.code != .encrypted else {
                throw TrackwayError(
                    .encryptionKeyMissing,
                    "Consent and identity in \(dependencies.folder) are encrypted with a key that "
                        + "Configuration.storage.encryption does not have. Nothing was changed.",
                    recoverySuggestion: "Set the folder's key in Configuration.storage.encryption.",
                    cause: error
                )
            }
            throw TrackwayError(
                .storageUnavailable,
                "Consent and identity in \(dependencies.folder) exist but cannot be read now. Nothing was changed.",
                recoverySuggestion: "Try again when the folder is accessible.",
                cause: error
            )
        }
    }
}

extension Configuration {
    /// What the device's state means, for the transport that is used.
    fileprivate var deliveryConditions: DeliveryConditions {
        var wanted = delivery.conditions
        if delivery.allowsConstrainedNetworks || delivery.transport != nil {
            wanted.onConstrainedNetwork = .unrestricted
        }
        // Nobody knows which network a transport of the app's own uses.
        if delivery.transport != nil {
            (wanted.withoutNetwork, wanted.onExpensiveNetwork) = (.unrestricted, .unrestricted)
        }
        return wanted
    }
}
