// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayWire

/// One destination and how it is served.
package struct DeliveryRoute: Sendable {
    /// The destination.
    package var destination: any Destination
    /// How eagerly and how patiently.
    package var policy: DeliveryPolicy

    /// Makes a route.
    package init(destination: any Destination, policy: DeliveryPolicy = DeliveryPolicy()) {
        self.destination = destination
        self.policy = policy
    }
}
