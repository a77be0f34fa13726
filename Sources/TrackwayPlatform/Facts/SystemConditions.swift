// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayDelivery

/// The device's conditions, as far as the system tells of them.
package enum SystemConditions {
    /// Begins to tell the device's conditions: soon, and with every change, on a thread of its own. Nothing is asked for now and then.
    ///
    /// Low power, heat and the network on Apple's systems. Linux has no word for the first two that holds on every device, and none
    /// for a network on which somebody wants little sent; there nothing is told, and nothing is restricted.
    ///
    /// - Returns: what has to be kept as long as that is wanted; nil where nothing is told.
    package static func observe(
        _ report: @escaping @Sendable (DeviceConditions) -> Void
    ) -> (any Sendable)? {
        #if canImport(Network)
        AppleConditions(report: report)
        #else
        nil
        #endif
    }
}
