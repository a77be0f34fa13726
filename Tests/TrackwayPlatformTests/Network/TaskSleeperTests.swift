// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import TrackwayEvents

@testable import TrackwayPlatform

@Suite("Sleeping")
struct TaskSleeperTests {
    @Test(
        "the system may be as late as a tenth of a long sleep, a minute at most, and not at all with a short one",
        arguments: [
            (Duration.milliseconds(100), nil), (.seconds(1), nil), (.seconds(2), .milliseconds(200)),
            (.seconds(10), .seconds(1)), (.seconds(300), .seconds(30)), (.seconds(86_400), .seconds(60)),
        ] as [(Duration, Duration?)]
    )
    func tolerance(sleep: Duration, tolerance: Duration?) {
        #expect(TaskSleeper.tolerance(of: sleep) == tolerance)
    }

    @Test("a sleep that is over, or whose task is cancelled, returns", .timeLimit(.minutes(30)))
    func returns() async {
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
