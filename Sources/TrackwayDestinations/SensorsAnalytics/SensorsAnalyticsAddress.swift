// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayWire

/// The address of a Sensors Analytics back end: `https://host/sa?project=production`.
///
/// The query contains the project and may contain a token, so it is sent unchanged.
package struct SensorsAnalyticsAddress: Sendable, Hashable {
    private let place: HTTPAddress

    /// Parses an address; nil if it is invalid.
    package init?(_ text: String) {
        guard let place = HTTPAddress(text) else { return nil }
        self.place = place
    }

    /// The host and port.
    package var authority: String { place.authority }

    /// The address to which events are sent.
    package var upload: String {
        place.path.isEmpty ? place.appending("/") : place.description
    }

    /// The address of the debug mode, in which developers inspect events.
    ///
    /// The last part of its path is `debug`.
    package var debug: String { "\(place.scheme)://\(place.authority)\(parent)/debug\(place.query)" }

    /// The default address of the remote configuration, next to the upload address.
    package var configuration: String { "\(place.scheme)://\(place.authority)\(parent)/config/iOS.conf" }

    /// Returns the value of a name in the query, unchanged.
    ///
    /// Nil if the query does not contain it.
    package func query(_ name: String) -> String? {
        for pair in place.query.dropFirst().split(separator: "&") where pair.hasPrefix("\(name)=") {
            return String(pair.dropFirst(name.count + 1))
        }
        return nil
    }

    private var parent: String {
        place.path.lastIndex(of: "/").map { String(place.path[..<$0]) } ?? ""
    }
}
