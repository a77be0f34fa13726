// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import PackageDescription

/// Treats warnings as errors when this package is built as the root package.
///
/// See the SDK's manifest.
let warnings: [SwiftSetting] =
    Context.environment["TRACKWAY_WARNINGS_AS_ERRORS"] == "1" ? [.treatAllWarnings(as: .error)] : []

/// The settings of every target: the same rules as in the SDK's manifest, for the same reasons.
let strictSwiftSettings: [SwiftSetting] =
    [
        .enableUpcomingFeature("ExistentialAny"),  // requires `any`, so that an existential type is a deliberate choice
        .enableUpcomingFeature("MemberImportVisibility"),  // a file can use only the modules that it imports
        .enableUpcomingFeature("InternalImportsByDefault"),  // a dependency becomes public only explicitly
        .enableUpcomingFeature("NonisolatedNonsendingByDefault"),  // an async function stays on its caller's actor
    ] + warnings

/// Runs real processes that use the SDK against a real collector on loopback.
///
/// The collector is not linked: tests run the built `trackway` command, so that this package builds quickly and tests
/// what users run.
let package = Package(
    name: "trackway-integration",
    platforms: [.macOS(.v13)],
    products: [
        // Loaded into a process before all other libraries, through LD_PRELOAD.
        .library(name: "ClockShift", type: .dynamic, targets: ["ClockShift"]),
        .library(name: "SimulatedSystem", type: .dynamic, targets: ["SimulatedSystem"]),
    ],
    dependencies: [
        .package(name: "trackway", path: "..")
    ],
    targets: [
        // Shifts the wall clock of one process, as if someone had set it.
        .target(name: "ClockShift"),

        // Replaces the files that describe the machine for one process, and refuses all connections except to one port.
        .target(name: "SimulatedSystem"),

        // An app that uses only public products and runs through the day of its installation.
        .executableTarget(
            name: "first-day-app",
            dependencies: [
                .product(name: "Trackway", package: "trackway"),
                .product(name: "TrackwayDestinations", package: "trackway"),
                .product(name: "TrackwayTriggers", package: "trackway"),
            ],
            swiftSettings: strictSwiftSettings
        ),

        // An app built on the SDK that executes commands and prints what it did.
        .executableTarget(
            name: "recorder",
            dependencies: [
                .product(name: "Trackway", package: "trackway"),
                .product(name: "TrackwayDestinations", package: "trackway"),
                .product(name: "_TrackwayCore", package: "trackway"),
            ],
            swiftSettings: strictSwiftSettings
        ),

        // An app built on the compatibility module for usage reports that executes commands.
        .executableTarget(
            name: "usage-reporter",
            dependencies: [.product(name: "SAPUsageCompatibility", package: "trackway")],
            swiftSettings: strictSwiftSettings
        ),

        // Opens a terminal, which Swift's import of the C library does not support.
        .target(name: "CTerminal"),

        // The test support: processes, folders, small disks, an unreliable server, the collector.
        .target(
            name: "IntegrationTestSupport",
            dependencies: [
                "CTerminal",
                .product(name: "_TrackwayCore", package: "trackway"),
                .product(name: "_TrackwayJournal", package: "trackway"),
                .product(name: "_TrackwayDestinationKit", package: "trackway"),
            ],
            swiftSettings: strictSwiftSettings
        ),

        .testTarget(
            name: "IntegrationTests",
            dependencies: [
                "IntegrationTestSupport", "recorder", "usage-reporter", "first-day-app",
                .product(name: "TrackwayTesting", package: "trackway"),
                .product(name: "_TrackwayCore", package: "trackway"),
                .product(name: "_TrackwayJournal", package: "trackway"),
                .product(name: "_TrackwayDestinationKit", package: "trackway"),
            ],
            exclude: ["SimulatedApp/Golden"],
            swiftSettings: strictSwiftSettings
        ),
    ],
    swiftLanguageModes: [.v6]
)
