// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import TrackwayBehavior
import TrackwayEvents

@Suite("Time on a device that may be restarted")
struct DeviceTimeTests {
    private func time(_ wall: Int64, _ monotonic: Int64, _ boot: String = "a") -> DeviceTime {
        DeviceTime(
            wall: Timestamp(milliseconds: wall),
            monotonic: MonotonicTime(milliseconds: monotonic),
            boot: boot
        )
    }

    @Test("Within a boot the monotonic clock counts, whatever the wall clock does")
    func sameBoot() {
        #expect(time(5, 300).elapsed(since: time(1_000_000, 100)) == .milliseconds(200))
    }

    @Test("Across boots the wall clock counts; when it went back, nobody can tell")
    func otherBoot() {
        #expect(time(1_500, 1, "b").elapsed(since: time(1_000, 900)) == .milliseconds(500))
        #expect(time(900, 1, "b").elapsed(since: time(1_000, 900)) == nil)
    }
}
