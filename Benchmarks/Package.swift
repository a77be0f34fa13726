// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import PackageDescription

/// Treats warnings as errors when this package is built as the root package.
///
/// See the SDK's manifest.
let warnings: [SwiftSetting] =
    Context.environment["TRACKWAY_WARNINGS_AS_ERRORS"] == "1" ? [.treatAllWarnings(as: .error)] : []

/// The settings of every target: the same list as in the SDK's manifest.
let strictSwiftSettings: [SwiftSetting] =
    [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    ] + warnings

/// A program for each product that apps link, and one that links none, for measuring stripped sizes.
///
/// On Linux the other products are almost empty.
let linked = [
    "NoProduct", "Trackway", "TrackwayTriggers", "ClickstreamCompatibility", "SensorsAnalyticsCompatibility",
    "SiftCompatibility", "SAPUsageCompatibility", "SparkChamberCompatibility",
].map { product in
    var products = [product]
    if product == "NoProduct" { products = [] }
    if product == "TrackwayTriggers" { products.append("Trackway") }
    return Target.executableTarget(
        name: "linked-\(product)",
        dependencies: products.map { .product(name: $0, package: "trackway") },
        path: "Sources/linked",
        sources: ["\(product).swift"],
        swiftSettings: strictSwiftSettings
    )
}

let package = Package(
    name: "trackway-benchmarks",
    platforms: [.macOS(.v13)],
    dependencies: [.package(name: "trackway", path: "..")],
    targets: [
        // Counts allocations and reads the kernel's statistics of this process.
        .target(name: "CCounters"),
        .executableTarget(
            name: "trackway-bench",
            dependencies: [
                "CCounters",
                .product(name: "Trackway", package: "trackway"),
                .product(name: "TrackwayDestinations", package: "trackway"),
                .product(name: "TrackwayTriggers", package: "trackway"),
                .product(name: "SparkChamberCompatibility", package: "trackway"),
                .product(name: "_TrackwayCore", package: "trackway"),
                .product(name: "_TrackwayJournal", package: "trackway"),
                .product(name: "_TrackwayDestinationKit", package: "trackway"),
            ],
            swiftSettings: strictSwiftSettings
        ),
        // Imports only the SDK, so that the measured memory is the SDK's.
        .executableTarget(
            name: "trackway-footprint",
            dependencies: ["CCounters", .product(name: "Trackway", package: "trackway")],
            swiftSettings: strictSwiftSettings
        ),
        // Stores a million usage records and uploads them with an app's own uploader.
        .executableTarget(
            name: "trackway-usage",
            dependencies: ["CCounters", .product(name: "SAPUsageCompatibility", package: "trackway")],
            swiftSettings: strictSwiftSettings
        ),
        // Measures wake-ups and writes of an idle app, and of a program without the SDK for comparison.
        .executableTarget(
            name: "trackway-idle",
            dependencies: ["CCounters", "IdleCounting", .product(name: "Trackway", package: "trackway")],
            swiftSettings: strictSwiftSettings
        ),
        .executableTarget(name: "bare-idle", dependencies: ["IdleCounting"], swiftSettings: strictSwiftSettings),
        .target(name: "IdleCounting", dependencies: ["CCounters"], swiftSettings: strictSwiftSettings),
    ] + linked,
    swiftLanguageModes: [.v6]
)
