// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ArgumentParser
internal import TrackwayCommand

/// Runs a collector, with `--engine` on a replicated stream.
struct ClusterServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Run the collector.",
        discussion: """
            With --engine, records are stored in a NATS JetStream stream instead of
            the log. A batch is acknowledged when a majority of the servers, each
            proven to sync always, has it on disk.

            EXAMPLES
              # Store records on three machines, and the index here.
              trackway-cluster serve --engine nats://a,nats://b,nats://c \\
                --engine-credentials engine.json
              # Answer trends and funnels from ClickHouse, the rest from the index.
              trackway-cluster serve --engine nats://a,nats://b,nats://c \\
                --analysis http://clickhouse:8123/trackway
              # Answer every query from ClickHouse, without an index here.
              trackway-cluster serve --engine nats://a,nats://b,nats://c \\
                --analysis http://clickhouse:8123/trackway --no-index

            WITHOUT --engine

            """ + ServeOptions.discussion
    )

    @OptionGroup var options: ServeOptions
    @OptionGroup var records: EngineOptions
    @OptionGroup var questions: AnalysisOptions

    @Flag(
        help: """
            Store no index here: the --analysis database answers every query, about a second after an event arrives. \
            Requires --engine and --analysis.
            """
    )
    var noIndex = false

    /// Validates the combination of options.
    func validate() throws {
        if options.ephemeral, records.engine != nil {
            throw ValidationError("choose --ephemeral, which keeps no data, or --engine")
        }
        if questions.analysis != nil, records.engine == nil {
            throw ValidationError(
                "--analysis requires --engine: `trackway-cluster forward` fills the database from its stream"
            )
        }
        if noIndex, questions.analysis == nil {
            throw ValidationError(
                "--no-index requires --engine and --analysis http://host:8123/trackway, which then answers every query"
            )
        }
    }

    /// Runs until a signal stops it.
    func run() async throws {
        guard let engine = try records.settings() else { return try await options.run() }
        try await options.run(
            storage: ClusterStorageProvider(engine: engine, analysis: try questions.client(), hasIndex: !noIndex)
        )
    }
}
