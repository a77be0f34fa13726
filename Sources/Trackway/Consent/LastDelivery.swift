// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// The delivery of pending events before a consent decision applies.
///
/// See ``Analytics/setConsent(_:category:scope:source:version:after:)``.
public struct LastDelivery: Sendable, Hashable {
    /// The maximum duration.
    let timeout: Duration

    /// Returns a delivery like ``Analytics/flush(timeout:)``.
    ///
    /// - Parameter timeout: The maximum duration. If the timeout expires, for example without a network, the decision
    ///   applies to the events that were not sent.
    public static func flush(timeout: Duration = .seconds(10)) -> LastDelivery {
        LastDelivery(timeout: max(.zero, min(timeout, .seconds(86_400))))
    }
}
