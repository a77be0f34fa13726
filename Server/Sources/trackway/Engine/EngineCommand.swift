// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ArgumentParser
internal import CollectorStream
internal import Foundation
internal import TrackwayEvents

/// Prepares and looks at an engine.
struct EngineCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "engine",
        abstract: "Prepare an engine for collectors, and look at it.",
        discussion: """
            An engine is a cluster of NATS with JetStream that keeps records on several machines, in place of one machine's
            log (`trackway serve --engine`).

            EXAMPLES
              trackway engine init --engine nats://a,nats://b,nats://c --engine-credentials engine.json
              trackway engine check --engine nats://a,nats://b,nats://c --engine-credentials engine.json --json
            """,
        subcommands: [EngineInitCommand.self, EngineCheckCommand.self]
    )
}

/// Makes the stream.
struct EngineInitCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "init",
        abstract: "Make the stream that collectors put their records into.",
        discussion: """
            Three copies in files; a full stream refuses, and nothing goes by itself. A stream that is there already stays as
            it is. Then the engine is looked at as `trackway engine check` does, with its exit status.
            """
    )

    @OptionGroup var engine: EngineOptions

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
        try await settings.run { engine in
            let isNew: Bool
            do {
                isNew = try await engine.makeStream(bytes: Int64(gigabytes) << 30, within: .seconds(15))
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
            try await EngineCheckCommand.look(at: engine, json: json)
        }
    }
}

/// Looks at an engine.
struct EngineCheckCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "See whether what an engine acknowledges survives the loss of a machine, and of power.",
        discussion: """
            Looks at the stream's settings, and asks each server that keeps it whether it syncs always, as every collector
            does before it answers a batch. One line a server. Exits with 1 when something is not as it has to be.
            """
    )

    @OptionGroup var engine: EngineOptions

    @Flag(help: "Print JSON.")
    var json = false

    /// Sees that there is an engine.
    func validate() throws { try engine.require() }

    /// Looks.
    func run() async throws {
        guard let settings = try engine.settings() else { return }
        try await settings.run { engine in try await Self.look(at: engine, json: json) }
    }

    /// Waits for the proof, and tells what there is.
    ///
    /// - Throws: An exit with ``CommandStatus/negative`` when it is not proven.
    static func look(at engine: Engine, json: Bool) async throws {
        let faults = await engine.reasonsAgainst()
        let report = EngineReport(engine.facts, faults: faults)
        if json {
            Console.standard.write(json: EngineText.json(report))
        } else {
            Console.standard.write(EngineText.lines(report, style: Console.standard.style))
        }
        if !report.isDurable { throw ExitCode(CommandStatus.negative.rawValue) }
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
    func run(_ body: @Sendable (Engine) async throws -> Void) async throws {
        let engine = Engine(
            addresses,
            credentials: credentials,
            clock: SystemClock(),
            chance: CollectorHost.chance,
            sleep: CollectorHost.sleep
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
