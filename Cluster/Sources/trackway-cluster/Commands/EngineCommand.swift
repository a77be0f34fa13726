// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ArgumentParser
internal import Collector
internal import CollectorClickHouse
internal import CollectorJetStream
internal import Foundation
internal import TrackwayCommand
internal import TrackwayEvents

/// Sets up, checks, and maintains a NATS cluster.
struct EngineCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "engine",
        abstract: "Set up, check, and maintain a NATS cluster for collectors.",
        discussion: """
            The engine is a NATS cluster with JetStream that stores records on several
            machines, instead of one machine's log (`trackway-cluster serve --engine`).

            EXAMPLES
              # Create the stream.
              trackway-cluster engine init --engine nats://a,nats://b,nats://c \\
                --engine-credentials engine.json
              # Check the cluster.
              trackway-cluster engine check --engine nats://a,nats://b,nats://c \\
                --engine-credentials engine.json --json
              # Also create tables for `trackway-cluster forward`.
              trackway-cluster engine init --engine nats://a \\
                --to http://clickhouse:8123/trackway
              # Find missing rows in the tables.
              trackway-cluster engine audit --engine nats://a \\
                --to http://clickhouse:8123/trackway
              # Remove processed records from the stream.
              trackway-cluster engine purge --older-than 7d --engine nats://a --to …
              # Distribute records over four streams.
              trackway-cluster engine plan --streams 4 --engine nats://a
              # Drop old events from the tables.
              trackway-cluster engine expire --older-than 26w --to …
            """,
        subcommands: [
            EngineInitCommand.self, EngineCheckCommand.self, EngineAuditCommand.self, EnginePurgeCommand.self,
            EnginePlanCommand.self, EngineExpireCommand.self,
        ]
    )
}

/// Creates the stream.
struct EngineInitCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "init",
        abstract: "Create the stream for collectors' records.",
        discussion: """
            The stream has three copies in files, rejects new records when full, and
            deletes none automatically. An existing stream is not changed. Then the
            cluster is checked as by `trackway-cluster engine check`, with its exit
            status. With --to, also creates what `trackway-cluster forward` needs: a
            stream of decisions about blocks, and the tables in ClickHouse.
            """
    )

    @OptionGroup var engine: EngineOptions
    @OptionGroup var columns: ClickHouseOptions

    @Option(help: "Maximum size of the stream on each server, in gigabytes (of 2^30 bytes).")
    var gigabytes: Int = 10

    @Flag(help: "Print JSON.")
    var json = false

    /// Requires a NATS cluster, and validates the size.
    func validate() throws {
        try engine.require()
        guard (1...1_000_000).contains(gigabytes) else { throw ValidationError("--gigabytes takes 1 to 1000000") }
    }

    /// Creates the stream, then checks the cluster.
    func run() async throws {
        guard let settings = try engine.settings() else { return }
        let client = try columns.client()
        try await settings.run { engine in
            let isNew: Bool
            do {
                isNew = try await engine.makeStream(bytes: Int64(gigabytes) << 30, within: .seconds(15))
                if client != nil { try await engine.makeDecisions(within: .seconds(15)) }
            } catch {
                throw CommandFailure(
                    .unavailable,
                    "\(error)",
                    remedy:
                        "check that \(settings.text) are NATS servers with JetStream, and that each has space for "
                        + "--gigabytes \(gigabytes) (max_file_store)"
                )
            }
            if !json { Console.standard.note(isNew ? "The stream was created." : "The stream already exists.") }
            if let client { try await makeTables(client, engine) }
            try await EngineCheckCommand.look(at: engine, client, json: json)
        }
    }
}

extension EngineInitCommand {
    /// Creates the tables if the cluster is proven durable.
    ///
    /// Those of an unproven one would belong to streams that may be lost.
    private func makeTables(_ client: ClickHouseClient, _ engine: Engine) async throws {
        guard await engine.waitUntilDurable() == nil else { return }
        let origin = try await engine.origin()
        do throws(ColumnFailure) {
            let isNew = try await ClickHouseTables(client).make(of: origin)
            if !json { Console.standard.note(isNew ? "The tables were created." : "The tables already exist.") }
        } catch {
            throw CommandFailure(error)
        }
    }
}

/// Checks a cluster.
struct EngineCheckCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Check whether acknowledged records survive machine and power failures.",
        discussion: """
            Checks the stream's settings, and asks each of its servers whether it syncs
            always, as every collector does before it acknowledges a batch. Prints a
            line for each server. With --to, also reports whether ClickHouse answers
            and accepts writes, whether the tables belong to the stream, how far they
            are filled, and how many records of erased installations are deleted.
            Exits with 1 if something is wrong, and with 2 if everything is durable but
            needs attention: a server is lost or stores nothing, a clock is wrong, or a
            change of streams is unfinished.
            """
    )

    @OptionGroup var engine: EngineOptions
    @OptionGroup var columns: ClickHouseOptions

    @Flag(help: "Print JSON.")
    var json = false

    /// Requires a NATS cluster.
    func validate() throws { try engine.require() }

    /// Runs the check.
    func run() async throws {
        guard let settings = try engine.settings() else { return }
        let client = try columns.client()
        try await settings.run { engine in try await Self.look(at: engine, client, json: json) }
    }

    /// Waits for proof of durability, and prints the state of the cluster.
    ///
    /// - Parameter client: The tables that are filled from it; nil for none.
    /// - Throws: ``CommandStatus/negative`` if durability is not proven or the tables cannot be used, and
    ///   ``CommandStatus/degraded`` if records are durable but something needs attention.
    static func look(at engine: Engine, _ client: ClickHouseClient?, json: Bool) async throws {
        var times = EngineStart.Times()
        times.closed = .seconds(5)
        let faults = await engine.waitUntilDurable(times: times)
        let unfinished = await Self.unfinished(engine)
        // An unfinished change explains why nothing is proven.
        let blocking = faults == nil || unfinished?.accepts != false ? nil : unfinished
        let report = engine.report(
            faults: blocking.map { [$0.sentence] } ?? faults,
            warnings: blocking == nil ? unfinished.map { [$0.sentence] } ?? [] : []
        )
        var look: TableStatus?
        if let client { look = await Self.look(at: client, engine, isProven: report.isDurable) }
        if json {
            Console.standard.write(json: EngineText.json(report, look))
        } else {
            let style = Console.standard.style
            Console.standard.write(EngineText.lines(report, style: style) + (look.map(EngineText.lines) ?? []))
        }
        if let status = EngineText.status(report, look) { throw ExitCode(status.rawValue) }
    }

    /// Returns the unfinished change of streams.
    ///
    /// Nil if none exists or if it is unknown.
    private static func unfinished(_ engine: Engine) async -> StreamChangePlanner.Unfinished? {
        guard engine.order.standing != .unknown, engine.facts != nil else { return nil }
        // A missing answer is already among the faults.
        return try? await StreamChangeRunner(engine).streams().unfinished
    }

    private static func look(at client: ClickHouseClient, _ engine: Engine, isProven: Bool) async -> TableStatus {
        var look = TableStatus(address: "\(client.address)", last: engine.intake.highest)
        do throws(CommandFailure) {
            // Without proof of durability, only the tables are checked.
            let origin = isProven ? try await engine.origin() : nil
            do throws(ColumnFailure) {
                look.report = try await ClickHouseTables(client).report(of: origin)
                if let origin {
                    let store = try await ClickHouseTables(client).open(of: origin)
                    look.erased = try await Self.erased(engine, store)
                }
            } catch {
                look.faults = [error.description]
            }
        } catch {
            look.faults = error.message.split(separator: "\n").map(String.init)
        }
        return look
    }
}

extension EngineCheckCommand {
    /// Returns the numbers of records listed for deletion and of blocks left.
    ///
    /// The latter are blocks still to search or delete from.
    ///
    /// Nil if NATS does not report them.
    private static func erased(
        _ engine: Engine,
        _ store: ClickHouseStore
    ) async throws(ColumnFailure) -> (listed: UInt64, left: Int)? {
        let known: (progress: ErasureProgress, count: UInt64)
        do throws(StreamMaintenanceError) {
            known = (try await engine.erased.progress(), try await engine.erased.count())
        } catch {
            // Problems of the cluster are reported elsewhere.
            return nil
        }
        let completed = try await store.completed()
        let left = try await store.erasedBlocks(
            after: known.progress.done,
            upTo: max(completed, known.progress.goal),
            from: known.progress.goal > known.progress.done && completed <= known.progress.goal
                ? known.progress.next : 1
        )
        return (known.count, left.count)
    }
}

extension EngineOptions {
    /// Requires a NATS cluster.
    func require() throws {
        if engine == nil { throw ValidationError("pass the NATS servers with --engine nats://host:4222") }
    }
}

extension EngineSettings {
    /// Runs a cluster's connections during `body`.
    ///
    /// - Parameters:
    ///   - notice: Called with one sentence for each change for the worse.
    ///   - relief: Called with one sentence for each change for the better.
    func run(
        notice: @escaping @Sendable (String) -> Void = { _ in },
        relief: @escaping @Sendable (String) -> Void = { _ in },
        _ body: @Sendable (Engine) async throws -> Void
    ) async throws {
        let engine = Engine(
            addresses,
            credentials: credentials,
            tls: tls,
            clock: SystemClock(),
            chance: CollectorHost.chance,
            sleep: CollectorHost.sleep,
            notice: notice,
            relief: relief
        )
        let connections = Task { await engine.run() }
        do {
            try await body(engine)
        } catch {
            connections.cancel()
            await connections.value
            throw error
        }
        connections.cancel()
        await connections.value
    }
}
