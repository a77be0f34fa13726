// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import PackageDescription

/// Treats warnings as errors when this package is built as the root package.
///
/// See the SDK's manifest.
let warnings: [SwiftSetting] =
    Context.environment["TRACKWAY_WARNINGS_AS_ERRORS"] == "1" ? [.treatAllWarnings(as: .error)] : []

let strictSwiftSettings: [SwiftSetting] =
    [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    ] + warnings

let package = Package(
    name: "Shop",
    platforms: [.macOS(.v13)],
    products: [.executable(name: "shop", targets: ["shop"])],
    dependencies: [.package(name: "trackway", path: "../..")],
    targets: [
        // The shop itself: goods, basket, screens and visitors as values, independent of the terminal and of analytics.
        .target(name: "ShopCore", swiftSettings: strictSwiftSettings),
        // The app: a terminal UI whose visits are recorded with Trackway.
        .executableTarget(
            name: "shop",
            dependencies: [
                "ShopCore", .product(name: "Trackway", package: "trackway"),
                .product(name: "TrackwayDestinations", package: "trackway"),
                .product(name: "_TrackwayCore", package: "trackway"),
            ],
            swiftSettings: strictSwiftSettings
        ),
        .testTarget(name: "ShopCoreTests", dependencies: ["ShopCore"], swiftSettings: strictSwiftSettings),
    ],
    swiftLanguageModes: [.v6]
)
