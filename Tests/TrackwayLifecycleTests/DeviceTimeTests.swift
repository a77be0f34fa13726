// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import TrackwayCore
import TrackwayLifecycle

@Suite("Device time across restarts")
struct DeviceTimeTests {
    private func time(_ wall: Int64, _ monotonic: Int64, _ boot: String = "a") -> DeviceTime {
        DeviceTime(
            wall: Timestamp(milliseconds: wall),
            monotonic: MonotonicTime(milliseconds: monotonic),
            boot: boot
        )
    }

    @Test
    func `within a boot, elapsed time uses the monotonic clock, regardless of the wall clock`() {
        #expect(time(5, 300).elapsed(since: time(1_000_000, 100)) == .milliseconds(200))
    }

    @Test
    func `across boots, elapsed time uses the wall clock and is unknown if that clock went back`() {
        #expect(time(1_500, 1, "b").elapsed(since: time(1_000, 900)) == .milliseconds(500))
        #expect(time(900, 1, "b").elapsed(since: time(1_000, 900)) == nil)
    }
}
