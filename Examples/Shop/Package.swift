// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import PackageDescription

/// Warnings are errors when this repository is built for its own sake; see the SDK's manifest.
let warnings: [SwiftSetting] =
    Context.environment["TRACKWAY_WARNINGS_AS_ERRORS"] == "1" ? [.treatAllWarnings(as: .error)] : []

let house: [SwiftSetting] =
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
        // The shop itself: goods, basket, screens and visitors as values. Knows nothing of terminals and analytics.
        .target(name: "ShopFloor", swiftSettings: house),
        // The app: a terminal, and what a shop wants to know about its visitors, recorded with Trackway.
        .executableTarget(
            name: "shop",
            dependencies: [
                "ShopFloor", .product(name: "Trackway", package: "trackway"),
                .product(name: "TrackwayEvents", package: "trackway"),
            ],
            swiftSettings: house
        ),
        .testTarget(name: "ShopFloorTests", dependencies: ["ShopFloor"], swiftSettings: house),
    ],
    swiftLanguageModes: [.v6]
)
