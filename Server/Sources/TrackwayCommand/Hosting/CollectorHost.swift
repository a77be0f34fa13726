// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import Collector
public import CollectorHTTP
internal import CollectorWeb
internal import Foundation
public import Logging
internal import NIOCore
internal import ServiceLifecycle
internal import Trackway
internal import TrackwayEvents
internal import TrackwayJournal
public import UnixSignals

/// A whole collector: connects storage, server and page.
public struct CollectorHost: Sendable {
    /// The data folder.
    public var folder: CollectorFolder
    /// The address to listen on, and what is allowed.
    public var configuration: CollectorConfiguration
    /// Opens the records and what answers queries.
    public var storage: any CollectorStorageProvider = LocalStorageProvider()
    /// The layout of the intake log, and how much may wait.
    public var intake = IntakeOptions()
    /// A key that is accepted in addition to those of the key file; for developers.
    var developmentKey: String?
    /// The file with the remote configuration for clients of Sensors Analytics; the one in the folder when nil.
    var sensorsConfiguration: String?
    /// The page's public address, for links in alerts; nil for the address it listens on.
    var page: String?
    /// The tracking plan that events are checked against; nil for none.
    public var plan: PlanChecker?
    /// The server's log.
    public var logger: Logger

    /// Runs until one of the signals arrives or the task is canceled. Acknowledged events are on stable storage by then.
    ///
    /// - Parameters:
    ///   - signals: Signals that end it in good order.
    ///   - ready: Called with the port once connections are accepted.
    /// - Throws: ``CommandFailure`` when the folder, a file or the port cannot be used.
    public func run(
        endingOn signals: [UnixSignal],
        ready: @escaping @Sendable (Int) -> Void
    ) async throws(CommandFailure) {
        try folder.make()
        let keys = try openKeys()
        let policies = try folder.openUsagePolicies()
        let storage = try await storage.open(for: self)
        // Opened under the folder's lock: no other collector uses them.
        let boards = BoardStore(
            path: configuration.isEphemeral ? nil : folder.boards,
            at: SystemClock().now().wall,
            chance: Self.chance,
            notice: { [logger] in logger.warning("\($0)") }
        )
        let server = CollectorServer(
            configuration: configuration,
            intake: storage.intake,
            store: storage.store,
            analysis: storage.analysis,
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
            resources: { [use = FolderUse(folder: folder)] in use.now() },
            logger: logger,
            listening: ready
        )
        let outcome = await serve(server, storage, endingOn: signals)
        do {
            try storage.close()
        } catch {
            logger.warning("\(error)")
        }
        try outcome.get()
    }

    private func serve(
        _ server: CollectorServer,
        _ storage: any CollectorStorage,
        endingOn signals: [UnixSignal]
    ) async -> Result<Void, CommandFailure> {
        let background = Task { await storage.run() }
        var outcome = Result<Void, CommandFailure>.success(())
        do {
            try await storage.prepare()
        } catch {
            outcome = .failure(error)
        }
        if case .success = outcome {
            let serving = Task { await storage.runWhileServing() }
            outcome = await serve(server, endingOn: signals)
            serving.cancel()
            await serving.value
        }
        background.cancel()
        await background.value
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

    /// Returns a random number.
    @Sendable public static func chance() -> UInt64 {
        var generator = SystemRandomNumberGenerator()
        return generator.next()
    }

    /// Waits; returns early when the task is canceled.
    @Sendable public static func sleep(_ duration: Duration) async {
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
