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

/// Fills ClickHouse from an engine's stream.
struct ForwardCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "forward",
        abstract: "Fill ClickHouse from an engine's stream.",
        discussion: """
            Reads what collectors put into the stream (`trackway-cluster serve
            --engine`), and writes every event once into tables of ClickHouse, in blocks
            of up to 20,000 events, about a second after it came. It keeps nothing
            itself: killed at any moment, or asleep for an hour, it changes nothing that
            is right. Two may run at once, on two machines: one writes, the other stands
            by, and takes over within five seconds when nothing comes on. Records of
            installations that were erased are deleted from the stream.

            When ClickHouse cannot be reached, or takes no writes, it says so and tries
            again, at most 30 seconds apart; records wait in the stream meanwhile. Of
            the engine a start waits for a majority of its servers as long as --wait
            says; what is set wrong there, or in the tables, ends it at once. Prepare
            the stream and the tables with `trackway-cluster engine init` and --to.
            Ctrl-C or SIGTERM end it.

            EXAMPLES
              trackway-cluster forward --engine nats://a,nats://b,nats://c \\
                --engine-credentials engine.json --to http://clickhouse:8123/trackway
              # Write what there is, and end.
              trackway-cluster forward … --until-caught-up
              # Also remove from the stream what is older, and not needed any more.
              trackway-cluster forward … --keep 7d
              # Also let go of events in ClickHouse that are older, week by week.
              trackway-cluster forward … --retention 26w
              # Answer /livez, /readyz and /metrics on the loopback.
              trackway-cluster forward … --health-port 9188
            """
    )

    @OptionGroup var engine: EngineOptions
    @OptionGroup var columns: ColumnOptions

    @Flag(help: "End when everything that is in the stream is written.")
    var untilCaughtUp = false

    @OptionGroup var keeping: KeepingOptions
    @OptionGroup var expiring: RetentionOptions

    @Option(
        help: ArgumentHelp(
            "How long a start waits for an engine that cannot be reached, or lacks a majority of its servers. Then it ends with 73.",
            valueName: "seconds"
        )
    )
    var wait = 60

    @Option(help: "A port that answers /livez, /readyz and /metrics; 0 for a free one. Default: none.")
    var healthPort: Int?

    @Option(help: "The address of --health-port. Whoever reaches it may ask; nothing of any event is told there.")
    var healthHost = "127.0.0.1"

    @Flag(help: "Print JSON: one line for each block, and for each thing that stands in the way.")
    var json = false

    @Option(help: "What is told on standard error: trace, debug, info, notice, warning or error.")
    var logLevel = "warning"

    /// Sees that there is an engine, and a server.
    func validate() throws {
        try engine.require()
        try columns.require()
        if untilCaughtUp, keeping.keep != nil {
            throw ValidationError(
                "--keep is for a forwarder that goes on; beside --until-caught-up use `trackway-cluster engine purge`"
            )
        }
        if untilCaughtUp, expiring.retention != nil {
            throw ValidationError(
                "--retention is for a forwarder that goes on; beside --until-caught-up use `trackway-cluster engine expire`"
            )
        }
        if let healthPort, !(0...65_535).contains(healthPort) {
            throw ValidationError("--health-port takes 0 to 65535")
        }
        if healthHost.isEmpty { throw ValidationError("--health-host takes an address such as 127.0.0.1 or 0.0.0.0") }
        guard (0...86_400).contains(wait) else { throw ValidationError("--wait takes 0 to 86400 seconds") }
        guard Logger.Level(rawValue: logLevel) != nil else {
            throw ValidationError("--log-level takes trace, debug, info, notice, warning or error")
        }
    }

    /// Runs until a signal ends it.
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
        let forwarding = StreamForwarding(
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
        let erasing = RecordErasing(engine, origin, store, report)
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

    /// The tables, as soon as they can be reached; nil when it was told to end meanwhile.
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

/// Tells what a forwarding does: people through the log, programs line by line.
struct ForwardReport: Sendable {
    /// Where people read.
    let logger: Logger
    /// Whether programs read.
    let isJSON: Bool
    /// Who is asked how it goes; nil for nobody.
    var health: ForwardHealth?
    private let wasStandingBy = Locked<Bool?>(nil)

    init(logger: Logger, isJSON: Bool, health: ForwardHealth? = nil) {
        self.logger = logger
        self.isJSON = isJSON
        self.health = health
    }

    /// It has begun.
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

    /// It can be asked how it goes.
    func listens(at host: String, _ port: Int) {
        let address = "http://\(host.contains(":") ? "[\(host)]" : host):\(port)"
        if isJSON {
            Console.standard.write(json: .members(("health", .string(address))))
        } else {
            Console.standard.note("How it goes is told at \(address)/readyz and /metrics.")
        }
    }

    /// Whether this one writes, as far as it is known; not before it is.
    var isWriting: Bool { wasStandingBy.withLock { $0 } == false }

    /// Whether another forwarder writes, and this one looks on.
    var isStandingBy: Bool { wasStandingBy.withLock { $0 } == true }

    /// It stands elsewhere.
    func stands(_ standing: StreamForwarding.Standing) {
        health?.stands(standing)
        let hasChanged = wasStandingBy.withLock { was in
            defer { was = standing.isStandingBy }
            return was ?? false != standing.isStandingBy
        }
        guard hasChanged else { return }
        logger.info("\(standing.isStandingBy ? "Another forwarder writes; this one stands by." : "This one writes.")")
        if isJSON { Console.standard.write(json: .members(("standing_by", .boolean(standing.isStandingBy)))) }
    }

    /// Something has happened.
    func tell(_ news: StreamForwarding.News) {
        health?.tell(news)
        switch news {
        case .written(let decision, let events, let repeats):
            logger.info("Block \(decision.block) was written: \(events) events, and \(repeats) that came again.")
        case .trouble(let reason): logger.warning("\(reason)")
        case .recovered: logger.warning("It goes on.")
        }
        if isJSON { Console.standard.write(json: Self.json(news)) }
    }

    /// What has happened, as a value.
    static func json(_ news: StreamForwarding.News) -> JSONValue {
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
