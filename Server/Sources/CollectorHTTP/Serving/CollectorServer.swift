// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import Collector
internal import Hummingbird
internal import HummingbirdCore
public import Logging
internal import NIOCore
public import ServiceLifecycle
public import TrackwayEvents
internal import TrackwayJournal

/// The collector on the network, as a service: listens until it is asked to stop, finishes what it has begun, and closes
/// the intake.
public struct CollectorServer: Service, CustomStringConvertible {
    /// The name by which logs call it: without one they would show all that it holds.
    public let description = "collector"

    private let dependencies: CollectorDependencies
    private let responder: CollectorResponder
    private let keys: any KeyStore
    private let alerts: AlertService
    /// Under which address the page is reached.
    private let page: Locked<String>
    private let logger: Logger
    private let listening: @Sendable (Int) -> Void

    /// A server for an open intake.
    ///
    /// - Parameters:
    ///   - configuration: Where to listen and what to allow.
    ///   - intake: The open intake; the server closes it when it ends.
    ///   - store: The index that answers questions.
    ///   - analysis: What answers questions that go over many events in place of the index; nil for the index.
    ///   - keys: Who may send and read.
    ///   - assets: The page's files.
    ///   - contentSecurityPolicy: What browsers allow the page to do.
    ///   - sensorsConfiguration: What clients of Sensors Analytics get for a remote configuration.
    ///   - usagePolicies: What is wanted of the usage reports of each application.
    ///   - boards: The saved questions.
    ///   - alerts: The alerts, and what telling about them takes.
    ///   - plan: The tracking plan in force, the one that events are checked by while they are indexed; nil for none.
    ///   - zones: Knows the time zones that questions name.
    ///   - resources: What the collector uses of its machine, for its metrics.
    ///   - clock: The time.
    ///   - sleep: Waits, for alerts; ends early when it is cancelled.
    ///   - logger: Where to say what a person should know.
    ///   - listening: Called with the port once connections are accepted.
    public init(
        configuration: CollectorConfiguration,
        intake: any RecordIntake,
        store: any EventStore,
        analysis: (any AnalysisStore)? = nil,
        keys: any KeyStore,
        assets: [WebAsset] = [],
        contentSecurityPolicy: String = "default-src 'self'",
        sensorsConfiguration: SensorsConfigurationFile? = nil,
        usagePolicies: UsagePolicyFile? = nil,
        boards: BoardStore,
        alerts: AlertTelling,
        plan: PlanChecker? = nil,
        zones: @escaping ZoneDirectory = { name, _ in name == "UTC" ? .utc : nil },
        resources: @escaping @Sendable () -> ResourceUse = { ResourceUse() },
        clock: any EventClock = SystemClock(),
        // Cancelled when there is something to do before.
        sleep: @escaping @Sendable (Duration) async -> Void = { try? await ContinuousClock().sleep(for: $0) },
        logger: Logger,
        listening: @escaping @Sendable (Int) -> Void = { _ in }
    ) {
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
            // Cancelled when there is room in time.
            bodies: BodyBudget(configuration.limits, clock: clock) { try? await ContinuousClock().sleep(for: $0) },
            erasures: ErasureMeter(clock: clock),
            sensorsConfiguration: sensorsConfiguration,
            usagePolicies: usagePolicies,
            connections: ConnectionLimit(configuration.connections),
            quarantine: Locked(QuarantineQuota(bytesPerDay: configuration.limits.quarantineBytesPerDay)),
            resources: resources,
            started: clock.now()
        )
        let queries = QueryEndpoints(dependencies: dependencies)
        let questions = QuestionEndpoints(dependencies: dependencies, zones: zones)
        let catalogue = CatalogueEndpoints(dependencies: dependencies, zones: zones)
        let page = Locked(alerts.page ?? "")
        let service = AlertService(
            alerts,
            evaluator: AlertEvaluator(dependencies: dependencies, zones: zones, slots: questions.slots, sleep: sleep),
            policy: configuration.webhooks,
            clock: clock,
            sleep: sleep,
            page: { page.withLock { $0 } },
            logger: logger
        )
        self.alerts = service
        self.page = page
        let failed = FailedEndpoints(dependencies: dependencies, zones: zones)
        let cards = CardAnswers(queries: queries, questions: questions, catalogue: catalogue, failed: failed)
        let resources: [any RoutedResource] = [
            IntakeEndpoint(dependencies: dependencies), ClickstreamEndpoint(dependencies: dependencies),
            SensorsEndpoint(dependencies: dependencies), SiftEndpoint(dependencies: dependencies),
            SAPUsageEndpoint(dependencies: dependencies), queries, EventLifeEndpoint(dependencies: dependencies),
            BehaviorEndpoints(dependencies: dependencies), PeopleEndpoints(dependencies: dependencies), questions,
            catalogue,
            PlanEndpoints(dependencies: dependencies, plan: plan), failed, DeviceEndpoints(dependencies: dependencies),
            BoardEndpoints(dependencies: dependencies, boards: boards, cards: cards, catalogue: catalogue),
            AlertEndpoints(dependencies: dependencies, service: service),
            FollowerEndpoints(dependencies: dependencies), ExpectationEndpoint(dependencies: dependencies),
            UsageReportEndpoint(dependencies: dependencies), ErasureEndpoint(dependencies: dependencies),
            ReplayEndpoint(dependencies: dependencies), ResetEndpoint(dependencies: dependencies),
            StatusEndpoints(dependencies: dependencies, alerts: service.store),
            PageEndpoint(assets, contentSecurityPolicy: contentSecurityPolicy),
        ]
        responder = CollectorResponder(resources, dependencies: dependencies)
        self.keys = keys
        self.logger = logger
        self.listening = listening
    }

    /// Serves until a graceful shutdown or cancellation.
    ///
    /// - Throws: What keeps the server from listening, such as an address in use.
    public func run() async throws {
        do {
            try await application().run()
        } catch {
            await dependencies.intake.close()
            throw error
        }
        await dependencies.intake.close()
    }

    /// How many connections more than allowed are accepted: one that comes makes another go, which takes a moment.
    private static let leavingConnections = 64

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
                    configuration.connections + Self.leavingConnections
                )
            ),
            services: [
                Reloading(keys: keys, policies: dependencies.usagePolicies, logger: logger),
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

/// What every endpoint works with.
struct CollectorDependencies: Sendable {
    let configuration: CollectorConfiguration
    let intake: any RecordIntake
    let store: any EventStore
    let analysis: (any AnalysisStore)?
    let authorization: Authorization
    let clock: any EventClock
    let bodies: BodyBudget
    let erasures: ErasureMeter
    let sensorsConfiguration: SensorsConfigurationFile?
    let usagePolicies: UsagePolicyFile?
    let connections: ConnectionLimit
    let statistics = Locked(RequestStatistics())
    let quarantine: Locked<QuarantineQuota>
    let resources: @Sendable () -> ResourceUse
    /// When the collector was started.
    let started: Moment
    /// How long answers to readers took.
    let reads = Locked(DurationCounts())
    /// How far the index was behind when it was asked before.
    let lags = Locked(LagHistory())

    /// What answers questions that go over many events.
    var questions: any QuestionStore { analysis ?? store }

    /// Returns how long the index has been behind what has arrived, counted from the start of the collector at most.
    func indexLag() -> Duration {
        let (end, read) = (intake.end, store.indexed)
        let indexed = LogPosition(segment: read.segment, offset: read.offset)
        let now = clock.now().monotonic
        return lags.withLock { $0.lag(end: end, indexed: indexed, at: now) }
    }
}

/// Looks about once a second whether the keys or the usage policies have changed, so that changing them needs no restart.
private struct Reloading: Service, CustomStringConvertible {
    let description = "reloading of keys and policies"
    let keys: any KeyStore
    let policies: UsagePolicyFile?
    let logger: Logger

    func run() async throws {
        // Ends by cancellation, which is how a graceful shutdown arrives here.
        try? await cancelWhenGracefulShutdown {
            var complaint: KeyFileError?
            var policyComplaint: UsagePolicyError?
            while true {
                try await ContinuousClock().sleep(for: .seconds(1))
                do throws(KeyFileError) {
                    try keys.reload()
                    complaint = nil
                } catch {
                    // Said once, not every second.
                    if error != complaint { logger.error("The keys known before stay in force: \(error)") }
                    complaint = error
                }
                do throws(UsagePolicyError) {
                    try policies?.reload()
                    policyComplaint = nil
                } catch {
                    if error != policyComplaint {
                        logger.error("The usage policies known before stay in force: \(error)")
                    }
                    policyComplaint = error
                }
            }
        }
    }
}
