// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Trackway
import TrackwayTesting

/// Waiting for what happens on other tasks, without a clock: each wait hangs for ever when it does not happen.
extension InMemoryAnalytics {
    /// Returns when the delivery has stopped and nothing is being dropped; with `sending`, when it may go on.
    func untilAtRest(sending: Bool = false) async throws {
        if sending {
            try await Deadline.wait(while: !analytics.delivery.control.machine.maySend)
        } else {
            await analytics.delivery.control.untilAtRest()
        }
    }

    /// Returns when so many events have arrived.
    func untilDelivered(_ count: Int) async throws {
        try await Deadline.wait(while: transport.delivered.count < count) { _ = await analytics.flush() }
    }

    /// Returns when everything ordered from the storage queue so far is done.
    func untilStorageIsIdle() async {
        await analytics.storage.queue.run {}
    }
}
