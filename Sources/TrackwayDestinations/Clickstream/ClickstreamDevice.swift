// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents

/// The device as this dialect describes it.
struct ClickstreamDevice: Sendable, Hashable {
    /// What the document has for facts that are not known.
    static let unknown = "UNKNOWN"

    /// The kind of system: "iOS" on iOS.
    let platform: String
    /// Who made the device; "apple" for all of Apple's.
    let make: String
    /// The mobile network's operator.
    let carrier: String
    /// "WIFI", "Mobile" or "UNKNOWN".
    let network: String
    /// The locale as the system writes it.
    let locale: String
    /// The locale's language.
    let language: String
    /// The locale's region.
    let country: String
    /// The advertising id; empty when there is none, or when the person forbade it.
    let advertisingID: String

    init(_ device: Attributes) {
        platform = device["platform"]?.string ?? "iOS"
        let isApple = ["iOS", "macOS", "tvOS", "watchOS", "visionOS"].contains(platform)
        make = isApple ? "apple" : device["make"]?.string ?? ""
        carrier = device["carrier"]?.string ?? Self.unknown
        network =
            switch device["network"]?.string {
            case "wifi": "WIFI"
            case "cellular": "Mobile"
            default: Self.unknown
            }
        locale = device["locale"]?.string ?? ""
        (language, country) = Self.parts(of: locale)
        let advertisingID = device["advertising_id"]?.string ?? ""
        // A person who does not want to be followed has an id of zeros.
        self.advertisingID = advertisingID.utf8.contains { $0 != 0x30 && $0 != 0x2D } ? advertisingID : ""
    }

    /// Language and region of a locale such as `de_DE`, `zh-Hans_CN` or `en_US.UTF-8@euro`.
    private static func parts(of locale: String) -> (language: String, country: String) {
        let bare = locale.prefix { $0 != "." && $0 != "@" }
        let parts = bare.split { $0 == "_" || $0 == "-" }
        let language = parts.first.flatMap { (2...3).contains($0.utf8.count) ? String($0) : nil }
        let country = parts.dropFirst().first { part in
            part.utf8.count == 2 && part.utf8.allSatisfy { (0x41...0x5A).contains($0) }
                || part.utf8.count == 3 && part.utf8.allSatisfy { (0x30...0x39).contains($0) }
        }
        return (language ?? unknown, country.map { String($0) } ?? unknown)
    }
}
