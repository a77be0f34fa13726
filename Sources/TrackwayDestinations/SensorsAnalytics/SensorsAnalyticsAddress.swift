// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayWire

/// Where a Sensors Analytics back-end listens: `https://host/sa?project=production`. The query names the project and may
/// hold a token, so it travels as it is.
package struct SensorsAnalyticsAddress: Sendable, Hashable {
    private let place: HTTPAddress

    /// Reads an address; nil when it is none.
    package init?(_ text: String) {
        guard let place = HTTPAddress(text) else { return nil }
        self.place = place
    }

    /// Host and port.
    package var authority: String { place.authority }

    /// Where events go.
    package var upload: String {
        place.path.isEmpty ? place.appending("/") : place.description
    }

    /// Where events go to be looked at while an app is being made: the last part of the path is `debug`.
    package var debug: String { "\(place.scheme)://\(place.authority)\(parent)/debug\(place.query)" }

    /// Where the remote configuration lies when nothing else is said: below the folder of the upload.
    package var configuration: String { "\(place.scheme)://\(place.authority)\(parent)/config/iOS.conf" }

    /// The value of a name in the query, as it stands there; nil when the query does not hold it.
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
