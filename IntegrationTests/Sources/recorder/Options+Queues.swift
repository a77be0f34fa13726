// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Trackway

extension Options {
    /// Adds a queue that speaks Sift to a running SDK, as apps of that format do.
    func addSift(_ id: String, _ url: String, _ rules: QueuePolicy, to analytics: Analytics) throws {
        guard let id = DestinationID(id) else { throw Failure(description: "--queue \(id): no name") }
        var policy = policy
        policy.queue = rules
        try analytics.addDestination(
            .sift(accountID: "recorder", beaconKey: key, serverURLFormat: url, id: id).configured(delivery: policy)
        )
    }
    /// Adds a destination of the collector's format to a running SDK; a queue when it has rules.
    func add(_ id: String, _ url: String, _ rules: QueuePolicy?, to analytics: Analytics) throws {
        var policy = policy
        policy.queue = rules
        try analytics.addDestination(try Self.destination(id, url, key: key).configured(delivery: policy))
    }
}
