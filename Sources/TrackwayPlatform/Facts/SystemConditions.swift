// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayDelivery

/// Observes the device's conditions, as far as the system reports them.
package enum SystemConditions {
    /// Starts reporting the device's conditions.
    ///
    /// The closure is called soon after the start and after each change, on a separate thread. The system is not
    /// polled.
    ///
    /// Apple systems report low power, heat, and the network. Linux has no indicators of low power and heat that work
    /// on every device, and no indicator of networks on which traffic should be limited. Therefore, nothing is reported
    /// or restricted on Linux.
    ///
    /// - Returns: An object to keep while observing; nil if the system reports no conditions.
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
