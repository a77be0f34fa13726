// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ArgumentParser
internal import CollectorClickHouse
internal import CollectorCore
internal import CollectorJetStream
internal import Foundation
internal import Logging
internal import TrackwayCommand
internal import TrackwayCore
internal import UnixSignals

/// Fills ClickHouse from a cluster's stream.
struct ClusterForwardCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "forward",
        abstract: "Fill ClickHouse from the stream.",
        discussion: """
            Reads the records that collectors write to the stream (`trackway-cluster
            serve --nats`), and writes every event once into ClickHouse tables, in
            blocks of up to 20,000 events, about a second after it arrives. The command
            keeps no state, so it may be killed at any moment, or paused for an hour.
            Two forwarders may run at once, on two machines: one writes, and the other
            is on standby and takes over within five seconds after writing stops.
            Records of erased installations are deleted from the stream. With
            --erasure-key, users are erased from the stream and the tables.

            While ClickHouse cannot be reached or accepts no writes, the command reports
            the problem and retries at least every 30 seconds; records stay in the
            stream. At startup, it waits up to --wait seconds for a majority of the NATS
            servers, but exits early if the settings of NATS or of the tables are wrong.
            `trackway-cluster cluster init` with --clickhouse creates the stream and the
            tables. Ctrl-C or SIGTERM stops the command.

            EXAMPLES
              # Forward continuously.
              trackway-cluster cluster forward --nats nats://a,nats://b,nats://c \\
                --nats-credentials nats.json \\
                --clickhouse http://clickhouse:8123/trackway
              # Write everything in the stream, and exit.
              trackway-cluster cluster forward … --until-caught-up
              # Also remove old records from the stream once they are not needed.
              trackway-cluster cluster forward … --stream-retention 7d
              # Also drop old events from ClickHouse, week by week.
              trackway-cluster cluster forward … --table-retention 26w
              # Serve /livez, /readyz, and /metrics on the loopback address.
              trackway-cluster cluster forward … --health-port 9188
            """
    )

    @OptionGroup var nats: NATSOptions
    @OptionGroup var clickhouse: ClickHouseOptions

    @OptionGroup var erasure: ErasureKeyOptions

    @Flag(help: "Exit once everything in the stream has been written.")
    var untilCaughtUp = false

    @OptionGroup var purgeOptions: StreamRetentionOptions
    @OptionGroup var expiryOptions: TableRetentionOptions

    @Option(
        help: ArgumentHelp(
            """
            Maximum time to wait at startup until a majority of the NATS servers can be reached. After that, the \
            command exits with 73.
            """,
            valueName: "seconds"
        )
    )
    var wait = 60

    @Option(help: "Port that serves /livez, /readyz, and /metrics; 0 for a free one. Default: none.")
    var healthPort: Int?

    @Option(help: "Address for --health-port. Requests need no key, and responses contain no event data.")
    var healthHost = "127.0.0.1"

    @Flag(help: "Print JSON: one line for each block, and for each problem.")
    var json = false

    @Option(help: "Log level on standard error: trace, debug, info, notice, warning, or error.")
    var logLevel = "warning"

    /// Requires a NATS cluster and a ClickHouse server, and validates the options.
    func validate() throws {
        try nats.require()
        try clickhouse.require()
        if untilCaughtUp, purgeOptions.streamRetention != nil {
            throw ValidationError(
                "--stream-retention is for continuous forwarding; with --until-caught-up, use "
                    + "`trackway-cluster cluster purge`"
            )
        }
        if untilCaughtUp, expiryOptions.tableRetention != nil {
            throw ValidationError(
                "--table-retention is for continuous forwarding; with --until-caught-up, use "
                    + "`trackway-cluster cluster expire`"
            )
        }
        if let healthPort, !(0...65_535).contains(healthPort) {
            throw ValidationError("--health-port takes 0 to 65535")
        }
        if healthHost.isEmpty { throw ValidationError("--health-host takes an address such as 127.0.0.1 or 0.0.0.0") }
        guard (0...86_400).contains(wait) else { throw ValidationError("--wait takes 0 to 86400 seconds") }
        guard Logger.Level(rawValue: logLevel) != nil else {
            throw ValidationError("--log-level takes trace, debug, info, notice, warning, or error")
        }
    }

    /// Runs until a signal stops it.
    func run() async throws {
        guard let settings = try nats.settings(), let client = try clickhouse.client() else { return }
        var logger = Logger(label: "trackway", factory: TerminalLogHandler.init(label:))
        logger.logLevel = Logger.Level(rawValue: logLevel) ?? .warning
        let health = healthPort.map { ForwardHealth(host: healthHost, port: $0) }
        let reporter = ForwardReporter(logger: logger, isJSON: json, health: health)
        let work: @Sendable (Engine) async throws -> Void = { engine in
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    for await _ in await UnixSignalsSequence(trapping: .sigterm, .sigint) { return }
                }
                group.addTask { try await forward(engine, client, reporter) }
                if let health {
                    health.setStreamEndSource { engine.intake.highest }
                    group.addTask {
                        try await health.run(logger: reporter.logger) { reporter.reportHealthAddress(health.host, $0) }
                    }
                }
                try await group.next()
                group.cancelAll()
            }
        }
        try await settings.run(
            onWarning: { [logger] in logger.warning("\($0)") },
            onRecovery: { [logger] in logger.notice("\($0)") },
            work
        )
    }

    private func forward(_ engine: Engine, _ client: ClickHouseClient, _ reporter: ForwardReporter) async throws {
        var times = DurabilityWait.Times()
        times.unknown = .seconds(wait)
        var hasWaited = false
        let origin = try await engine.origin(times: times) { reason in
            hasWaited = true
            reporter.report(.failed(reason))
        }
        if hasWaited { reporter.report(.recovered) }
        let key = try erasure.key()
        let erasures = try await engine.openErasures(
            key.map { engine.erasures(key: $0, randomUInt64: CollectorHost.randomUInt64) }
        )
        guard let store = try await open(client, origin, reporter) else { return }
        reporter.reportStart("\(client.address)")
        let forwarding = ForwardingRunner(
            engine.source(of: origin),
            store: store,
            clock: SystemClock(),
            sleep: CollectorHost.sleep,
            onEvent: { reporter.report($0) },
            onStatusChange: { reporter.reportRole($0) }
        )
        let retentionTask = Task {
            async let purged: Void = purgeOptions.run(forwarding, engine, store, reporter)
            async let expired: Void = expiryOptions.run(store, reporter)
            _ = await (purged, expired)
        }
        let deletionRunner = RecordDeletionRunner(
            engine,
            origin,
            store,
            reporter,
            erasures,
            advance: { [untilCaughtUp] in if untilCaughtUp { _ = await forwarding.run(untilCaughtUp: true) } }
        )
        let deletionTask = untilCaughtUp ? nil : Task { await deletionRunner.run() }
        let reason = await withTaskCancellationHandler {
            await forwarding.run(untilCaughtUp: untilCaughtUp)
        } onCancel: {
            retentionTask.cancel()
            deletionTask?.cancel()
        }
        for task in [retentionTask, deletionTask].compactMap({ $0 }) {
            task.cancel()
            await task.value
        }
        if let reason {
            throw CommandFailure(.inputOutput, reason)
        }
        if untilCaughtUp, !Task.isCancelled { await deletionRunner.runOnce() }
    }

    /// Opens the tables once the server can be reached.
    ///
    /// Returns nil if the task is canceled first.
    private func open(
        _ client: ClickHouseClient,
        _ origin: ColumnOrigin,
        _ reporter: ForwardReporter
    ) async throws(CommandFailure) -> ClickHouseStore? {
        var pause = Duration.milliseconds(500)
        var lastFailure: String?
        while !Task.isCancelled {
            do throws(ColumnFailure) {
                let store = try await ClickHouseTables(client).open(of: origin)
                if lastFailure != nil { reporter.report(.recovered) }
                return store
            } catch {
                if error.isPermanent { throw CommandFailure(error) }
                if lastFailure != error.description { reporter.report(.failed(error.description)) }
                lastFailure = error.description
            }
            await CollectorHost.sleep(pause)
            pause = min(pause * 2, .seconds(30))
        }
        return nil
    }
}

/// Reports progress, as log messages for people and as JSON for programs.
struct ForwardReporter: Sendable {
    /// The logger for human-readable messages.
    let logger: Logger
    /// Whether to print JSON for programs.
    let isJSON: Bool
    /// The health endpoint; nil for none.
    var health: ForwardHealth?
    private let wasStandingBy = Locked<Bool?>(nil)

    init(logger: Logger, isJSON: Bool, health: ForwardHealth? = nil) {
        self.logger = logger
        self.isJSON = isJSON
        self.health = health
    }

    /// Reports that forwarding has started.
    func reportStart(_ address: String) {
        if isJSON {
            Console.standard.write(
                json: .members(
                    ("forwarding", .string(address)),
                    ("process", .integer(Int64(ProcessInfo.processInfo.processIdentifier)))
                )
            )
        } else {
            Console.standard.note("Forwarding into \(address).")
        }
    }

    /// Reports the address of the health endpoint.
    func reportHealthAddress(_ host: String, _ port: Int) {
        let address = "http://\(host.contains(":") ? "[\(host)]" : host):\(port)"
        if isJSON {
            Console.standard.write(json: .members(("health", .string(address))))
        } else {
            Console.standard.note("Health is at \(address)/readyz, and metrics are at \(address)/metrics.")
        }
    }

    /// Whether this forwarder is known to be the one that writes.
    var isWriting: Bool { wasStandingBy.withLock { $0 } == false }

    /// Whether this forwarder stands by while another one is active.
    var isStandingBy: Bool { wasStandingBy.withLock { $0 } == true }

    /// Reports a change of role between writing and standing by.
    func reportRole(_ status: ForwardingRunner.Status) {
        health?.update(status)
        let hasChanged = wasStandingBy.withLock { value in
            defer { value = status.isStandingBy }
            return value ?? false != status.isStandingBy
        }
        guard hasChanged else { return }
        logger.info(
            "\(status.isStandingBy ? "Another forwarder is active; this one stands by." : "This forwarder is active.")"
        )
        if isJSON { Console.standard.write(json: .members(("standing_by", .boolean(status.isStandingBy)))) }
    }

    /// Reports a forwarding event.
    func report(_ event: ForwardingRunner.Event) {
        health?.record(event)
        switch event {
        case .blockWritten(let decision, let events, let repeats):
            logger.info("Block \(decision.block) was written: \(events) events, \(repeats) repeats.")
        case .failed(let reason): logger.warning("\(reason)")
        case .recovered: logger.warning("The problem is resolved.")
        }
        if isJSON { Console.standard.write(json: Self.json(event)) }
    }

    /// Returns an event as JSON.
    static func json(_ event: ForwardingRunner.Event) -> JSONValue {
        switch event {
        case .blockWritten(let decision, let events, let repeats):
            .members(
                ("block", .integer(Int64(clamping: decision.block))),
                ("first", .integer(Int64(clamping: decision.first))),
                ("last", .integer(Int64(clamping: decision.last))),
                ("events", .integer(Int64(events))),
                ("repeats", .integer(Int64(repeats)))
            )
        case .failed(let reason): .members(("trouble", .string(reason)))
        case .recovered: .members(("recovered", .boolean(true)))
        }
    }
}
