// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ArgumentParser
internal import TrackwayCommand

/// The executable `trackway-cluster`: everything in `trackway`, plus cluster support.
@main
struct TrackwayCluster: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "trackway-cluster",
        abstract: "Run a Trackway collector on several machines, and query it.",
        discussion: TrackwayCommands.discussion(
            examples: """
                  # Check whether the NATS servers store records durably.
                  trackway-cluster cluster check --nats nats://a
                  # Fill ClickHouse from the stream.
                  trackway-cluster cluster forward --nats nats://a \\
                    --clickhouse http://c:8123/trackway
                """
        ),
        version: TrackwayVersion.current,
        groupedSubcommands: [CommandGroup(name: "Cluster", subcommands: [ClusterCommand.self])]
            + TrackwayCommands.groups(serve: ClusterServeCommand.self)
    )

    static func main() async { await TrackwayCommands.main(Self.self) }
}
