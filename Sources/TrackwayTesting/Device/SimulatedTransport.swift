// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents
internal import TrackwayWire

/// The network of one process of a ``SimulatedDevice``: the device's, as long as there is reception and the process lives.
struct SimulatedTransport: Transport {
    let air: SimulatedAir
    let isAlive: Locked<Bool>

    func send(_ request: WireRequest, timeout: Duration) async throws(TransportError) -> WireResponse {
        try check()
        guard air.hasReception.withLock({ $0 }) else {
            throw TransportError(.offline, "the device has no network")
        }
        let response = try await air.backEnd.send(request, timeout: timeout)
        // Who was killed while the request was under way never hears the answer.
        try check()
        return response
    }

    private func check() throws(TransportError) {
        guard isAlive.withLock({ $0 }) else { throw TransportError(.cancelled, "the process was killed") }
    }
}
