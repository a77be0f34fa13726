// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import CollectorTesting
internal import Logging
internal import ServiceLifecycle
internal import TrackwayCore
internal import TrackwayDestinationKit
internal import TrackwayJournal
internal import TrackwayTesting

@testable import CollectorHTTP

/// A loopback collector with in-memory storage and an in-memory index.
struct CollectorUnderTest: Sendable {
    let port: Int
    let storage: FaultyStorage
    let memory: MemoryStorage
    let store: InMemoryEventStore
    let clock: ManualClock
    let keys: Keys
    let policies: UsagePolicyFile
    /// The erasures; nil as in a cluster.
    let erasures: ErasureQueue?
    /// Receives the webhooks of alerts.
    let receiver: ScriptedTransport
    let shutDown: @Sendable () async -> Void

    /// The key for erasures.
    static let erasureKey = ErasureKey(randomUInt64: { 0x5eed })

    /// Fixed keys that can be revoked.
    final class Keys: KeyStore {
        private let revoked = Locked<Set<String>>([])

        func revoke(_ key: String) { revoked.withLock { _ = $0.insert(key) } }

        func grant(for key: String) -> KeyGrant? {
            guard !revoked.withLock({ $0.contains(key) }) else { return nil }
            return switch key {
            case "write": KeyGrant(name: "shop", scopes: [.write], accounts: Self.accounts)
            case "both": KeyGrant(name: "operator", scopes: [.write, .read])
            case "read": KeyGrant(name: "desk", scopes: [.read])
            case "few": KeyGrant(name: "few", scopes: [.write], limits: KeyLimits(eventsPerDay: 2))
            default: nil
            }
        }

        private static let accounts: [VendorAccount] = [
            .siftAccount("acct_1"), .clickstreamApp("shop_ios"), .sensorsProject("production"),
            .sensorsProject("default"), .sapApplication("org.example.shop"),
        ]

        func grant(for account: VendorAccount) -> KeyGrant? {
            switch account {
            case .clickstreamApp("shop_ios"), .sensorsProject("production"), .sensorsProject("default"),
                .sapApplication("org.example.shop"):
                KeyGrant(name: "shop", scopes: [.write])
            default: nil
            }
        }
        func reload() throws(KeyFileError) {}
    }

    /// Runs a collector while `body` runs, then stops it gracefully.
    ///
    /// - Parameters:
    ///   - intake: Accepts the records; nil for a log in memory.
    ///   - analysis: Answers analytics queries instead of the in-memory index; nil for the index.
    ///   - hasErasures: Whether the collector erases users.
    ///   - resources: Returns the collector's resource use.
    ///   - requestLog: Receives the lines of the request log.
    ///   - step: The time between two readings of the clock for durations of requests.
    static func run(
        _ change: (inout CollectorConfiguration) -> Void = { _ in },
        options: IntakeOptions = CollectorUnderTest.options,
        capacity: Int? = nil,
        plan: PlanChecker? = nil,
        intake given: (any RecordIntake)? = nil,
        analysis: (any AnalysisStore)? = nil,
        hasErasures: Bool = false,
        resources: @escaping @Sendable () -> ResourceUse = { ResourceUse() },
        requestLog: (@Sendable ([UInt8]) -> Void)? = nil,
        step: Duration = .zero,
        _ body: @Sendable @escaping (CollectorUnderTest) async throws -> Void
    ) async throws {
        var configuration = CollectorConfiguration(port: 0)
        change(&configuration)
        let memory = MemoryStorage(capacity: capacity)
        let storage = FaultyStorage(memory)
        let clock = ManualClock()
        let instant = Locked(ContinuousClock.now)
        let keys = Keys()
        let store = InMemoryEventStore()
        let policies = try UsagePolicyFile(path: "/data/usage-policies", storage: memory)
        let intake =
            try given
            ?? Intake(
                folder: "/data/intake",
                storage: storage,
                options: options,
                durability: configuration.isEphemeral ? .memory : .disk,
                clock: clock
            )
        let receiver = ScriptedTransport()
        let erasures =
            hasErasures
            ? try ErasureQueue(ErasureFiles(folder: "/data/erasures", storage: storage), key: erasureKey) : nil
        let (ports, sender) = AsyncStream.makeStream(of: Int.self)
        let server = CollectorServer(
            configuration: configuration,
            intake: intake,
            store: store,
            analysis: analysis,
            erasureQueue: erasures,
            keys: keys,
            assets: [
                WebAsset(path: "/", contentType: "text/html; charset=utf-8", body: Array("<p>hello".utf8)),
                WebAsset(path: "/long.txt", contentType: "text/plain", body: Array(repeating: 120, count: 2_000)),
            ],
            contentSecurityPolicy: "default-src 'none'",
            sensorsConfiguration: SensorsConfigurationFile(path: "/data/sensors-config.json", storage: memory),
            usagePolicies: policies,
            boards: BoardStore(
                path: "/data/boards.json",
                storage: storage,
                at: clock.now().wall,
                randomUInt64: { [random = Locked(SeededGenerator(seed: 7))] in random.withLock { $0.next() } }
            ),
            alerts: AlertNotificationDependencies(
                store: AlertStore(
                    path: "/data/alerts.json",
                    statusPath: "/data/alert-states.json",
                    storage: storage,
                    policy: configuration.webhooks,
                    at: clock.now(),
                    randomUInt64: { [random = Locked(SeededGenerator(seed: 8))] in random.withLock { $0.next() } }
                ),
                transport: receiver,
                resolve: { name in name.hasPrefix("inside") ? [.v4(0x0a00_0001)] : [.v4(0x5db8_d822)] },
                page: "https://collector.example.com"
            ),
            plan: plan,
            resources: resources,
            requestLog: requestLog,
            clock: clock,
            instant: {
                instant.withLock { instant in
                    instant = instant.advanced(by: step)
                    return instant
                }
            },
            sleep: { await ManualSleeper(clock).sleep(until: clock.now().monotonic.advanced(by: $0)) },
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
            listening: { sender.yield($0) }
        )
        let group = ServiceGroup(
            services: [server],
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        )
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try await group.run() }
            tasks.addTask {
                guard let port = await ports.first(where: { _ in true }) else { return }
                let collector = CollectorUnderTest(
                    port: port,
                    storage: storage,
                    memory: memory,
                    store: store,
                    clock: clock,
                    keys: keys,
                    policies: policies,
                    erasures: erasures,
                    receiver: receiver,
                    shutDown: { await group.triggerGracefulShutdown() }
                )
                do {
                    try await body(collector)
                } catch {
                    storage.release()
                    await group.triggerGracefulShutdown()
                    throw error
                }
                await group.triggerGracefulShutdown()
            }
            try await tasks.waitForAll()
        }
    }

    static var options: IntakeOptions {
        var options = IntakeOptions()
        options.segmentBytes = 64 << 10
        options.reserveBytes = 0
        return options
    }

    /// Sends one request on a separate connection.
    func request(
        _ method: String,
        _ path: String,
        _ headers: [String: String] = [:],
        body: [UInt8]? = nil
    ) async throws -> TestHTTPResponse {
        try await Wire.request(method, path, headers, body: body, port: port)
    }

    /// Sends `POST /v1/events` with a key that may write.
    func post(_ body: [UInt8], _ headers: [String: String] = [:]) async throws -> TestHTTPResponse {
        try await request("POST", "/v1/events", ["authorization": "Bearer write"].merging(headers) { $1 }, body: body)
    }

    /// Returns the intake log's records of a kind after power loss.
    func kept(_ kind: FrameKind) throws -> [[UInt8]] {
        var reader = LogReader(folder: "/data/intake", storage: memory.afterPowerLoss(), isComplete: true)
        var records: [[UInt8]] = []
        while let entry = try reader.next() {
            if entry.kind == kind { records.append(reader.payload(of: entry)) }
        }
        return records
    }
}
