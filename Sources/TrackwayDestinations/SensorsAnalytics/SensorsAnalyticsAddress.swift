// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayDestinationKit

/// The address of a Sensors Analytics back end: `https://host/sa?project=production`.
///
/// The query contains the project and may contain a token, so it is sent unchanged.
package struct SensorsAnalyticsAddress: Sendable, Hashable {
    private let address: HTTPAddress

    /// Parses an address; nil if it is invalid.
    package init?(_ text: String) {
        guard let address = HTTPAddress(text) else { return nil }
        self.address = address
    }

    /// The host and port.
    package var authority: String { address.authority }

    /// The address to which events are sent.
    package var upload: String {
        address.path.isEmpty ? address.appending("/") : address.description
    }

    /// The address of the debug mode, in which developers inspect events.
    ///
    /// The last part of its path is `debug`.
    package var debug: String { "\(address.scheme)://\(address.authority)\(parent)/debug\(address.query)" }

    /// The default address of the remote configuration, next to the upload address.
    package var configuration: String { "\(address.scheme)://\(address.authority)\(parent)/config/iOS.conf" }

    /// Returns the value of a query item, unchanged.
    ///
    /// Returns nil if the query does not contain an item of that name.
    package func query(_ name: String) -> String? {
        for pair in address.query.dropFirst().split(separator: "&") where pair.hasPrefix("\(name)=") {
            return String(pair.dropFirst(name.count + 1))
        }
        return nil
    }

    private var parent: String {
        address.path.lastIndex(of: "/").map { String(address.path[..<$0]) } ?? ""
    }
}
