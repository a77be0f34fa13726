// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ArgumentParser

/// Rejects the cluster commands and options that this executable does not support.
enum ClusterNotice {
    /// The error message.
    static let text =
        "This trackway has no cluster support; build trackway-cluster with `swift build --package-path Cluster --product trackway-cluster` "
        + "(see Documentation/Cluster/README.md)."

    /// Options of `serve` that only `trackway-cluster` has; hidden from help.
    struct Options: ParsableArguments {
        @Option(help: .hidden) var nats: String?
        @Option(help: .hidden) var natsCredentials: String?
        @Option(help: .hidden) var natsCa: String?
        @Option(help: .hidden) var natsCert: String?
        @Option(help: .hidden) var natsKey: String?
        @Option(help: .hidden) var clickhouse: String?
        @Option(help: .hidden) var clickhouseCredentials: String?
        @Option(help: .hidden) var clickhouseCa: String?
        @Option(help: .hidden) var clickhouseCert: String?
        @Option(help: .hidden) var clickhouseKey: String?
        @Flag(help: .hidden) var noIndex = false

        func validate() throws {
            let values = [
                nats, natsCredentials, natsCa, natsCert, natsKey, clickhouse, clickhouseCredentials, clickhouseCa,
                clickhouseCert, clickhouseKey,
            ]
            if noIndex || values.contains(where: { $0 != nil }) { throw ValidationError(ClusterNotice.text) }
        }
    }

    /// The command `cluster`; hidden from help.
    struct Cluster: ParsableCommand {
        static let configuration = CommandConfiguration(commandName: "cluster", shouldDisplay: false)

        @Argument(parsing: .captureForPassthrough, help: .hidden) var arguments: [String] = []

        func validate() throws { throw ValidationError(ClusterNotice.text) }
    }
}
