// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ArgumentParser
internal import Collector
internal import CollectorClickHouse
internal import CollectorJetStream
internal import Foundation
internal import Logging
internal import TrackwayCommand
internal import TrackwayEvents
internal import UnixSignals

/// Fills ClickHouse from a cluster's stream.
struct ForwardCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "forward",
        abstract: "Fill ClickHouse from the stream.",
        discussion: """
            Reads the records that collectors write to the stream (`trackway-cluster
            serve --engine`), and writes every event once into ClickHouse tables, in
            blocks of up to 20,000 events, about a second after it arrives. It keeps no
            state: killing it at any moment, or pausing it for an hour, does no harm.
            Two may run at once, on two machines: one writes, the other stands by and
            takes over within five seconds after writing stops. Records of erased
            installations are deleted from the stream.

            While ClickHouse cannot be reached or accepts no writes, the command reports
            it and retries, at most 30 seconds apart; records wait in the stream. At
            start it waits up to --wait for a majority of the NATS servers; wrong
            settings there, or of the tables, end it early. Create the stream and the
            tables with `trackway-cluster engine init` and --to. Ctrl-C or SIGTERM stops
            it.

            EXAMPLES
              # Forward continuously.
              trackway-cluster forward --engine nats://a,nats://b,nats://c \\
                --engine-credentials engine.json --to http://clickhouse:8123/trackway
              # Write everything in the stream, and exit.
              trackway-cluster forward … --until-caught-up
              # Also remove old records from the stream once they are not needed.
              trackway-cluster forward … --keep 7d
              # Also drop old events from ClickHouse, week by week.
              trackway-cluster forward … --retention 26w
              # Serve /livez, /readyz, and /metrics on the loopback address.
              trackway-cluster forward … --health-port 9188
            """
    )

    @OptionGroup var engine: EngineOptions
    @OptionGroup var columns: ClickHouseOptions

    @Flag(help: "Exit once everything in the stream is written.")
    var untilCaughtUp = false

    @OptionGroup var keeping: StreamRetentionOptions
    @OptionGroup var expiring: TableRetentionOptions

    @Option(
        help: ArgumentHelp(
            """
            Maximum time to wait at start for NATS servers that cannot be reached or lack a majority. After that, the \
            command exits with 73.
            """,
            valueName: "seconds"
        )
    )
    var wait = 60

    @Option(help: "Port that serves /livez, /readyz, and /metrics; 0 for a free one. Default: none.")
    var healthPort: Int?

    @Option(help: "Address of --health-port. Anyone who reaches it may read; it exposes no event data.")
    var healthHost = "127.0.0.1"

    @Flag(help: "Print JSON: one line for each block, and for each problem.")
    var json = false

    @Option(help: "Log level on standard error: trace, debug, info, notice, warning, or error.")
    var logLevel = "warning"

    /// Requires a NATS cluster and a ClickHouse server, and validates the options.
    func validate() throws {
        try engine.require()
        try columns.require()
        if untilCaughtUp, keeping.keep != nil {
            throw ValidationError(
                "--keep is for continuous forwarding; with --until-caught-up, use `trackway-cluster engine purge`"
            )
        }
        if untilCaughtUp, expiring.retention != nil {
            throw ValidationError(
                "--retention is for continuous forwarding; with --until-caught-up, use `trackway-cluster engine expire`"
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
        guard let settings = try engine.settings(), let client = try columns.client() else { return }
        var logger = Logger(label: "trackway", factory: TerminalLogHandler.init(label:))
        logger.logLevel = Logger.Level(rawValue: logLevel) ?? .warning
        let health = healthPort.map { ForwardHealth(host: healthHost, port: $0) }
        let report = ForwardReport(logger: logger, isJSON: json, health: health)
        let work: @Sendable (Engine) async throws -> Void = { engine in
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    for await _ in await UnixSignalsSequence(trapping: .sigterm, .sigint) { return }
                }
                group.addTask { try await forward(engine, client, report) }
                if let health {
                    health.follow { engine.intake.highest }
                    group.addTask {
                        try await health.run(logger: report.logger) { report.listens(at: health.host, $0) }
                    }
                }
                try await group.next()
                group.cancelAll()
            }
        }
        try await settings.run(
            notice: { [logger] in logger.warning("\($0)") },
            relief: { [logger] in logger.notice("\($0)") },
            work
        )
    }

    private func forward(_ engine: Engine, _ client: ClickHouseClient, _ report: ForwardReport) async throws {
        var times = EngineStart.Times()
        times.unknown = .seconds(wait)
        var hasWaited = false
        let origin = try await engine.origin(times: times) { reason in
            hasWaited = true
            report.tell(.trouble(reason))
        }
        if hasWaited { report.tell(.recovered) }
        guard let store = try await open(client, origin, report) else { return }
        report.began("\(client.address)")
        let forwarding = ForwardingRunner(
            engine.source(of: origin),
            store: store,
            clock: SystemClock(),
            sleep: CollectorHost.sleep,
            news: { report.tell($0) },
            stands: { report.stands($0) }
        )
        let purging = Task {
            async let purged: Void = keeping.run(forwarding, engine, store, report)
            async let expired: Void = expiring.run(store, report)
            _ = await (purged, expired)
        }
        let erasing = RecordDeletionRunner(engine, origin, store, report)
        let deleting = untilCaughtUp ? nil : Task { await erasing.run() }
        let reason = await withTaskCancellationHandler {
            await forwarding.run(untilCaughtUp: untilCaughtUp)
        } onCancel: {
            purging.cancel()
            deleting?.cancel()
        }
        for task in [purging, deleting].compactMap({ $0 }) {
            task.cancel()
            await task.value
        }
        if let reason {
            throw CommandFailure(.inputOutput, reason)
        }
        if untilCaughtUp, !Task.isCancelled { await erasing.once() }
    }

    /// Opens the tables once they can be reached.
    ///
    /// Nil if the task was canceled first.
    private func open(
        _ client: ClickHouseClient,
        _ origin: ColumnOrigin,
        _ report: ForwardReport
    ) async throws(CommandFailure) -> ClickHouseStore? {
        var pause = Duration.milliseconds(500)
        var told: String?
        while !Task.isCancelled {
            do throws(ColumnFailure) {
                let store = try await ClickHouseTables(client).open(of: origin)
                if told != nil { report.tell(.recovered) }
                return store
            } catch {
                if error.isLasting { throw CommandFailure(error) }
                if told != error.description { report.tell(.trouble(error.description)) }
                told = error.description
            }
            await CollectorHost.sleep(pause)
            pause = min(pause * 2, .seconds(30))
        }
        return nil
    }
}

/// Reports progress, as log messages for people and as JSON for programs.
struct ForwardReport: Sendable {
    /// The logger for people.
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
    func began(_ address: String) {
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
    func listens(at host: String, _ port: Int) {
        let address = "http://\(host.contains(":") ? "[\(host)]" : host):\(port)"
        if isJSON {
            Console.standard.write(json: .members(("health", .string(address))))
        } else {
            Console.standard.note("Health and metrics are at \(address)/readyz and /metrics.")
        }
    }

    /// Whether this forwarder is known to write.
    var isWriting: Bool { wasStandingBy.withLock { $0 } == false }

    /// Whether another forwarder writes, and this one stands by.
    var isStandingBy: Bool { wasStandingBy.withLock { $0 } == true }

    /// Reports a change of role.
    func stands(_ standing: ForwardingRunner.Standing) {
        health?.stands(standing)
        let hasChanged = wasStandingBy.withLock { was in
            defer { was = standing.isStandingBy }
            return was ?? false != standing.isStandingBy
        }
        guard hasChanged else { return }
        logger.info(
            "\(standing.isStandingBy ? "Another forwarder writes; this one stands by." : "This forwarder writes.")"
        )
        if isJSON { Console.standard.write(json: .members(("standing_by", .boolean(standing.isStandingBy)))) }
    }

    /// Reports an event.
    func tell(_ news: ForwardingRunner.News) {
        health?.tell(news)
        switch news {
        case .written(let decision, let events, let repeats):
            logger.info("Block \(decision.block) was written: \(events) events, \(repeats) repeats.")
        case .trouble(let reason): logger.warning("\(reason)")
        case .recovered: logger.warning("The problem is resolved.")
        }
        if isJSON { Console.standard.write(json: Self.json(news)) }
    }

    /// Returns an event as JSON.
    static func json(_ news: ForwardingRunner.News) -> JSONValue {
        switch news {
        case .written(let decision, let events, let repeats):
            .members(
                ("block", .integer(Int64(clamping: decision.block))),
                ("first", .integer(Int64(clamping: decision.first))),
                ("last", .integer(Int64(clamping: decision.last))),
                ("events", .integer(Int64(events))),
                ("repeats", .integer(Int64(repeats)))
            )
        case .trouble(let reason): .members(("trouble", .string(reason)))
        case .recovered: .members(("recovered", .boolean(true)))
        }
    }
}
