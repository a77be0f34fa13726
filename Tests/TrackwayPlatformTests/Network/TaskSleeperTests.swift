// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import TrackwayCore

@testable import TrackwayPlatform

@Suite("Task sleeper")
struct TaskSleeperTests {
    @Test(
        arguments: [
            (Duration.milliseconds(100), nil), (.seconds(1), nil), (.seconds(2), .milliseconds(200)),
            (.seconds(10), .seconds(1)), (.seconds(300), .seconds(30)), (.seconds(86_400), .seconds(60)),
        ] as [(Duration, Duration?)]
    )
    func `the tolerance is a tenth of a long sleep, at most one minute, and none for a short one`(
        sleep: Duration,
        tolerance: Duration?
    ) {
        #expect(TaskSleeper.tolerance(of: sleep) == tolerance)
    }

    @Test(.timeLimit(.minutes(30)))
    func `a sleep returns when its time has passed or its task is canceled`() async {
        let sleeper = TaskSleeper()
        await sleeper.sleep(until: MonotonicTime(milliseconds: 0))
        await sleeper.sleepExactly(until: MonotonicTime(milliseconds: 0))
        let far = SystemClock().now().monotonic.advanced(by: .seconds(86_400))
        let sleeping = [Task { await sleeper.sleep(until: far) }, Task { await sleeper.sleepExactly(until: far) }]
        for task in sleeping {
            task.cancel()
            await task.value
        }
    }
}
