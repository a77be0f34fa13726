// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import PackageDescription

/// Warnings are errors when this repository is built for its own sake; see the SDK's manifest.
let warnings: [SwiftSetting] =
    Context.environment["TRACKWAY_WARNINGS_AS_ERRORS"] == "1" ? [.treatAllWarnings(as: .error)] : []

/// How every room is built: the same rules as in the SDK's manifest, and for the same reasons.
let house: [SwiftSetting] =
    [
        .enableUpcomingFeature("ExistentialAny"),  // say `any`: an existential is a decision
        .enableUpcomingFeature("MemberImportVisibility"),  // a file uses only what it imports
        .enableUpcomingFeature("InternalImportsByDefault"),  // a dependency leaks only on purpose
        .enableUpcomingFeature("NonisolatedNonsendingByDefault"),  // async stays where it was called
    ] + warnings

/// Real processes on the SDK against a real collector on loopback. The collector is run as the built `trackway` command
/// and not linked, so that this package builds quickly and tests what users run.
let package = Package(
    name: "trackway-integration",
    platforms: [.macOS(.v13)],
    products: [
        // Loaded into a process before everything else, by LD_PRELOAD.
        .library(name: "ClockShift", type: .dynamic, targets: ["ClockShift"])
    ],
    dependencies: [
        .package(name: "trackway", path: "..")
    ],
    targets: [
        // Lets one process see another wall clock, as if somebody had set it.
        .target(name: "ClockShift"),

        // An app on the SDK that does as it is told and says what it did.
        .executableTarget(
            name: "recorder",
            dependencies: [
                .product(name: "Trackway", package: "trackway"),
                .product(name: "TrackwayEvents", package: "trackway"),
            ],
            swiftSettings: house
        ),

        // An app on the compatibility module for usage reports, which does as it is told.
        .executableTarget(
            name: "usage-reporter",
            dependencies: [.product(name: "SAPUsageCompatibility", package: "trackway")],
            swiftSettings: house
        ),

        // Opening a terminal, which Swift's view of the C library lacks.
        .target(name: "CTerminal"),

        // What the tests play on: processes, folders, small disks, an unreliable server, the collector.
        .target(
            name: "Stage",
            dependencies: [
                "CTerminal",
                .product(name: "TrackwayEvents", package: "trackway"),
                .product(name: "TrackwayJournal", package: "trackway"),
                .product(name: "TrackwayWire", package: "trackway"),
            ],
            swiftSettings: house
        ),

        .testTarget(
            name: "IntegrationTests",
            dependencies: [
                "Stage", "recorder", "usage-reporter",
                .product(name: "TrackwayEvents", package: "trackway"),
                .product(name: "TrackwayJournal", package: "trackway"),
                .product(name: "TrackwayWire", package: "trackway"),
            ],
            exclude: ["Phone/Golden"],
            swiftSettings: house
        ),
    ],
    swiftLanguageModes: [.v6]
)
