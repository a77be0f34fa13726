// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import CollectorCore
internal import Hummingbird
internal import HummingbirdCore
public import Logging
internal import NIOCore
public import ServiceLifecycle
public import TrackwayCore
internal import TrackwayJournal

/// The collector's HTTP server, as a service.
///
/// The server listens until a shutdown is requested. It then finishes the requests that have begun and closes the
/// intake.
public struct CollectorServer: Service, CustomStringConvertible {
    /// The name in logs, which would otherwise contain all properties.
    public let description = "collector"

    private let dependencies: CollectorDependencies
    private let responder: CollectorResponder
    private let keys: any KeyStore
    private let alerts: AlertService
    /// The URL of the page.
    private let page: Locked<String>
    private let logger: Logger
    private let listening: @Sendable (Int) -> Void

    /// Creates a server for an open intake.
    ///
    /// - Parameters:
    ///   - configuration: The addresses, permissions, and limits.
    ///   - intake: The open intake, which the server closes when the server stops.
    ///   - store: The index that answers queries.
    ///   - analysis: The store that answers analytics queries; nil to use the index.
    ///   - erasureQueue: The erasures of the collector; nil in a cluster.
    ///   - erasureRegister: The erasures of the collector or its cluster; nil to use `erasureQueue`.
    ///   - keys: The keys for sending and reading.
    ///   - assets: The page's files.
    ///   - contentSecurityPolicy: The page's content security policy for browsers.
    ///   - sensorsConfiguration: The remote configuration for clients of Sensors Analytics.
    ///   - usagePolicies: The policies for the usage reports of each application.
    ///   - boards: The store of boards.
    ///   - cohorts: The saved cohorts, which conditions of queries can name; nil keeps them in memory only.
    ///   - alerts: The alerts and the dependencies for sending notifications.
    ///   - plan: The current tracking plan, which events are checked against during indexing; nil for none.
    ///   - zones: Returns the time zones used in queries.
    ///   - resources: Returns the collector's resource usage, for metrics.
    ///   - requestLog: Writes a line of JSON for each request, without a line feed; nil for no log. Must not block.
    ///   - clock: The clock for timestamps and timeouts, in milliseconds.
    ///   - instant: Returns the current instant, for the durations of requests.
    ///   - sleep: Sleeps for a duration, for alerts; returns early if canceled.
    ///   - logger: The logger for messages to the operator.
    ///   - listening: Called with the port once connections are accepted.
    public init(
        configuration: CollectorConfiguration,
        intake: any RecordIntake,
        store: any EventStore,
        analysis: (any AnalysisStore)? = nil,
        erasureQueue: ErasureQueue? = nil,
        erasureRegister: (any ErasureRegister)? = nil,
        keys: any KeyStore,
        assets: [WebAsset] = [],
        contentSecurityPolicy: String = "default-src 'self'",
        sensorsConfiguration: SensorsConfigurationFile? = nil,
        usagePolicies: UsagePolicyFile? = nil,
        boards: BoardStore,
        cohorts: CohortStore? = nil,
        alerts: AlertNotificationDependencies,
        plan: PlanChecker? = nil,
        zones: @escaping ZoneDirectory = { name, _ in name == "UTC" ? .utc : nil },
        resources: @escaping @Sendable () -> ResourceUse = { ResourceUse() },
        requestLog: (@Sendable ([UInt8]) -> Void)? = nil,
        clock: any EventClock = SystemClock(),
        instant: @escaping @Sendable () -> ContinuousClock.Instant = { .now },
        // The sleep is canceled when there is work to do earlier.
        sleep: @escaping @Sendable (Duration) async -> Void = { try? await ContinuousClock().sleep(for: $0) },
        logger: Logger,
        listening: @escaping @Sendable (Int) -> Void = { _ in }
    ) {
        let cohorts = cohorts ?? CohortStore(path: nil, at: clock.now().wall, zones: zones)
        store.use(cohorts)
        dependencies = CollectorDependencies(
            configuration: configuration,
            intake: intake,
            store: store,
            analysis: analysis,
            authorization: Authorization(
                keys: keys,
                meter: KeyMeter(defaults: configuration.keyLimits, clock: clock),
                guest: configuration.isOpenForSending
                    ? KeyGrant(name: "anybody", scopes: Set(KeyScope.allCases), accounts: nil) : nil
            ),
            clock: clock,
            instant: instant,
            // The sleep is canceled if memory becomes available in time.
            bodies: BodyBudget(configuration.limits, clock: clock) { try? await ContinuousClock().sleep(for: $0) },
            erasures: ErasureMeter(clock: clock),
            erasureQueue: erasureQueue,
            erasureRegister: erasureRegister ?? erasureQueue,
            sensorsConfiguration: sensorsConfiguration,
            usagePolicies: usagePolicies,
            connections: ConnectionLimit(configuration.connections),
            quarantine: Locked(QuarantineQuota(bytesPerDay: configuration.limits.quarantineBytesPerDay)),
            resources: resources,
            started: clock.now(),
            requestLog: requestLog
        )
        let queries = QueryEndpoints(dependencies: dependencies)
        let analytics = AnalyticsEndpoints(dependencies: dependencies, zones: zones)
        let catalog = CatalogEndpoints(dependencies: dependencies, zones: zones)
        let page = Locked(alerts.page ?? "")
        let service = AlertService(
            alerts,
            evaluator: AlertEvaluator(dependencies: dependencies, zones: zones, slots: analytics.slots, sleep: sleep),
            policy: configuration.webhooks,
            clock: clock,
            sleep: sleep,
            page: { page.withLock { $0 } },
            logger: logger
        )
        self.alerts = service
        self.page = page
        let failed = FailedEndpoints(dependencies: dependencies, zones: zones)
        let cards = CardQueries(queries: queries, analytics: analytics, catalog: catalog, failed: failed)
        let resources: [any RoutedResource] = [
            IntakeEndpoint(dependencies: dependencies), ClickstreamEndpoint(dependencies: dependencies),
            SensorsEndpoint(dependencies: dependencies), SiftEndpoint(dependencies: dependencies),
            SAPUsageEndpoint(dependencies: dependencies), queries, EventTraceEndpoint(dependencies: dependencies),
            BehaviorEndpoints(dependencies: dependencies), PeopleEndpoints(dependencies: dependencies), analytics,
            catalog,
            PlanEndpoints(dependencies: dependencies, plan: plan), failed, DeviceEndpoints(dependencies: dependencies),
            BoardEndpoints(dependencies: dependencies, boards: boards, cards: cards, catalog: catalog),
            AlertEndpoints(dependencies: dependencies, service: service),
            CohortEndpoints(dependencies: dependencies, cohorts: cohorts, zones: zones),
            FollowerEndpoints(dependencies: dependencies), ExpectationEndpoint(dependencies: dependencies),
            UsageReportEndpoint(dependencies: dependencies), ErasureEndpoint(dependencies: dependencies),
            UserErasureEndpoints(dependencies: dependencies), UserMergeEndpoints(dependencies: dependencies),
            ConsentEndpoints(dependencies: dependencies), SettingsEndpoint(dependencies: dependencies),
            PersonExportEndpoints(dependencies: dependencies), InventoryEndpoint(dependencies: dependencies),
            ReplayEndpoint(dependencies: dependencies), ResetEndpoint(dependencies: dependencies),
            StatusEndpoints(dependencies: dependencies, alerts: service.store),
            ConnectionEndpoint(dependencies: dependencies),
            PageEndpoint(assets, contentSecurityPolicy: contentSecurityPolicy),
        ]
        responder = CollectorResponder(resources, dependencies: dependencies)
        self.keys = keys
        self.logger = logger
        self.listening = listening
    }

    /// Serves until a graceful shutdown or cancellation.
    ///
    /// - Throws: An error that prevents listening, such as an address that is already in use.
    public func run() async throws {
        do {
            try await application().run()
        } catch {
            await dependencies.intake.close()
            throw error
        }
        await dependencies.intake.close()
    }

    /// The number of connections accepted beyond the limit.
    ///
    /// Each new connection beyond the limit closes another one, which takes a moment.
    private static let closingConnections = 64

    private func application() -> some ApplicationProtocol {
        let configuration = dependencies.configuration
        let listening = listening
        let connections = dependencies.connections
        let page = page
        return Application(
            responder: responder,
            server: .http1(
                configuration: .init(
                    additionalChannelHandlers: [
                        RequestTargetInstaller(), RequestDeadlineHandler(configuration, connections),
                    ],
                    httpDecoderConfiguration: .init(
                        maxHeaderFieldSize: 16 << 10,
                        maxHeaderListSize: 32 << 10,
                        maxHeaderFieldCount: 100
                    )
                )
            ),
            configuration: ApplicationConfiguration(
                address: .hostname(configuration.host, port: configuration.port),
                serverName: "trackway",
                backlog: 1_024,
                availableConnectionsDelegate: MaximumAvailableConnections(
                    configuration.connections + Self.closingConnections
                )
            ),
            services: [
                ConfigurationReloader(keys: keys, policies: dependencies.usagePolicies, logger: logger),
                RefusalLog(statistics: dependencies.statistics, logger: logger), alerts,
            ],
            onServerRunning: { channel in
                let port = channel.localAddress?.port ?? configuration.port
                page.withLock { page in
                    let host = configuration.host.contains(":") ? "[\(configuration.host)]" : configuration.host
                    if page.isEmpty { page = "http://\(host):\(port)" }
                }
                listening(port)
            },
            logger: logger
        )
    }
}

/// The dependencies of the endpoints.
struct CollectorDependencies: Sendable {
    let configuration: CollectorConfiguration
    let intake: any RecordIntake
    let store: any EventStore
    let analysis: (any AnalysisStore)?
    let authorization: Authorization
    let clock: any EventClock
    /// Returns the current instant, for durations that are too short for ``clock``.
    let instant: @Sendable () -> ContinuousClock.Instant
    let bodies: BodyBudget
    let erasures: ErasureMeter
    /// The erasures of the collector; nil in a cluster.
    let erasureQueue: ErasureQueue?
    /// The erasures of the collector or its cluster; nil if users cannot be erased.
    let erasureRegister: (any ErasureRegister)?
    let sensorsConfiguration: SensorsConfigurationFile?
    let usagePolicies: UsagePolicyFile?
    let connections: ConnectionLimit
    let statistics = Locked(RequestStatistics())
    let quarantine: Locked<QuarantineQuota>
    let resources: @Sendable () -> ResourceUse
    /// The time at which the collector was started.
    let started: DualTimestamp
    /// The durations of responses to readers.
    let reads = Locked(DurationCounts())
    /// The durations of responses to senders whose events were stored.
    let intakes = Locked(DurationCounts())
    /// Writes a line to the request log; nil if requests are not logged.
    let requestLog: (@Sendable ([UInt8]) -> Void)?
    /// The history of the index's lag.
    let lags = Locked(LagHistory())

    /// The store that answers analytics queries.
    var analyticsStore: any AnalyticsStore { analysis ?? store }

    /// Returns how long the index has lagged behind the received data.
    ///
    /// The result is at most the time since the collector started.
    func indexLag() -> Duration { indexDelay().time }

    /// Returns how far the index lags behind the data received since the collector started.
    func indexDelay() -> IndexDelay {
        // Read the position of the index first: it never passes the end that is read after it.
        let read = store.indexed
        let (end, records) = (intake.end, intake.statistics.records)
        let indexed = LogPosition(segment: read.segment, offset: read.offset)
        let now = clock.now().monotonic
        return lags.withLock { $0.delay(end: end, indexed: indexed, records: records, at: now) }
    }
}

/// Checks about once a second for changed keys and usage policies.
///
/// Changes to keys and policies therefore do not require a restart.
private struct ConfigurationReloader: Service, CustomStringConvertible {
    let description = "reloading of keys and policies"
    let keys: any KeyStore
    let policies: UsagePolicyFile?
    let logger: Logger

    func run() async throws {
        // A graceful shutdown arrives here as cancellation.
        try? await cancelWhenGracefulShutdown {
            var lastKeyError: KeyFileError?
            var lastPolicyError: UsagePolicyError?
            while true {
                try await ContinuousClock().sleep(for: .seconds(1))
                do throws(KeyFileError) {
                    try keys.reload()
                    lastKeyError = nil
                } catch {
                    // Log each error once, not every second.
                    if error != lastKeyError { logger.error("The previous keys remain valid: \(error)") }
                    lastKeyError = error
                }
                do throws(UsagePolicyError) {
                    try policies?.reload()
                    lastPolicyError = nil
                } catch {
                    if error != lastPolicyError {
                        logger.error("The previous usage policies remain valid: \(error)")
                    }
                    lastPolicyError = error
                }
            }
        }
    }
}
