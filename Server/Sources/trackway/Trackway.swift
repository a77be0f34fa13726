// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCommand

/// The executable `trackway`.
@main
enum Trackway {
    static func main() async { await TrackwayCommands.main(RootCommand.self) }
}
