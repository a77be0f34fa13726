// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import PackageDescription

/// Treats warnings as errors in this repository's own builds; see the SDK's manifest.
let warnings: [SwiftSetting] =
    Context.environment["TRACKWAY_WARNINGS_AS_ERRORS"] == "1" ? [.treatAllWarnings(as: .error)] : []

/// The settings of every target: the same rules as in the SDK's manifest, for the same reasons.
let strictSwiftSettings: [SwiftSetting] =
    [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    ] + warnings

/// The SDK's modules that the collector uses: events, the wire format, and the append-only log.
let shared: [Target.Dependency] = [
    .product(name: "_TrackwayCore", package: "trackway"),
    .product(name: "_TrackwayDestinationKit", package: "trackway"),
    .product(name: "_TrackwayJournal", package: "trackway"),
]

/// CollectorHTTP, CollectorDashboard and CollectorSQLite never import each other: TrackwayCommand connects them.
let package = Package(
    name: "trackway-server",
    platforms: [.macOS(.v14)],
    products: [
        .executable(name: "trackway", targets: ["trackway"]),
        // For the package in ../Cluster only. These libraries are not a public API, and may change in any version.
        .library(name: "CollectorCore", targets: ["CollectorCore"]),
        .library(name: "CollectorSQLite", targets: ["CollectorSQLite"]),
        .library(name: "CollectorHTTP", targets: ["CollectorHTTP"]),
        .library(name: "TrackwayCommand", targets: ["TrackwayCommand"]),
        .library(name: "CollectorTesting", targets: ["CollectorTesting"]),
    ],
    dependencies: [
        .package(name: "trackway", path: ".."),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1", traits: []),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.0"),
        .package(url: "https://github.com/apple/swift-nio-extras", from: "1.35.2"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.6.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    ],
    targets: [
        // Layer 0: admission, keys, durable intake and the meaning of records. No HTTP, no SQL.
        .target(name: "CollectorCore", dependencies: shared, swiftSettings: strictSwiftSettings),

        // SQLite settings that can be made from C only.
        .target(name: "CSQLiteSettings", linkerSettings: [.linkedLibrary("sqlite3")]),

        // Layer 1: three targets that depend on layer 0 and not on each other.
        .target(
            name: "CollectorSQLite",
            dependencies: shared + [
                "CollectorCore", "CSQLiteSettings",
                .product(name: "GRDB", package: "GRDB.swift"),
                // The C functions below GRDB: bodies are bound without a copy.
                .product(name: "GRDBSQLite", package: "GRDB.swift"),
            ],
            swiftSettings: strictSwiftSettings
        ),
        .target(
            name: "CollectorHTTP",
            dependencies: shared + [
                "CollectorCore",
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdCore", package: "hummingbird"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
                .product(name: "NIOHTTPTypesHTTP1", package: "swift-nio-extras"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ],
            swiftSettings: strictSwiftSettings
        ),
        // The page's files as arrays in C: Swift takes a minute of processor time for the same bytes.
        .target(name: "CWebAssets", exclude: ["Assets"]),
        .target(
            name: "CollectorDashboard",
            dependencies: ["CollectorCore", "CWebAssets"],
            swiftSettings: strictSwiftSettings
        ),

        // Layer 2: the commands, and the collector that connects the targets above.
        .target(
            name: "TrackwayCommand",
            dependencies: shared + [
                "CollectorCore", "CollectorSQLite", "CollectorHTTP", "CollectorDashboard",
                .product(name: "Trackway", package: "trackway"),
                .product(name: "TrackwayDestinations", package: "trackway"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ],
            swiftSettings: strictSwiftSettings
        ),
        .executableTarget(name: "trackway", dependencies: ["TrackwayCommand"], swiftSettings: strictSwiftSettings),

        // Shared by test targets: HTTP connections byte by byte, and bodies of other formats as their clients send them.
        .target(
            name: "CollectorTesting",
            dependencies: [
                .product(name: "_TrackwayCore", package: "trackway"),
                .product(name: "_TrackwayDestinationKit", package: "trackway"),
                .product(name: "NIOCore", package: "swift-nio"), .product(name: "NIOPosix", package: "swift-nio"),
            ],
            path: "Tests/CollectorTesting",
            swiftSettings: strictSwiftSettings
        ),
        .testTarget(
            name: "CollectorCoreTests",
            dependencies: shared + [
                "CollectorCore", "CollectorTesting", .product(name: "TrackwayTesting", package: "trackway"),
            ],
            swiftSettings: strictSwiftSettings
        ),
        .testTarget(
            name: "CollectorSQLiteTests",
            dependencies: shared + [
                "CollectorSQLite", "CollectorCore", "CollectorTesting",
                .product(name: "GRDB", package: "GRDB.swift"), .product(name: "TrackwayTesting", package: "trackway"),
            ],
            swiftSettings: strictSwiftSettings
        ),
        .testTarget(
            name: "CollectorHTTPTests",
            dependencies: shared + [
                "CollectorHTTP", "CollectorCore", "CollectorTesting",
                .product(name: "TrackwayTesting", package: "trackway"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ],
            swiftSettings: strictSwiftSettings
        ),
        .testTarget(
            name: "CollectorDashboardTests",
            dependencies: ["CollectorDashboard", "CollectorCore"],
            swiftSettings: strictSwiftSettings
        ),
        .testTarget(
            name: "TrackwayCommandTests",
            dependencies: shared + [
                "TrackwayCommand", "CollectorCore", "CollectorHTTP", "CollectorDashboard", "CollectorTesting",
                .product(name: "Trackway", package: "trackway"),
                .product(name: "TrackwayDestinations", package: "trackway"),
                .product(name: "TrackwayTesting", package: "trackway"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: strictSwiftSettings
        ),
    ],
    swiftLanguageModes: [.v6]
)
