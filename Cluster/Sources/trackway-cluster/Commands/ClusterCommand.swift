// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ArgumentParser
internal import CollectorClickHouse
internal import CollectorCore
internal import CollectorJetStream
internal import Foundation
internal import TrackwayCommand
internal import TrackwayCore

/// Sets up, checks, and maintains a NATS cluster.
struct ClusterCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cluster",
        abstract: "Set up, check, and maintain NATS and ClickHouse.",
        discussion: """
            A NATS cluster with JetStream stores records on several machines, instead of
            one machine's log (`trackway-cluster serve --nats`). ClickHouse tables,
            filled from its stream, answer queries (`--clickhouse`).

            EXAMPLES
              # Create the stream.
              trackway-cluster cluster init --nats nats://a,nats://b,nats://c \\
                --nats-credentials nats.json
              # Check the cluster.
              trackway-cluster cluster check --nats nats://a,nats://b,nats://c \\
                --nats-credentials nats.json --json
              # Also create the tables in ClickHouse.
              trackway-cluster cluster init --nats nats://a \\
                --clickhouse http://clickhouse:8123/trackway
              # Find missing rows in the tables.
              trackway-cluster cluster audit --nats nats://a \\
                --clickhouse http://clickhouse:8123/trackway
              # Remove processed records from the stream.
              trackway-cluster cluster purge --stream-retention 7d \\
                --nats nats://a --clickhouse …
              # Distribute records over four streams.
              trackway-cluster cluster plan --streams 4 --nats nats://a
              # Drop old events from the tables.
              trackway-cluster cluster expire --table-retention 26w --clickhouse …
              # Fill the tables from the stream.
              trackway-cluster cluster forward --nats nats://a \\
                --clickhouse http://clickhouse:8123/trackway
            """,
        subcommands: [
            ClusterInitCommand.self, ClusterCheckCommand.self, ClusterPlanCommand.self, ClusterAuditCommand.self,
            ClusterPurgeCommand.self, ClusterExpireCommand.self, ClusterForwardCommand.self,
        ]
    )
}

/// Creates the stream.
struct ClusterInitCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "init",
        abstract: "Create the stream for collectors' records.",
        discussion: """
            The stream has three copies in file storage, rejects new records when full,
            and never deletes records automatically. An existing stream is not changed.
            Then checks the cluster in the same way as `trackway-cluster cluster check`,
            with the same exit statuses. With --clickhouse, also creates what
            `trackway-cluster cluster forward` needs: a stream of decisions about
            blocks, and the tables in ClickHouse. Tables of the previous version are
            upgraded; stop its forwarders first. With --erasure-key, creates the file
            with the key, if it is missing, and the stream of erasures of users.
            """
    )

    @OptionGroup var nats: NATSOptions
    @OptionGroup var clickhouse: ClickHouseOptions

    @OptionGroup var erasure: ErasureKeyOptions

    @Option(help: "Maximum size of the stream on each server, in gigabytes (of 2^30 bytes).")
    var gigabytes: Int = 10

    @Flag(help: "Print JSON.")
    var json = false

    /// Requires a NATS cluster, and validates the size.
    func validate() throws {
        try nats.require()
        guard (1...1_000_000).contains(gigabytes) else { throw ValidationError("--gigabytes takes 1 to 1000000") }
    }

    /// Creates the stream, then checks the cluster.
    func run() async throws {
        guard let settings = try nats.settings() else { return }
        let client = try clickhouse.client()
        try await settings.run { engine in
            let isNew: Bool
            do {
                isNew = try await engine.makeStream(bytes: Int64(gigabytes) << 30, within: .seconds(15))
                if client != nil { try await engine.makeDecisionStream(within: .seconds(15)) }
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
            if let key = try erasure.makeKey(), await engine.waitUntilDurable() == nil {
                let erasures = engine.erasures(key: key, randomUInt64: CollectorHost.randomUInt64)
                _ = try await engine.openErasures(erasures)
                if !json { Console.standard.note("The erasure key has the fingerprint \(key.fingerprint).") }
            }
            try await ClusterCheckCommand.printStatus(of: engine, client, json: json)
        }
    }
}

extension ClusterInitCommand {
    /// Creates the tables if the cluster is proven durable.
    ///
    /// Tables created for an unproven cluster would belong to streams that may be lost.
    private func makeTables(_ client: ClickHouseClient, _ engine: Engine) async throws {
        guard await engine.waitUntilDurable() == nil else { return }
        let origin = try await engine.origin()
        do throws(ColumnFailure) {
            let isNew = try await ClickHouseTables(client).create(for: origin)
            if !json { Console.standard.note(isNew ? "The tables were created." : "The tables already exist.") }
        } catch {
            throw CommandFailure(error)
        }
    }
}

/// Checks whether a NATS cluster stores records durably.
struct ClusterCheckCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Check whether acknowledged records survive machine and power failures.",
        discussion: """
            Checks the stream's settings, and asks each of its servers whether it syncs
            every write, as every collector does before it acknowledges a batch. Prints
            a line for each server. With --clickhouse, also reports whether ClickHouse
            responds and accepts writes, whether the tables belong to the stream, how
            far they lag behind it, and how many records of erased installations are
            listed for deletion. Exits with 1 if a check fails, and with 2 if records
            are durable but something needs attention: a server is lost or stores
            nothing, a clock is wrong, or a change of streams is unfinished.
            """
    )

    @OptionGroup var nats: NATSOptions
    @OptionGroup var clickhouse: ClickHouseOptions

    @Flag(help: "Print JSON.")
    var json = false

    /// Requires a NATS cluster.
    func validate() throws { try nats.require() }

    /// Runs the check.
    func run() async throws {
        guard let settings = try nats.settings() else { return }
        let client = try clickhouse.client()
        try await settings.run { engine in try await Self.printStatus(of: engine, client, json: json) }
    }

    /// Waits for proof of durability, and prints the state of the cluster.
    ///
    /// - Parameter client: The client for the tables that are filled from the cluster; nil for none.
    /// - Throws: ``CommandStatus/negative`` if durability is not proven or the tables cannot be used, and
    ///   ``CommandStatus/degraded`` if records are durable but something needs attention.
    static func printStatus(of engine: Engine, _ client: ClickHouseClient?, json: Bool) async throws {
        var times = DurabilityWait.Times()
        times.closed = .seconds(5)
        let faults = await engine.waitUntilDurable(times: times)
        let unfinished = await Self.pendingChange(engine)
        // An unfinished change explains why durability is not proven.
        let blockingChange = faults == nil || unfinished?.isAccepting != false ? nil : unfinished
        let report = engine.report(
            faults: blockingChange.map { [$0.message] } ?? faults,
            warnings: blockingChange == nil ? unfinished.map { [$0.message] } ?? [] : []
        )
        var tables: TableStatus?
        if let client { tables = await Self.tableStatus(of: client, engine, isProven: report.isDurable) }
        if json {
            Console.standard.write(json: ClusterText.json(report, tables))
        } else {
            let style = Console.standard.style
            Console.standard.write(ClusterText.lines(report, style: style) + (tables.map(ClusterText.lines) ?? []))
        }
        if let status = ClusterText.status(report, tables) { throw ExitCode(status.rawValue) }
    }

    /// Returns the unfinished change of streams.
    ///
    /// Returns nil if there is none, or if it is unknown.
    private static func pendingChange(_ engine: Engine) async -> StreamChangePlanner.PendingChange? {
        guard engine.order.status != .unknown, engine.facts != nil else { return nil }
        // A missing response is already among the faults.
        return try? await StreamChangeRunner(engine).snapshot().pendingChange
    }

    private static func tableStatus(of client: ClickHouseClient, _ engine: Engine, isProven: Bool) async -> TableStatus
    {
        var tables = TableStatus(address: "\(client.address)", lastSequence: engine.intake.highest)
        do throws(CommandFailure) {
            // Without proof of durability, only the tables are checked.
            let origin = isProven ? try await engine.origin() : nil
            do throws(ColumnFailure) {
                tables.report = try await ClickHouseTables(client).report(of: origin)
                if let origin {
                    let store = try await ClickHouseTables(client).open(of: origin)
                    tables.pendingDeletion = try await Self.pendingDeletion(engine, store)
                }
            } catch {
                tables.faults = [error.description]
            }
        } catch {
            tables.faults = error.message.split(separator: "\n").map(String.init)
        }
        return tables
    }
}

extension ClusterCheckCommand {
    /// Returns the number of records listed for deletion, and of remaining blocks.
    ///
    /// The remaining blocks must still be searched, or still contain records to delete.
    ///
    /// Returns nil if NATS does not report the numbers.
    private static func pendingDeletion(
        _ engine: Engine,
        _ store: ClickHouseStore
    ) async throws(ColumnFailure) -> (listed: UInt64, remainingBlocks: Int)? {
        let known: (progress: ErasureProgress, count: UInt64)
        do throws(StreamMaintenanceError) {
            known = (try await engine.deletionIndexes.progress(), try await engine.deletionIndexes.count())
        } catch {
            // Problems of the cluster are reported elsewhere.
            return nil
        }
        let completed = try await store.completed()
        let remainingBlocks = try await store.erasedBlocks(
            after: known.progress.done,
            upTo: max(completed, known.progress.goal),
            from: known.progress.goal > known.progress.done && completed <= known.progress.goal
                ? known.progress.next : 1
        )
        return (known.count, remainingBlocks.count)
    }
}

extension NATSOptions {
    /// Requires a NATS cluster.
    func require() throws {
        if nats == nil { throw ValidationError("pass the NATS servers with --nats nats://host:4222") }
    }
}

extension EngineSettings {
    /// Runs a cluster's connections for the duration of `body`.
    ///
    /// - Parameters:
    ///   - onWarning: Called with one sentence each time the state worsens.
    ///   - onRecovery: Called with one sentence each time the state improves.
    func run(
        onWarning: @escaping @Sendable (String) -> Void = { _ in },
        onRecovery: @escaping @Sendable (String) -> Void = { _ in },
        _ body: @Sendable (Engine) async throws -> Void
    ) async throws {
        let engine = Engine(
            addresses,
            credentials: credentials,
            tls: tls,
            clock: SystemClock(),
            randomUInt64: CollectorHost.randomUInt64,
            sleep: CollectorHost.sleep,
            onWarning: onWarning,
            onRecovery: onRecovery
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
