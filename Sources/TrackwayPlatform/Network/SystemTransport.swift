// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayWire

/// The system's way to send requests: what sends unless `Configuration.delivery.transport` says otherwise. For transports that add something
/// to it.
public enum SystemTransport {
    /// URLSession's transport on Apple's systems, a new one with each call; libcurl's on Linux, which everything in the process that
    /// asks here shares, with its thread and its connections.
    ///
    /// - Parameter allowsConstrainedNetworks: whether a network is used on which the person wants as little sent as possible. Without
    ///   it such a network counts as none. Of no meaning where networks have no such mark.
    public static func make(allowsConstrainedNetworks: Bool = false) -> any Transport {
        #if canImport(Darwin)
        URLSessionTransport(allowsConstrainedNetworks: allowsConstrainedNetworks)
        #else
        CurlTransport.ofProcess()
        #endif
    }
}

#if os(Linux)
extension SystemTransport {
    /// Linux's way to send requests, for programs that read long answers or follow one. Its settings are those of the environment.
    public struct Streaming: Transport {
        private let transport: CurlTransport

        /// Creates a transport over libcurl.
        ///
        /// - Parameter longestBody: The most bytes kept of an answer's body.
        public init(longestBody: Int) {
            transport = CurlTransport(longestBody: longestBody)
        }

        public func send(_ request: WireRequest, timeout: Duration) async throws(TransportError) -> WireResponse {
            try await transport.send(request, timeout: timeout)
        }

        /// Sends a request and hands on the body of a 200 as it arrives.
        ///
        /// Any other answer is returned whole. Cancelling the task ends the request.
        ///
        /// - Parameters:
        ///   - timeout: The longest time from call to the end of the answer.
        ///   - opened: Called once when the head of a 200 has arrived.
        ///   - piece: Called with each piece of its body, one call at a time, on a thread of the transport's own.
        public func stream(
            _ request: WireRequest,
            timeout: Duration,
            opened: @escaping @Sendable () -> Void,
            piece: @escaping @Sendable ([UInt8]) -> Void
        ) async throws(TransportError) -> WireResponse {
            try await transport.stream(request, timeout: timeout, opened: opened, piece: piece)
        }
    }
}
#endif
