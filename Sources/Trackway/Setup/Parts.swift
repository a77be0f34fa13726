// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayBehavior
internal import TrackwayDelivery
internal import TrackwayEvents
internal import TrackwayJournal
internal import TrackwayPlatform
internal import TrackwayWire

/// The parts of an ``Analytics``, put together in the order in which they need each other.
struct Parts {
    let world: World
    let reporter: DiagnosticReporter
    let queue: StorageQueue
    let settings: SettingsFile
    let journal: Journal
    let streams: StreamsDriver
    let recorder: Recorder
    let stage: Stage
    let dynamic: DynamicAttributes
    let behavior: BehaviorDriver
    let control: ControlDriver
    let consents: ConsentDriver
    let identity: IdentityDriver
    let timers: TimerDriver
    let snapshots: SnapshotDriver?
    let delivery: DeliveryService
    let commits: GroupCommitter<JournalError>
    let work: ControlWork
    let surroundings: Surroundings

    init(_ configuration: Configuration, _ world: World) throws(TrackwayError) {
        let world = world.labelling(events: configuration.eventLogLabel)
        self.world = world
        let reporter = DiagnosticReporter(configuration.onDiagnostic, log: world.log)
        let queue = StorageQueue(label: "trackway.storage")
        let streams = StreamsDriver(configuration, world, reporter)
        let journal = try Self.openJournal(configuration, world, expecting: streams.expected)
        let storageFolder = world.folder
        journal.tellRestorations { recorded in
            reporter.report(Diagnostic(folderRemoved: storageFolder, recorded: recorded))
        }
        let settings = try Self.openSettings(configuration, world, queue, reporter)
        let known = settings.current
        // One that is to be added again counts already: what is recorded until then is for it, too.
        let categories = configuration.categories.merging(streams.expected.map { ($0, .analytics) }) { first, _ in first
        }
        let permission = Permission(known, categories)
        let machine = ControlMachine(
            consent: permission.consent,
            maySend: permission.maySend,
            isEnabled: known.isEnabled ?? configuration.isEnabled
        )
        let control = ControlDriver(machine, logsEvents: configuration.logEvents)
        let context = RecordedContext(
            app: world.facts.app,
            device: world.facts.device,
            boot: world.facts.boot,
            user: IdentityOrigin(journal.installation).completing(known.user),
            global: known.global,
            modes: configuration.modes
        )
        let consents = ConsentDriver(
            settings,
            control: control,
            categories: categories,
            journal: journal,
            queue: queue,
            reporter: reporter
        )
        let transport = PermittedTransport(configuration.transport ?? world.transport) { consents.isPermitted() }
        let delivery = DeliveryService(
            journal: journal,
            routes: configuration.destinations.map { destination in
                DeliveryRoute(
                    destination: destination,
                    policy: configuration.deliveryExceptions[destination.id] ?? configuration.delivery,
                    admission: consents.rule(for: destination.id)
                )
            },
            transport: transport,
            clock: world.clock,
            sleeper: world.sleeper,
            random: world.random,
            memory: RetryFile(folder: world.folder, storage: world.storage, boot: world.facts.boot),
            queues: streams,
            boot: world.facts.boot,
            report: { notice in
                if let diagnostic = Diagnostic(notice) { reporter.report(diagnostic) }
            }
        )
        surroundings = Surroundings(world, appID: configuration.appID, transport: transport)
        self.reporter = reporter
        self.queue = queue
        self.streams = streams
        self.settings = settings
        self.journal = journal
        self.control = control
        self.delivery = delivery
        self.consents = consents
        consents.attach(delivery)
        recorder = Recorder(
            gate: control.gate,
            permission: consents.permission,
            clock: world.clock,
            ids: world.ids,
            limits: configuration.limits,
            journal: journal,
            delivery: delivery,
            streams: streams,
            log: EventLog(configuration.eventLogForm)
        )
        stage = Stage(context, recorder: recorder) { diagnostics, lines in
            for diagnostic in diagnostics { reporter.report(diagnostic) }
            for line in lines { world.write(line) }
        }
        dynamic = DynamicAttributes()
        behavior = BehaviorDriver(
            BehaviorSettings(RuntimeOptions(configuration), known.policy),
            launchState: world.launchState,
            file: BehaviorFile(folder: world.folder, storage: world.storage),
            crashes: CrashReports(in: world.folder, storage: world.storage),
            stage: stage,
            control: control,
            dynamic: dynamic,
            clock: world.clock,
            boot: world.facts.boot,
            installation: { journal.installation },
            writer: { journal.writer }
        )
        let (stage, behavior) = (stage, behavior)
        snapshots = configuration.snapshots.map {
            SnapshotDriver($0, in: world, stage: stage, behavior: behavior)
        }
        let snapshots = snapshots
        consents.tellChanges { [weak snapshots] in snapshots?.permissionChanged() }
        behavior.tellScreens { [weak snapshots] in snapshots?.screenShown($0.name) }
        identity = IdentityDriver(
            settings,
            stage: stage,
            consents: consents,
            behavior: behavior,
            dynamic: dynamic,
            limits: configuration.limits,
            reporter: reporter,
            clock: world.clock,
            installation: { journal.installation }
        )
        timers = TimerDriver(launchState: world.launchState, clock: world.clock, boot: world.facts.boot)
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
                _ = await delivery.flush(timeout: Self.longestFlush, forcesQueues: false)
            },
            stop: { lastFlush in
                if lastFlush > .zero {
                    await queue.run { _ = journal.drain() }
                    _ = await delivery.flush(timeout: lastFlush, forcesQueues: false)
                }
                await delivery.suspend(timeout: .zero)
            },
            discard: { await queue.run { consents.discard() } }
        )
    }

    /// How long what waits may be sent when the app leaves and nobody said how long it has.
    private static let longestFlush = Duration.seconds(30)

    private static func openJournal(
        _ configuration: Configuration,
        _ world: World,
        expecting expected: [DestinationID]
    ) throws(TrackwayError) -> Journal {
        do throws(JournalError) {
            return try Journal(
                JournalConfiguration(
                    folder: world.folder,
                    destinations: configuration.destinations.map(\.id),
                    expected: expected,
                    maximumBytes: configuration.maximumJournalBytes,
                    maximumAge: configuration.maximumJournalAge,
                    segmentBytes: world.segmentBytes
                ),
                clock: world.clock,
                bootID: world.facts.boot,
                storage: world.storage
            )
        } catch {
            throw TrackwayError(
                .storageUnavailable,
                "the storage folder \(world.folder) cannot be used; make it writable or configure another storageFolder",
                cause: error
            )
        }
    }

    private static func openSettings(
        _ configuration: Configuration,
        _ world: World,
        _ queue: StorageQueue,
        _ reporter: DiagnosticReporter
    ) throws(TrackwayError) -> SettingsFile {
        do throws(StorageError) {
            return try SettingsFile(
                ConsentRules(configuration),
                folder: world.folder,
                storage: world.storage,
                queue: queue,
                reporter: reporter
            )
        } catch {
            throw TrackwayError(
                .storageUnavailable,
                "consent and identity in \(world.folder) exist but cannot be read now; nothing was changed, try again "
                    + "when the folder is accessible",
                cause: error
            )
        }
    }
}
