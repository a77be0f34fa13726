// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ArgumentParser

/// The `trackway` command: runs the collector and talks to it.
@main
struct TrackwayCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "trackway",
        abstract: "Runs the Trackway collector and talks to it."
    )
}
