// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayWire

/// The system's way to send requests.
package enum SystemTransport {
    /// A new transport: URLSession's on Apple's systems, libcurl's on Linux.
    package static func make() -> any Transport {
        #if canImport(Darwin)
        URLSessionTransport()
        #else
        CurlTransport()
        #endif
    }
}
