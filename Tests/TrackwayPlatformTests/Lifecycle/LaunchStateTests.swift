// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Testing
internal import TrackwayLifecycle

@testable import TrackwayPlatform

@Suite("Launch state")
struct LaunchStateTests {
    @Test(arguments: [(1, .active), (0, .background), (-1, .active)] as [(Int32, AppState)])
    func `only a process outside its terminal's foreground job starts in the background`(
        hasTerminal: Int32,
        state: AppState
    ) {
        #expect(LaunchState.state(hasTerminal: hasTerminal) == state)
    }

    @Test
    func `the running system reports an app state`() {
        #expect([.active, .background].contains(LaunchState.read().state))
    }
}
