// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Trackway
import TrackwayTesting

/// Waits for work on other tasks.
///
/// Only waits that use ``Deadline`` have a time limit.
extension InMemoryAnalytics {
    /// Waits until delivery has stopped and nothing is being dropped.
    ///
    /// - Parameter sending: Whether to wait until delivery may send instead.
    func waitForPipeline(sending: Bool = false) async throws {
        if sending {
            try await Deadline.wait(while: !analytics.delivery.control.machine.maySend)
        } else {
            await analytics.delivery.control.waitUntilIdle()
        }
    }

    /// Waits until `count` events have arrived.
    func waitUntilDelivered(_ count: Int) async throws {
        try await Deadline.wait(while: transport.delivered.count < count) { _ = await analytics.flush() }
    }

    /// Waits until all work enqueued on the storage queue so far is done.
    func waitUntilStorageIsIdle() async {
        await analytics.storage.queue.run {}
    }
}
