// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ArgumentParser
internal import Foundation

/// Where the collector on this machine keeps its data.
struct DataOptions: ParsableArguments {
    @Option(help: "The collector's folder. Default: TRACKWAY_DATA, or ~/.local/share/trackway/collector.")
    var data: String?

    /// The folder that the options and the environment give.
    var folder: CollectorFolder {
        CollectorFolder(option: data, environment: ProcessInfo.processInfo.environment)
    }
}
