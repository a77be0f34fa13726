// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ArgumentParser
internal import TrackwayCommand

/// Runs a collector whose records may be in a stream that several machines keep.
struct ClusterServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Run the collector.",
        discussion: """
            With --engine the records are in a stream of NATS JetStream in place of
            the log. A batch is acknowledged when a majority of the servers, each
            proven to sync always, has it on disk.

            EXAMPLES
              # Keep records on three machines, and the index here.
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
        help:
            "Keep no index here: every query is answered from the database of --analysis, about a second after an event arrived. Requires --engine and --analysis."
    )
    var noIndex = false

    /// Checks that the options can be combined.
    func validate() throws {
        if options.ephemeral, records.engine != nil {
            throw ValidationError("choose --ephemeral, which keeps nothing, or --engine")
        }
        if questions.analysis != nil, records.engine == nil {
            throw ValidationError(
                "--analysis is for a collector with --engine, from whose stream `trackway-cluster forward` fills the database"
            )
        }
        if noIndex, questions.analysis == nil {
            throw ValidationError(
                "--no-index is for a collector with --engine and --analysis http://host:8123/trackway, which then answers every query"
            )
        }
    }

    /// Runs until a signal ends it.
    func run() async throws {
        guard let engine = try records.settings() else { return try await options.run() }
        try await options.run(
            storage: ClusterStorageProvider(engine: engine, analysis: try questions.client(), hasIndex: !noIndex)
        )
    }
}
