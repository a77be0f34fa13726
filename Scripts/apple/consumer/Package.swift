// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import PackageDescription

/// The SDK, as a dependency by URL, as apps declare it.
///
/// TRACKWAY_URL and TRACKWAY_BRANCH name a checkout (file:///…). Without them, the dependency is the checkout that
/// contains this folder.
let trackway: Package.Dependency =
    if let url = Context.environment["TRACKWAY_URL"] {
        .package(url: url, branch: Context.environment["TRACKWAY_BRANCH"] ?? "main")
    } else {
        .package(name: "trackway", path: "../../..")
    }

/// The products that apps link.
let products = [
    "Trackway", "TrackwayTriggers", "TrackwayUIKit", "TrackwaySwiftUI", "TrackwayLocation", "TrackwayMotion",
    "ClickstreamCompatibility", "SensorsAnalyticsCompatibility", "SiftCompatibility", "SAPUsageCompatibility",
    "SparkChamberCompatibility",
]

/// The name of the dependency: the last component of its URL.
let name = Context.environment["TRACKWAY_URL"].map { String($0.split(separator: "/").last ?? "trackway") } ?? "trackway"

let package = Package(
    name: "Consumer",
    platforms: [.iOS(.v16), .macOS(.v13), .tvOS(.v16), .watchOS(.v9), .visionOS(.v1)],
    products: [.library(name: "Consumer", targets: ["Consumer"])],
    dependencies: [trackway],
    targets: [
        .target(name: "Consumer", dependencies: products.map { .product(name: $0, package: name) }),
        .testTarget(name: "ConsumerTests", dependencies: ["Consumer", .product(name: "Trackway", package: name)]),
    ]
)

#if canImport(Darwin)
// The samples that Scripts/apple/check-objective-c checks, compiled for iOS against the headers of Apple's toolchain.
package.products.append(.library(name: "ObjectiveCClient", targets: ["ObjectiveCClient"]))
package.targets.append(
    .target(
        name: "ObjectiveCClient",
        dependencies: products.filter { $0.hasSuffix("Compatibility") }.map { .product(name: $0, package: name) }
    )
)
#endif
