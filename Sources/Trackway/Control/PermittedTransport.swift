// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayDelivery
package import TrackwayWire

/// Asks for permission before every single request, so that nothing leaves the device that may not.
///
/// Delivery is stopped anyway when permission ends; this closes the moment in between, and notices a refusal that
/// another process of the same installation has written down.
package struct PermittedTransport: Transport {
    private let base: any Transport
    private let isPermitted: @Sendable () -> Bool

    /// Wraps a transport.
    package init(_ base: any Transport, isPermitted: @escaping @Sendable () -> Bool) {
        self.base = base
        self.isPermitted = isPermitted
    }

    /// Sends when permitted.
    package func send(_ request: WireRequest, timeout: Duration) async throws(TransportError) -> WireResponse {
        guard isPermitted() else {
            throw TransportError(.notPermitted, "the SDK is disabled or paused, or consent is not given")
        }
        return try await base.send(request, timeout: timeout)
    }
}
