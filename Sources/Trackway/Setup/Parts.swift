// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayBehavior
internal import TrackwayDelivery
internal import TrackwayEvents
internal import TrackwayJournal
internal import TrackwayWire

/// The parts of an ``Analytics``, put together in the order in which they need each other.
struct Parts {
    let world: World
    let reporter: DiagnosticReporter
    let queue: StorageQueue
    let settings: SettingsFile
    let journal: Journal
    let recorder: Recorder
    let stage: Stage
    let dynamic: DynamicAttributes
    let behavior: BehaviorDriver
    let control: ControlDriver
    let delivery: DeliveryService
    let commits: GroupCommitter<JournalError>
    let work: ControlWork

    init(_ configuration: Configuration, _ world: World) throws(TrackwayError) {
        self.world = world
        let reporter = DiagnosticReporter(configuration.onDiagnostic, log: world.log)
        let queue = StorageQueue(label: "trackway.storage")
        let journal = try Self.openJournal(configuration, world)
        let settings = try Self.openSettings(world, queue, reporter)
        let known = settings.current
        let machine = ControlMachine(
            consent: known.consent ?? configuration.consent,
            isEnabled: known.isEnabled ?? configuration.isEnabled
        )
        let control = ControlDriver(machine, logsEvents: configuration.logEvents)
        let context = RecordedContext(
            app: world.facts.app,
            device: world.facts.device,
            boot: world.facts.boot,
            user: RecordedContext.User(id: known.user),
            global: known.global
        )
        let transport = PermittedTransport(configuration.transport ?? world.transport) {
            settings.refresh()
            control.follow(settings)
            return control.machine.isAllowedToSend
        }
        let delivery = DeliveryService(
            journal: journal,
            routes: configuration.destinations.map { destination in
                DeliveryRoute(
                    destination: destination,
                    policy: configuration.deliveryExceptions[destination.id] ?? configuration.delivery
                )
            },
            transport: transport,
            clock: world.clock,
            sleeper: world.sleeper,
            random: world.random,
            memory: RetryFile(folder: world.folder, storage: world.storage, boot: world.facts.boot),
            report: { notice in
                if let diagnostic = Diagnostic(notice) { reporter.report(diagnostic) }
            }
        )
        self.reporter = reporter
        self.queue = queue
        self.settings = settings
        self.journal = journal
        self.control = control
        self.delivery = delivery
        recorder = Recorder(
            gate: control.gate,
            clock: world.clock,
            ids: world.ids,
            limits: configuration.limits,
            journal: journal,
            delivery: delivery
        )
        stage = Stage(context, recorder: recorder) { diagnostics, lines in
            for diagnostic in diagnostics { reporter.report(diagnostic) }
            for line in lines { world.write(line) }
        }
        dynamic = DynamicAttributes()
        behavior = BehaviorDriver(
            BehaviorSettings(sessionTimeout: configuration.sessionTimeout, capture: configuration.capture),
            launchState: world.launchState,
            file: BehaviorFile(folder: world.folder, storage: world.storage),
            stage: stage,
            control: control,
            dynamic: dynamic,
            clock: world.clock,
            boot: world.facts.boot,
            installation: { journal.installation }
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
                _ = await delivery.flush(timeout: Self.longestFlush)
            },
            stop: { lastFlush in
                if lastFlush > .zero {
                    await queue.run { _ = journal.drain() }
                    _ = await delivery.flush(timeout: lastFlush)
                }
                await delivery.suspend(timeout: .zero)
            },
            discard: { await queue.run { Self.discard(journal, reporter) } }
        )
    }

    /// How long what waits may be sent when the app leaves and nobody said how long it has.
    private static let longestFlush = Duration.seconds(30)

    private static func openJournal(_ configuration: Configuration, _ world: World) throws(TrackwayError) -> Journal {
        do throws(JournalError) {
            return try Journal(
                JournalConfiguration(
                    folder: world.folder,
                    destinations: configuration.destinations.map(\.id),
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
        _ world: World,
        _ queue: StorageQueue,
        _ reporter: DiagnosticReporter
    ) throws(TrackwayError) -> SettingsFile {
        do throws(StorageError) {
            return try SettingsFile(folder: world.folder, storage: world.storage, queue: queue, reporter: reporter)
        } catch {
            throw TrackwayError(
                .storageUnavailable,
                "consent and identity in \(world.folder) exist but cannot be read now; nothing was changed, try again "
                    + "when the folder is accessible",
                cause: error
            )
        }
    }

    /// Drops and counts everything that waits, unless another process delivers: that one finds the refusal in the
    /// settings before its next request, and does it.
    private static func discard(_ journal: Journal, _ reporter: DiagnosticReporter) {
        do throws(JournalError) {
            guard let desk = try journal.tryElection() else { return }
            defer { desk.close() }
            for destination in journal.configuration.destinations {
                try desk.discardPending(for: destination, reason: .consentDenied)
            }
        } catch {
            reporter.report(
                Diagnostic(
                    code: .notDiscarded,
                    field: "consent",
                    value: "\(error)",
                    remedy: "Nothing is sent. What waits is dropped on the next start with consent denied."
                )
            )
        }
    }
}
