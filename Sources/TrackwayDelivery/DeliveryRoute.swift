// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayEvents
package import TrackwayWire

/// One destination and how it is served.
package struct DeliveryRoute: Sendable {
    /// The destination.
    package var destination: any Destination
    /// How eagerly and how patiently.
    package var policy: DeliveryPolicy
    /// What may leave for the destination; nil when everything may. Asked anew whenever events are read, and once more
    /// before they are sent. Tell the service when its answers change (``DeliveryService/admissionChanged(for:)``).
    package var admission: Admission.Rule?

    /// Makes a route.
    package init(
        destination: any Destination,
        policy: DeliveryPolicy = DeliveryPolicy(),
        admission: Admission.Rule? = nil
    ) {
        self.destination = destination
        self.policy = policy
        self.admission = admission
    }
}
