// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import CollectorCore
internal import CollectorDashboard
public import CollectorHTTP
internal import Foundation
public import Logging
internal import NIOCore
internal import ServiceLifecycle
internal import Trackway
internal import TrackwayCore
internal import TrackwayJournal
public import UnixSignals

/// A complete collector with storage, server, and page.
public struct CollectorHost: Sendable {
    /// The data folder.
    public var folder: CollectorFolder
    /// The server's address, permissions, and limits.
    public var configuration: CollectorConfiguration
    /// The provider that opens the storage.
    public var storage: any CollectorStorageProvider = LocalStorageProvider()
    /// The layout and limits of the intake log.
    public var intake = IntakeOptions()
    /// A key for developers, accepted in addition to the keys in the key file.
    var developmentKey: String?
    /// The remote configuration file for Sensors Analytics clients; nil for the one in the folder.
    var sensorsConfiguration: String?
    /// The page's public address for links in alerts; nil for the address that the server listens on.
    var page: String?
    /// The tracking plan that events are checked against; nil for none.
    public var plan: PlanChecker?
    /// The limits on what the collector stores.
    var limits = RetentionPolicy()
    /// The log of requests; nil for none.
    var requestLog: RequestLogFile?
    /// The server's logger.
    public var logger: Logger

    /// Runs until one of the signals arrives or the task is canceled.
    ///
    /// On return, acknowledged events are on stable storage.
    ///
    /// - Parameters:
    ///   - signals: The signals that stop the collector gracefully.
    ///   - ready: Called with the port once connections are accepted.
    /// - Throws: ``CommandFailure`` if the folder, a file, or the port cannot be used.
    public func run(
        endingOn signals: [UnixSignal],
        ready: @escaping @Sendable (Int) -> Void
    ) async throws(CommandFailure) {
        try folder.make()
        let keys = try openKeys()
        let policies = try folder.openUsagePolicies()
        let storage = try await storage.open(for: self)
        // Open the boards, cohorts and alerts while the folder is locked, so that no other collector uses them.
        let boards = BoardStore(
            path: configuration.isEphemeral ? nil : folder.boards,
            at: SystemClock().now().wall,
            randomUInt64: Self.randomUInt64,
            onWarning: { [logger] in logger.warning("\($0)") }
        )
        let cohorts = CohortStore(
            path: configuration.isEphemeral ? nil : folder.cohorts,
            at: SystemClock().now().wall,
            zones: SystemZones.offsets,
            onWarning: { [logger] in logger.warning("\($0)") }
        )
        let server = CollectorServer(
            configuration: configuration,
            intake: storage.intake,
            store: storage.store,
            analysis: storage.analysis,
            erasureQueue: storage.erasures,
            erasureRegister: storage.erasureRegister,
            keys: keys,
            assets: CollectorPage.assets,
            contentSecurityPolicy: CollectorPage.contentSecurityPolicy,
            sensorsConfiguration: SensorsConfigurationFile(path: sensorsConfiguration ?? folder.sensorsConfiguration),
            usagePolicies: policies,
            boards: boards,
            cohorts: cohorts,
            alerts: AlertNotificationDependencies(
                store: openAlerts(),
                transport: SystemTransport.make(),
                resolve: SystemResolver.addresses,
                page: page
            ),
            plan: plan,
            zones: SystemZones.offsets,
            resources: { [use = ResourceMeter(folder: folder)] in use.now() },
            requestLog: requestLogWriter,
            logger: logger,
            listening: ready
        )
        let outcome = await serve(server, storage, endingOn: signals)
        requestLog?.flush()
        do {
            try storage.close()
        } catch {
            logger.warning("\(error)")
        }
        try outcome.get()
    }

    /// Appends a line to the request log; nil if requests are not logged.
    private var requestLogWriter: (@Sendable ([UInt8]) -> Void)? {
        guard let requestLog else { return nil }
        return { @Sendable line in requestLog.append(line) }
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
        // A client that keeps its connection open must not prevent the collector from stopping.
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
            randomUInt64: Self.randomUInt64,
            onWarning: { [logger] in logger.warning("\($0)") }
        )
    }

    /// Returns a random number.
    @Sendable public static func randomUInt64() -> UInt64 {
        var generator = SystemRandomNumberGenerator()
        return generator.next()
    }

    /// Waits; returns early when the task is canceled.
    @Sendable public static func sleep(_ duration: Duration) async {
        // Ignore the cancellation error, which means that there is work to do before the time has passed.
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
                "\(address) is in use by another program",
                remedy: "choose another port with --port, or a free one with --port 0"
            )
        case EACCES:
            return CommandFailure(
                .cannotCreate,
                "this user is not allowed to listen on \(address)",
                remedy: "choose a port of 1024 or higher with --port"
            )
        case EADDRNOTAVAIL:
            return CommandFailure(
                .cannotCreate,
                "this machine has no address \(configuration.host)",
                remedy: "check --host"
            )
        default:
            return CommandFailure(.internalFailure, "the collector stopped: \(error)")
        }
    }
}
