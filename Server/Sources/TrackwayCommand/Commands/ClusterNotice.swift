// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ArgumentParser

/// Rejects commands and options of cluster support, which this executable lacks.
enum ClusterNotice {
    /// The error message.
    static let text =
        "This trackway has no cluster support; build trackway-cluster with `swift build --package-path Cluster --product trackway-cluster` "
        + "(see Documentation/Cluster/README.md)."

    /// Options of `serve` that only `trackway-cluster` has; hidden from help.
    struct Options: ParsableArguments {
        @Option(help: .hidden) var engine: String?
        @Option(help: .hidden) var engineCredentials: String?
        @Option(help: .hidden) var engineCa: String?
        @Option(help: .hidden) var engineCert: String?
        @Option(help: .hidden) var engineKey: String?
        @Option(help: .hidden) var analysis: String?
        @Option(help: .hidden) var analysisCredentials: String?
        @Option(help: .hidden) var analysisCa: String?
        @Option(help: .hidden) var analysisCert: String?
        @Option(help: .hidden) var analysisKey: String?
        @Flag(help: .hidden) var noIndex = false

        func validate() throws {
            let values = [
                engine, engineCredentials, engineCa, engineCert, engineKey, analysis, analysisCredentials, analysisCa,
                analysisCert, analysisKey,
            ]
            if noIndex || values.contains(where: { $0 != nil }) { throw ValidationError(ClusterNotice.text) }
        }
    }

    /// The command `engine`; hidden from help.
    struct Engine: ParsableCommand {
        static let configuration = CommandConfiguration(commandName: "engine", shouldDisplay: false)

        @Argument(parsing: .captureForPassthrough, help: .hidden) var arguments: [String] = []

        func validate() throws { throw ValidationError(ClusterNotice.text) }
    }

    /// The command `forward`; hidden from help.
    struct Forward: ParsableCommand {
        static let configuration = CommandConfiguration(commandName: "forward", shouldDisplay: false)

        @Argument(parsing: .captureForPassthrough, help: .hidden) var arguments: [String] = []

        func validate() throws { throw ValidationError(ClusterNotice.text) }
    }
}
