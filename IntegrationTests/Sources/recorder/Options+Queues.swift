// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Trackway
internal import TrackwayDestinations

extension Options {
    /// Adds a Sift queue to a running SDK, as apps that use this format do.
    func addSift(_ id: String, _ url: String, _ rules: QueuePolicy, to analytics: Analytics) throws {
        guard let id = DestinationID(id) else { throw Failure(description: "--queue \(id): not a valid id") }
        var policy = policy
        policy.queue = rules
        try analytics.addDestination(
            .sift(accountID: "recorder", beaconKey: key, serverURLFormat: url, id: id).configured(delivery: policy)
        )
    }
    /// Adds a destination in the collector's format to a running SDK.
    ///
    /// A queue if it has rules.
    func add(_ id: String, _ url: String, _ rules: QueuePolicy?, to analytics: Analytics) throws {
        var policy = policy
        policy.queue = rules
        try analytics.addDestination(try Self.destination(id, url, key: key).configured(delivery: policy))
    }
}
