// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ArgumentParser
internal import TrackwayCommand

/// Runs a collector, on a replicated stream if `--nats` is given.
struct ClusterServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Run the collector.",
        discussion: """
            With --nats, records are stored in a NATS JetStream stream instead of the
            log. A batch is acknowledged when a majority of the servers, each proven to
            sync every write, has it on disk. With --clickhouse, ClickHouse instead of
            the index answers trends, funnels, retention, lifecycle, stickiness, and
            paths; `trackway-cluster cluster forward` fills its tables.

            EXAMPLES
              # Store records on three machines, and the index on this one.
              trackway-cluster serve --nats nats://a,nats://b,nats://c \\
                --nats-credentials nats.json
              # Answer trends and funnels from ClickHouse, the rest from the index.
              trackway-cluster serve --nats nats://a,nats://b,nats://c \\
                --clickhouse http://clickhouse:8123/trackway
              # Answer every query from ClickHouse, without a local index.
              trackway-cluster serve --nats nats://a,nats://b,nats://c \\
                --clickhouse http://clickhouse:8123/trackway --no-index

            WITHOUT --nats

            """ + ServeOptions.discussion
    )

    @OptionGroup var options: ServeOptions
    @OptionGroup var nats: NATSOptions
    @OptionGroup var clickhouse: ClickHouseOptions

    @OptionGroup var erasure: ErasureKeyOptions

    @Flag(
        help: """
            Keep no local index: the --clickhouse database answers every query, and includes events about a second \
            after they arrive. Requires --nats and --clickhouse.
            """
    )
    var noIndex = false

    /// Validates the combination of options.
    func validate() throws {
        if options.ephemeral, nats.nats != nil {
            throw ValidationError("use either --ephemeral, which keeps no data, or --nats")
        }
        if clickhouse.clickhouse != nil, nats.nats == nil {
            throw ValidationError(
                "--clickhouse requires --nats: `trackway-cluster cluster forward` fills the database from its stream"
            )
        }
        if noIndex, clickhouse.clickhouse == nil {
            throw ValidationError(
                "--no-index requires --nats and --clickhouse http://host:8123/trackway, which then answers every query"
            )
        }
        if erasure.erasureKey != nil, !noIndex {
            throw ValidationError(
                "--erasure-key requires --no-index: users are not erased from a collector's index"
            )
        }
    }

    /// Runs until a signal stops it.
    func run() async throws {
        guard let engine = try nats.settings() else { return try await options.run() }
        try await options.run(
            storage: ClusterStorageProvider(
                engine: engine,
                clickHouse: try clickhouse.client(),
                hasIndex: !noIndex,
                erasureKey: try erasure.key()
            )
        )
    }
}
