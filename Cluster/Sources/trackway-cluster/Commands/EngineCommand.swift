// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ArgumentParser
internal import Collector
internal import CollectorClickHouse
internal import CollectorJetStream
internal import Foundation
internal import TrackwayCommand
internal import TrackwayEvents

/// Prepares and looks at an engine.
struct EngineCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "engine",
        abstract: "Prepare an engine for collectors, and look at it.",
        discussion: """
            An engine is a cluster of NATS with JetStream that keeps records on several
            machines, in place of one machine's log (`trackway-cluster serve --engine`).

            EXAMPLES
              trackway-cluster engine init --engine nats://a,nats://b,nats://c \\
                --engine-credentials engine.json
              trackway-cluster engine check --engine nats://a,nats://b,nats://c \\
                --engine-credentials engine.json --json
              # Also tables for `trackway-cluster forward`.
              trackway-cluster engine init --engine nats://a \\
                --to http://clickhouse:8123/trackway
              # See that nothing is missing in them.
              trackway-cluster engine audit --engine nats://a \\
                --to http://clickhouse:8123/trackway
              # Make room in the stream.
              trackway-cluster engine purge --older-than 7d --engine nats://a --to …
              # Have four streams take the records.
              trackway-cluster engine plan --streams 4 --engine nats://a
              # Let go of old events in the tables.
              trackway-cluster engine expire --older-than 26w --to …
            """,
        subcommands: [
            EngineInitCommand.self, EngineCheckCommand.self, EngineAuditCommand.self, EnginePurgeCommand.self,
            EnginePlanCommand.self, EngineExpireCommand.self,
        ]
    )
}

/// Makes the stream.
struct EngineInitCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "init",
        abstract: "Make the stream that collectors put their records into.",
        discussion: """
            Three copies in files; a full stream refuses, and nothing goes by itself. A
            stream that is there already stays as it is. Then the engine is looked at as
            `trackway-cluster engine check` does, with its exit status. With --to also
            what `trackway-cluster forward` needs: a stream of what is decided about
            blocks, and the tables in ClickHouse.
            """
    )

    @OptionGroup var engine: EngineOptions
    @OptionGroup var columns: ColumnOptions

    @Option(help: "How many gigabytes (of 2^30 bytes) the stream may have on each server.")
    var gigabytes: Int = 10

    @Flag(help: "Print JSON.")
    var json = false

    /// Sees that there is an engine, and a size.
    func validate() throws {
        try engine.require()
        guard (1...1_000_000).contains(gigabytes) else { throw ValidationError("--gigabytes takes 1 to 1000000") }
    }

    /// Makes it, and looks.
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
                        "see whether \(settings.text) are servers of NATS with JetStream, and whether each has room for "
                        + "--gigabytes \(gigabytes) (max_file_store)"
                )
            }
            if !json { Console.standard.note(isNew ? "The stream was made." : "The stream is there already.") }
            if let client { try await makeTables(client, engine) }
            try await EngineCheckCommand.look(at: engine, client, json: json)
        }
    }
}

extension EngineInitCommand {
    /// Makes the tables of an engine that is proven. Those of one that is not would be of streams that may vanish.
    private func makeTables(_ client: ClickHouseClient, _ engine: Engine) async throws {
        guard await engine.reasonsAgainst() == nil else { return }
        let origin = try await engine.origin()
        do throws(ColumnFailure) {
            let isNew = try await ClickHouseTables(client).make(of: origin)
            if !json { Console.standard.note(isNew ? "The tables were made." : "The tables are there already.") }
        } catch {
            throw CommandFailure(error)
        }
    }
}

/// Looks at an engine.
struct EngineCheckCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "See whether what an engine acknowledges survives the loss of a machine, and of power.",
        discussion: """
            Looks at the stream's settings, and asks each server that keeps it whether
            it syncs always, as every collector does before it answers a batch. One line
            a server. With --to also whether ClickHouse answers and takes writes,
            whether its tables are ours, how far they are filled, and how many records
            of erased installations are deleted. Exits with 1 when something is not as
            it has to be, and with 2 when everything is durable, but needs attention:
            a server is lost or stores nothing, a clock is wrong, or a change of
            streams is not finished.
            """
    )

    @OptionGroup var engine: EngineOptions
    @OptionGroup var columns: ColumnOptions

    @Flag(help: "Print JSON.")
    var json = false

    /// Sees that there is an engine.
    func validate() throws { try engine.require() }

    /// Looks.
    func run() async throws {
        guard let settings = try engine.settings() else { return }
        let client = try columns.client()
        try await settings.run { engine in try await Self.look(at: engine, client, json: json) }
    }

    /// Waits for the proof, and tells what there is.
    ///
    /// - Parameter client: The tables that are filled from it; nil for none.
    /// - Throws: An exit with ``CommandStatus/negative`` when it is not proven, or the tables cannot be used, and with
    ///   ``CommandStatus/degraded`` when it is durable with less than it should have.
    static func look(at engine: Engine, _ client: ClickHouseClient?, json: Bool) async throws {
        var times = EngineStart.Times()
        times.closed = .seconds(5)
        let faults = await engine.reasonsAgainst(times: times)
        let unfinished = await Self.unfinished(engine)
        // Why nothing is proven is the change that was not finished.
        let blocking = faults == nil || unfinished?.accepts != false ? nil : unfinished
        let report = engine.report(
            faults: blocking.map { [$0.sentence] } ?? faults,
            warnings: blocking == nil ? unfinished.map { [$0.sentence] } ?? [] : []
        )
        var look: ColumnLook?
        if let client { look = await Self.look(at: client, engine, isProven: report.isDurable) }
        if json {
            Console.standard.write(json: EngineText.json(report, look))
        } else {
            let style = Console.standard.style
            Console.standard.write(EngineText.lines(report, style: style) + (look.map(EngineText.lines) ?? []))
        }
        if let status = EngineText.status(report, look) { throw ExitCode(status.rawValue) }
    }

    /// A change of streams that was begun and is not finished; nil when there is none, or nobody tells.
    private static func unfinished(_ engine: Engine) async -> StreamGrowth.Unfinished? {
        guard engine.order.standing != .unknown, engine.facts != nil else { return nil }
        // That the engine does not answer is among the faults already.
        return try? await StreamGrowing(engine).streams().unfinished
    }

    private static func look(at client: ClickHouseClient, _ engine: Engine, isProven: Bool) async -> ColumnLook {
        var look = ColumnLook(address: "\(client.address)", last: engine.intake.highest)
        do throws(CommandFailure) {
            // Without the engine's word the tables are looked at alone.
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
    /// How many records of erased installations are listed for deletion, and in how many blocks some are still to be looked for or deleted; nil
    /// when the engine does not tell.
    private static func erased(
        _ engine: Engine,
        _ store: ClickHouseStore
    ) async throws(ColumnFailure) -> (listed: UInt64, left: Int)? {
        let known: (progress: ErasureProgress, count: UInt64)
        do throws(UpkeepFailure) {
            known = (try await engine.erased.progress(), try await engine.erased.count())
        } catch {
            // What is wrong with the engine is told elsewhere.
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
    /// Sees that an engine was named.
    func require() throws {
        if engine == nil { throw ValidationError("name the engine with --engine nats://host:4222") }
    }
}

extension EngineSettings {
    /// Runs an engine's connections while `body` does.
    ///
    /// - Parameters:
    ///   - notice: Called with one sentence each when something has changed for the worse.
    ///   - relief: Called with one sentence each when something has changed for the better.
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
