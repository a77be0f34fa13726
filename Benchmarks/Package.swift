// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import PackageDescription

/// Warnings are errors when this repository is built for its own sake; see the SDK's manifest.
let warnings: [SwiftSetting] =
    Context.environment["TRACKWAY_WARNINGS_AS_ERRORS"] == "1" ? [.treatAllWarnings(as: .error)] : []

/// How every room is built; the same list as in the SDK's manifest.
let house: [SwiftSetting] =
    [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    ] + warnings

/// A program for each product that apps link, and one that links none, to be stripped and weighed. On Linux the other products have
/// next to nothing in them.
let linked = [
    "Nothing", "Trackway", "TrackwayTriggers", "ClickstreamCompatibility", "SensorsAnalyticsCompatibility",
    "SiftCompatibility", "SAPUsageCompatibility", "SparkChamberCompatibility",
].map { product in
    var products = [product]
    if product == "Nothing" { products = [] }
    if product == "TrackwayTriggers" { products.append("Trackway") }
    return Target.executableTarget(
        name: "linked-\(product)",
        dependencies: products.map { .product(name: $0, package: "trackway") },
        path: "Sources/linked",
        sources: ["\(product).swift"],
        swiftSettings: house
    )
}

let package = Package(
    name: "trackway-benchmarks",
    platforms: [.macOS(.v13)],
    dependencies: [.package(name: "trackway", path: "..")],
    targets: [
        // Counts allocations and reads what the kernel says about this process.
        .target(name: "CCounters"),
        .executableTarget(
            name: "trackway-bench",
            dependencies: [
                "CCounters",
                .product(name: "Trackway", package: "trackway"),
                .product(name: "TrackwayTriggers", package: "trackway"),
                .product(name: "SparkChamberCompatibility", package: "trackway"),
                .product(name: "TrackwayEvents", package: "trackway"),
                .product(name: "TrackwayJournal", package: "trackway"),
                .product(name: "TrackwayWire", package: "trackway"),
            ],
            swiftSettings: house
        ),
        // Imports nothing but the SDK, so that what it takes of memory is the SDK's.
        .executableTarget(
            name: "trackway-footprint",
            dependencies: ["CCounters", .product(name: "Trackway", package: "trackway")],
            swiftSettings: house
        ),
        // A million usage records, and an uploader of the app's own, with what apps have.
        .executableTarget(
            name: "trackway-usage",
            dependencies: ["CCounters", .product(name: "SAPUsageCompatibility", package: "trackway")],
            swiftSettings: house
        ),
        // How often an app wakes and what it writes while nothing happens, and a program without the SDK beside it.
        .executableTarget(
            name: "trackway-idle",
            dependencies: ["CCounters", "IdleCounting", .product(name: "Trackway", package: "trackway")],
            swiftSettings: house
        ),
        .executableTarget(name: "bare-idle", dependencies: ["IdleCounting"], swiftSettings: house),
        .target(name: "IdleCounting", dependencies: ["CCounters"], swiftSettings: house),
    ] + linked,
    swiftLanguageModes: [.v6]
)
