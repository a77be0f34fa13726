// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Trackway
internal import TrackwayEvents
internal import TrackwayWire

/// Takes requests in place of the network, and answers each with success.
struct RequestCatcher: Transport {
    private let caught = AsyncStream.makeStream(of: WireRequest.self)

    func send(_ request: WireRequest, timeout: Duration) async throws(TransportError) -> WireResponse {
        caught.continuation.yield(request)
        return WireResponse(status: 200, url: request.url)
    }

    /// The bodies of the first request to each address; those that came in time.
    func wait(for addresses: Set<String>, timeout: Duration) async -> [String: [UInt8]] {
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                // It fails only when it is cancelled, because everything is there: then the end comes too late to matter.
                try? await ContinuousClock().sleep(for: timeout)
                caught.continuation.finish()
            }
            var bodies: [String: [UInt8]] = [:]
            for await request in caught.stream where bodies[request.url] == nil {
                bodies[request.url] = request.body
                if addresses.isSubset(of: bodies.keys) { break }
            }
            group.cancelAll()
            return bodies
        }
    }
}
