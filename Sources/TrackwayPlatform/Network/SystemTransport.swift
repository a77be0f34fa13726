// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayWire

/// The system's way to send requests: what sends unless `Configuration.transport` says otherwise. For transports that add something
/// to it.
public enum SystemTransport {
    /// A new transport: URLSession's on Apple's systems, libcurl's on Linux.
    ///
    /// - Parameter usesConstrainedNetworks: whether a network is used on which the person wants as little sent as possible. Without
    ///   it such a network counts as none. Of no meaning where networks have no such mark.
    public static func make(usesConstrainedNetworks: Bool = false) -> any Transport {
        #if canImport(Darwin)
        URLSessionTransport(usesConstrainedNetworks: usesConstrainedNetworks)
        #else
        CurlTransport()
        #endif
    }
}
