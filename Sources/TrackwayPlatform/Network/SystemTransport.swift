// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayDestinationKit

/// Creates the system's default transport.
///
/// The SDK uses this transport unless `Configuration.delivery.transport` is set. To wrap the default transport in
/// another one, call ``make(allowsConstrainedNetworks:)``.
public enum SystemTransport {
    /// Returns the default transport.
    ///
    /// On Apple systems, each call returns a new `URLSession` transport. On Linux, all callers in the process share one
    /// libcurl transport, with its thread and its connections.
    ///
    /// - Parameter allowsConstrainedNetworks: Whether to use networks in Low Data Mode. If false, such a network counts
    ///   as unavailable. The parameter is ignored on systems without Low Data Mode.
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
    /// A libcurl transport for long responses and streams.
    ///
    /// Its settings come from the environment variables.
    public struct Streaming: Transport {
        private let transport: CurlTransport

        /// Creates a transport over libcurl.
        ///
        /// - Parameter longestBody: The maximum number of bytes to keep of a response body.
        public init(longestBody: Int) {
            transport = CurlTransport(longestBody: longestBody)
        }

        public func send(_ request: WireRequest, timeout: Duration) async throws(TransportError) -> WireResponse {
            try await transport.send(request, timeout: timeout)
        }

        /// Sends a request and streams the body of a 200 response.
        ///
        /// Any other response is returned as a whole. Canceling the task ends the request.
        ///
        /// - Parameters:
        ///   - timeout: The maximum time from the call to the end of the response.
        ///   - opened: Called once when the header section of a 200 response has arrived.
        ///   - piece: Called with each chunk of its body, one call at a time, on a thread of the transport.
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
