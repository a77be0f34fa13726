// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Trackway
import TrackwayTesting

/// Waiting for what happens on other tasks, without a clock: each wait hangs for ever when it does not happen.
extension InMemoryAnalytics {
    /// Returns when the delivery has stopped and nothing is being dropped; with `sending`, when it may go on.
    func untilAtRest(sending: Bool = false) async {
        if sending {
            while !analytics.control.machine.maySend { await Task.yield() }
        } else {
            await analytics.control.untilAtRest()
        }
    }

    /// Returns when so many events have arrived.
    func untilDelivered(_ count: Int) async {
        while transport.delivered.count < count {
            _ = await analytics.flush()
            await Task.yield()
        }
    }

    /// Returns when everything ordered from the storage queue so far is done.
    func untilStorageIsIdle() async {
        await analytics.queue.run {}
    }
}
