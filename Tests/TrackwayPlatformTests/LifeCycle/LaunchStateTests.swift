// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Testing
internal import TrackwayBehavior

@testable import TrackwayPlatform

@Suite("Launch state")
struct LaunchStateTests {
    @Test(
        "only a process outside its terminal's foreground job starts in the background",
        arguments: [(1, .active), (0, .background), (-1, .active)] as [(Int32, AppState)]
    )
    func table(hasTerminal: Int32, state: AppState) {
        #expect(LaunchState.state(hasTerminal: hasTerminal) == state)
    }

    @Test("the running system reports an app state")
    func live() {
        #expect([.active, .background].contains(LaunchState.read().state))
    }
}
