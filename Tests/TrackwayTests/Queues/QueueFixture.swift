// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import Trackway
import TrackwayCore
import TrackwayDelivery
import TrackwayDestinationKit
import TrackwayDestinations
import TrackwayTesting

/// Destinations and rules shared by the queue tests.
enum QueueFixture {
    /// A destination in the collector's format with its own address.
    static func destination(_ id: DestinationID) -> DestinationConfiguration {
        DestinationConfiguration(CollectorDestination(id: id, url: "http://\(id).test", writeKey: "test"))
    }

    static func policy(
        same: Duration = .zero,
        moreThan: Int = -1,
        olderThan: Duration = .zero
    ) -> DeliveryPolicy {
        var policy = DeliveryPolicy()
        policy.queue = QueuePolicy(
            acceptSameEventAfter: same,
            uploadWhenMoreThan: moreThan,
            uploadWhenOlderThan: olderThan
        )
        return policy
    }
}

extension InMemoryAnalytics {

    /// Adds a queue and waits until delivery uses it.
    ///
    /// Only then are its rules checked and the remaining events of every process counted.
    func addQueue(_ policy: DeliveryPolicy) async throws {
        try analytics.addDestination(QueueFixture.destination("queue").configured(delivery: policy))
        // A flush waits until delivery uses every destination.
        _ = await analytics.flush()
    }

    /// The names of the events that arrived at a queue's address, in order.
    func arrived(at id: DestinationID) -> [String] {
        transport.delivered.filter { $0.url.contains("//\(id).test") }.map(\.event.name)
            .filter { $0 != CapturedName.consent }
    }

    /// Waits until `count` events have arrived at a queue's address.
    func waitUntilArrived(_ count: Int, at id: DestinationID) async throws {
        try await Deadline.wait(while: arrived(at: id).count < count)
    }
}
