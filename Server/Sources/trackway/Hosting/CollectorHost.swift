// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
internal import CollectorColumns
internal import CollectorHTTP
internal import CollectorStore
internal import CollectorStream
internal import CollectorWeb
internal import Foundation
internal import Logging
internal import NIOCore
internal import ServiceLifecycle
internal import Trackway
internal import TrackwayEvents
internal import TrackwayJournal
internal import UnixSignals

/// A whole collector: the one place where intake, index, server and page are connected.
struct CollectorHost: Sendable {
    /// Where the data lies.
    var folder: CollectorFolder
    /// Where to listen and what to allow.
    var configuration: CollectorConfiguration
    /// What keeps the records in place of a log; nil for the log.
    var engine: EngineSettings?
    /// The database that answers questions in place of the index; nil for the index.
    var analysis: ClickHouseClient?
    /// Whether there is an index; else the database answers everything.
    var hasIndex = true
    /// How the intake log is laid out, and how much may wait.
    var intake = IntakeOptions()
    /// A key that is accepted beside those of the key file; for developers.
    var developmentKey: String?
    /// The file with the remote configuration for clients of Sensors Analytics; in the folder when nil.
    var sensorsConfiguration: String?
    /// Under which address people reach the page, for what is told about alerts; nil for the one it listens on.
    var page: String?
    /// The tracking plan that events are checked by; nil for none.
    var plan: PlanChecker?
    /// Where the server says what a person should know.
    var logger: Logger

    /// Runs until one of the signals arrives or the task is cancelled. What was answered by then is on stable storage.
    ///
    /// - Parameters:
    ///   - signals: Signals that end it in good order.
    ///   - ready: Called with the port once connections are accepted.
    /// - Throws: ``CommandFailure`` when the folder, a file or the port cannot be had.
    func run(
        endingOn signals: [UnixSignal],
        ready: @escaping @Sendable (Int) -> Void
    ) async throws(CommandFailure) {
        try folder.make()
        let keys = try openKeys()
        let policies = try folder.openUsagePolicies()
        let stores = try await openStores()
        let store = stores.answering
        let records = try openRecords(stores.index, indexed: store.indexed)
        stores.engine.withLock { $0 = records.engine }
        // Behind the folder's lock: no other collector has them.
        let boards = BoardStore(
            path: configuration.isEphemeral ? nil : folder.boards,
            at: SystemClock().now().wall,
            chance: Self.chance,
            notice: { [logger] in logger.warning("\($0)") }
        )
        let server = CollectorServer(
            configuration: configuration,
            intake: records.intake,
            store: store,
            analysis: stores.tables,
            keys: keys,
            assets: CollectorPage.assets,
            contentSecurityPolicy: CollectorPage.contentSecurityPolicy,
            sensorsConfiguration: SensorsConfigurationFile(path: sensorsConfiguration ?? folder.sensorsConfiguration),
            usagePolicies: policies,
            boards: boards,
            alerts: AlertTelling(
                store: openAlerts(),
                transport: SystemTransport.make(),
                resolve: SystemResolver.addresses,
                page: page
            ),
            plan: plan,
            zones: SystemZones.offsets,
            logger: logger,
            listening: ready
        )
        let looking = Task { await watch(stores) }
        let outcome = await serve(server, records, stores, endingOn: signals)
        looking.cancel()
        await looking.value
        records.lock?.release()
        do {
            try stores.index?.close()
        } catch {
            logger.warning("\(error)")
        }
        try outcome.get()
    }

    private func serve(
        _ server: CollectorServer,
        _ records: CollectorRecords,
        _ stores: CollectorStores,
        endingOn signals: [UnixSignal]
    ) async -> Result<Void, CommandFailure> {
        let indexing = Task { await records.indexer?.run() }
        let connections = Task { await records.engine?.run() }
        var outcome = Result<Void, CommandFailure>.success(())
        do {
            if let engine = records.engine { try await prove(engine, records.indexer, stores.index) }
            // Only now it is known of which stream the tables have to be.
            try await check(stores)
        } catch {
            outcome = .failure(error)
        }
        if case .success = outcome {
            let telling = Task { await tellPlace(of: stores.index, to: records.engine) }
            outcome = await serve(server, endingOn: signals)
            telling.cancel()
            await telling.value
        }
        connections.cancel()
        indexing.cancel()
        await connections.value
        await indexing.value
        return outcome
    }

    private func serve(_ server: CollectorServer, endingOn signals: [UnixSignal]) async -> Result<Void, CommandFailure>
    {
        var options = ServiceGroupConfiguration(
            services: [.init(service: server)],
            gracefulShutdownSignals: signals,
            logger: logger
        )
        // A client that keeps its connection open must not keep the collector from ending.
        options.maximumGracefulShutdownDuration = .seconds(10)
        do {
            try await ServiceGroup(configuration: options).run()
            return .success(())
        } catch is CancellationError {
            return .success(())
        } catch {
            return .failure(portFailure(error))
        }
    }

    private func openAlerts() -> AlertStore {
        AlertStore(
            path: configuration.isEphemeral ? nil : folder.alerts,
            statusPath: configuration.isEphemeral ? nil : folder.alertStates,
            policy: configuration.webhooks,
            at: SystemClock().now(),
            chance: Self.chance,
            notice: { [logger] in logger.warning("\($0)") }
        )
    }

    /// Where chance comes from.
    @Sendable static func chance() -> UInt64 {
        var generator = SystemRandomNumberGenerator()
        return generator.next()
    }

    /// Waits; ends early when it is cancelled.
    @Sendable static func sleep(_ duration: Duration) async {
        // Cancelled when there is something to do before.
        try? await ContinuousClock().sleep(for: duration)
    }

    private func openKeys() throws(CommandFailure) -> KeyFile {
        do {
            return try KeyFile(path: folder.keys, developmentKey: developmentKey)
        } catch {
            throw CommandFailure(error)
        }
    }

    /// Opens the intake log.
    func openIntake(
        committed: @escaping @Sendable (LogPosition) -> Void
    ) throws(CommandFailure) -> Intake {
        do {
            return try Intake(
                folder: folder.intake,
                options: intake,
                durability: configuration.isEphemeral ? .memory : .disk,
                clock: SystemClock(),
                committed: committed
            )
        } catch let error as JournalError where error.code == .locked {
            throw CommandFailure(
                .cannotCreate,
                "another collector runs on \(folder.path)",
                remedy: "end it first, or name another folder with --data"
            )
        } catch {
            throw CommandFailure(
                .cannotCreate,
                "the intake log cannot be opened: \(error)",
                remedy: "see who may write \(folder.path), or name another folder with --data"
            )
        }
    }

    private func portFailure(_ error: any Error) -> CommandFailure {
        let address = "\(configuration.host):\(configuration.port)"
        switch (error as? IOError)?.errnoCode {
        case EADDRINUSE:
            return CommandFailure(
                .cannotCreate,
                "\(address) is taken by another program",
                remedy: "choose another port with --port, or a free one with --port 0"
            )
        case EACCES:
            return CommandFailure(
                .cannotCreate,
                "\(address) may not be used by this user",
                remedy: "choose a port from 1024 on with --port"
            )
        case EADDRNOTAVAIL:
            return CommandFailure(
                .cannotCreate,
                "this machine has no address \(configuration.host)",
                remedy: "see --host"
            )
        default:
            return CommandFailure(.internalFailure, "the collector stopped: \(error)")
        }
    }
}
