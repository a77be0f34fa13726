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
        discussion: """
            EXAMPLES
              # Check whether the NATS servers store records durably.
              trackway-cluster engine check --engine nats://a
              # Fill ClickHouse from the stream.
              trackway-cluster forward --engine nats://a --to http://c:8123/trackway

            All commands of trackway are available, too.

            """ + TrackwayCommands.discussion,
        version: TrackwayVersion.current,
        subcommands: [ClusterServeCommand.self, EngineCommand.self, ForwardCommand.self] + TrackwayCommands.all
    )

    static func main() async { await TrackwayCommands.main(Self.self) }
}
