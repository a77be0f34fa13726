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

/// The modules of the SDK and the collector that most targets use.
let shared: [Target.Dependency] = [
    .product(name: "_TrackwayCore", package: "trackway"),
    .product(name: "_TrackwayDestinationKit", package: "trackway"),
    .product(name: "_TrackwayJournal", package: "trackway"),
    .product(name: "CollectorCore", package: "Server"),
]

/// Collectors on several machines: records in NATS JetStream, queries in ClickHouse, TLS to both.
///
/// CollectorJetStream and CollectorClickHouse never import each other: the executable connects them.
let package = Package(
    name: "trackway-cluster",
    platforms: [.macOS(.v14)],
    products: [
        .executable(name: "trackway-cluster", targets: ["trackway-cluster"])
    ],
    dependencies: [
        .package(name: "trackway", path: ".."),
        .package(path: "../Server"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1", traits: []),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.0"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.0"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.6.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    ],
    targets: [
        // Layer 0: encryption of outgoing connections.
        .target(
            name: "CollectorTLS",
            dependencies: [
                .product(name: "_TrackwayCore", package: "trackway"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOTLS", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ],
            swiftSettings: strictSwiftSettings
        ),

        // Layer 1: one target per engine.
        .target(
            name: "CollectorJetStream",
            dependencies: shared + [
                "CollectorTLS",
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ],
            swiftSettings: strictSwiftSettings
        ),
        .target(
            name: "CollectorClickHouse",
            dependencies: shared + [
                "CollectorTLS",
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ],
            swiftSettings: strictSwiftSettings
        ),

        // Layer 2: the command.
        .executableTarget(
            name: "trackway-cluster",
            dependencies: shared + [
                "CollectorJetStream", "CollectorClickHouse", "CollectorTLS",
                .product(name: "CollectorHTTP", package: "Server"),
                .product(name: "CollectorSQLite", package: "Server"),
                .product(name: "TrackwayCommand", package: "Server"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ],
            swiftSettings: strictSwiftSettings
        ),

        // Shared by test targets: NATS and ClickHouse servers, scripted servers, certificates.
        .target(
            name: "ClusterTesting",
            dependencies: [
                "CollectorJetStream", "CollectorTLS",
                .product(name: "CollectorTesting", package: "Server"),
                .product(name: "_TrackwayCore", package: "trackway"),
                .product(name: "NIOCore", package: "swift-nio"), .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ],
            path: "Tests/ClusterTesting",
            swiftSettings: strictSwiftSettings
        ),
        .testTarget(
            name: "CollectorTLSTests",
            dependencies: [
                "CollectorTLS", "ClusterTesting", .product(name: "_TrackwayCore", package: "trackway"),
            ],
            swiftSettings: strictSwiftSettings
        ),
        .testTarget(
            name: "CollectorJetStreamTests",
            dependencies: shared + [
                "CollectorJetStream", "CollectorTLS", "ClusterTesting",
                .product(name: "CollectorTesting", package: "Server"),
                .product(name: "TrackwayTesting", package: "trackway"),
                .product(name: "NIOCore", package: "swift-nio"), .product(name: "NIOPosix", package: "swift-nio"),
            ],
            swiftSettings: strictSwiftSettings
        ),
        .testTarget(
            name: "CollectorClickHouseTests",
            dependencies: shared + [
                "CollectorClickHouse", "CollectorTLS", "ClusterTesting",
                .product(name: "CollectorSQLite", package: "Server"),
                .product(name: "CollectorTesting", package: "Server"),
                .product(name: "TrackwayTesting", package: "trackway"),
                .product(name: "NIOCore", package: "swift-nio"), .product(name: "NIOPosix", package: "swift-nio"),
            ],
            swiftSettings: strictSwiftSettings
        ),
        // Both engines together, simulated in virtual time.
        .testTarget(
            name: "ClusterSimulationTests",
            dependencies: [
                "CollectorJetStream", "CollectorClickHouse", "ClusterTesting",
                .product(name: "CollectorCore", package: "Server"),
                .product(name: "CollectorTesting", package: "Server"),
                .product(name: "_TrackwayCore", package: "trackway"),
            ],
            swiftSettings: strictSwiftSettings
        ),
        // The collector's HTTP tests with a scripted engine; `Support` links to the tests' support code in Server.
        .testTarget(
            name: "ClusterEndpointTests",
            dependencies: shared + [
                "CollectorJetStream", "ClusterTesting",
                .product(name: "CollectorHTTP", package: "Server"),
                .product(name: "CollectorTesting", package: "Server"),
                .product(name: "TrackwayTesting", package: "trackway"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ],
            swiftSettings: strictSwiftSettings
        ),
        // `Support` links to the support code of the command's tests in Server.
        .testTarget(
            name: "ClusterCommandTests",
            dependencies: shared + [
                "trackway-cluster", "CollectorJetStream", "CollectorClickHouse", "CollectorTLS", "ClusterTesting",
                .product(name: "CollectorHTTP", package: "Server"),
                .product(name: "CollectorSQLite", package: "Server"),
                .product(name: "CollectorTesting", package: "Server"),
                .product(name: "TrackwayCommand", package: "Server"),
                .product(name: "Trackway", package: "trackway"),
                .product(name: "TrackwayTesting", package: "trackway"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: strictSwiftSettings
        ),
    ],
    swiftLanguageModes: [.v6]
)
