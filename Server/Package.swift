// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import PackageDescription

/// Warnings are errors when this repository is built for its own sake; see the SDK's manifest.
let warnings: [SwiftSetting] =
    Context.environment["TRACKWAY_WARNINGS_AS_ERRORS"] == "1" ? [.treatAllWarnings(as: .error)] : []

/// How every target is built: the same rules as in the SDK's manifest, and for the same reasons.
let house: [SwiftSetting] =
    [
        .enableUpcomingFeature("ExistentialAny"),  // say `any`: an existential is a decision
        .enableUpcomingFeature("MemberImportVisibility"),  // a file uses only what it imports
        .enableUpcomingFeature("InternalImportsByDefault"),  // a dependency leaks only on purpose
        .enableUpcomingFeature("NonisolatedNonsendingByDefault"),  // async stays where it was called
    ] + warnings

/// What the collector shares with the SDK: the vocabulary, the wire format, and the append-only log.
let shared: [Target.Dependency] = [
    .product(name: "TrackwayEvents", package: "trackway"),
    .product(name: "TrackwayWire", package: "trackway"),
    .product(name: "TrackwayJournal", package: "trackway"),
]

/// CollectorHTTP, CollectorWeb, CollectorStore, CollectorStream and CollectorColumns never import each other: the executable connects them.
let package = Package(
    name: "trackway-server",
    platforms: [.macOS(.v14)],
    products: [
        .executable(name: "trackway", targets: ["trackway"])
    ],
    traits: [
        .trait(
            name: "TLS",
            description: "Encrypted connections to NATS (tls://) and ClickHouse (https://), with SwiftNIO's BoringSSL."
        ),
        .default(enabledTraits: ["TLS"]),
    ],
    dependencies: [
        .package(name: "trackway", path: ".."),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1", traits: []),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.0"),
        .package(url: "https://github.com/apple/swift-nio-extras", from: "1.35.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.0"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.6.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    ],
    targets: [
        // Floor 0: what is accepted and what it means: admission, keys, durable intake. No HTTP, no SQL.
        .target(name: "Collector", dependencies: shared, swiftSettings: house),

        // What SQLite can be told only from C.
        .target(name: "CSQLiteSettings", linkerSettings: [.linkedLibrary("sqlite3")]),

        // Floor 0, too: encryption of connections that are made, with whatever library the trait brings; nothing of what goes over them.
        .target(
            name: "CollectorTLS",
            dependencies: [
                .product(name: "TrackwayEvents", package: "trackway"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOTLS", package: "swift-nio", condition: .when(traits: ["TLS"])),
                .product(name: "NIOSSL", package: "swift-nio-ssl", condition: .when(traits: ["TLS"])),
            ],
            swiftSettings: house
        ),

        // Floor 1: five targets that know the floors below and not each other.
        .target(
            name: "CollectorStore",
            dependencies: shared + [
                "Collector", "CSQLiteSettings",
                .product(name: "GRDB", package: "GRDB.swift"),
                // The C functions below GRDB: bodies are bound from where they lie, without a copy.
                .product(name: "GRDBSQLite", package: "GRDB.swift"),
            ],
            swiftSettings: house
        ),
        .target(
            name: "CollectorHTTP",
            dependencies: shared + [
                "Collector",
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
            swiftSettings: house
        ),
        .target(
            name: "CollectorWeb",
            dependencies: ["Collector"],
            // Compiled in: one executable, nothing beside it.
            resources: [.embedInCode("Assets")],
            swiftSettings: house
        ),

        .target(
            name: "CollectorStream",
            dependencies: shared + [
                "Collector", "CollectorTLS",
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ],
            swiftSettings: house
        ),

        .target(
            name: "CollectorColumns",
            dependencies: shared + [
                "Collector", "CollectorTLS",
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ],
            swiftSettings: house
        ),

        // Floor 2: the command that connects them.
        .executableTarget(
            name: "trackway",
            dependencies: shared + [
                "Collector", "CollectorStore", "CollectorHTTP", "CollectorStream", "CollectorColumns", "CollectorTLS",
                "CollectorWeb",
                .product(name: "Trackway", package: "trackway"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ],
            swiftSettings: house
        ),

        // What several test targets need: connections of bytes, servers of NATS and ClickHouse, and bodies of other formats as their clients send
        // them.
        .target(
            name: "CollectorTesting",
            dependencies: [
                "CollectorStream", "CollectorTLS",
                .product(name: "TrackwayEvents", package: "trackway"),
                .product(name: "NIOCore", package: "swift-nio"), .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl", condition: .when(traits: ["TLS"])),
            ],
            path: "Tests/CollectorTesting",
            swiftSettings: house
        ),
        .testTarget(
            name: "CollectorTests",
            dependencies: shared + [
                "Collector", "CollectorTesting", .product(name: "TrackwayTesting", package: "trackway"),
            ],
            swiftSettings: house
        ),
        .testTarget(
            name: "CollectorTLSTests",
            dependencies: [
                "CollectorTLS", "CollectorTesting", .product(name: "TrackwayEvents", package: "trackway"),
            ],
            swiftSettings: house
        ),
        .testTarget(
            name: "CollectorStoreTests",
            dependencies: shared + ["CollectorStore", "Collector", .product(name: "GRDB", package: "GRDB.swift")],
            swiftSettings: house
        ),
        .testTarget(
            name: "CollectorHTTPTests",
            dependencies: shared + [
                "CollectorHTTP", "Collector", "CollectorStream", "CollectorTesting",
                .product(name: "TrackwayTesting", package: "trackway"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ],
            swiftSettings: house
        ),
        .testTarget(
            name: "CollectorStreamTests",
            dependencies: shared + [
                "CollectorStream", "Collector", "CollectorTLS", "CollectorTesting",
                .product(name: "TrackwayTesting", package: "trackway"),
                .product(name: "NIOCore", package: "swift-nio"), .product(name: "NIOPosix", package: "swift-nio"),
            ],
            swiftSettings: house
        ),
        .testTarget(
            name: "CollectorColumnsTests",
            dependencies: shared + [
                "CollectorColumns", "Collector", "CollectorStore", "CollectorTLS", "CollectorTesting",
                .product(name: "TrackwayTesting", package: "trackway"),
                .product(name: "NIOCore", package: "swift-nio"), .product(name: "NIOPosix", package: "swift-nio"),
            ],
            swiftSettings: house
        ),
        // Values of streams and of columns together, in virtual time: their rooms do not know each other.
        .testTarget(
            name: "CollectorSimulationTests",
            dependencies: [
                "CollectorStream", "CollectorColumns", "Collector", "CollectorTesting",
                .product(name: "TrackwayEvents", package: "trackway"),
            ],
            swiftSettings: house
        ),
        .testTarget(name: "CollectorWebTests", dependencies: ["CollectorWeb", "Collector"], swiftSettings: house),
        .testTarget(
            name: "TrackwayCommandTests",
            dependencies: shared + [
                "trackway", "Collector", "CollectorHTTP", "CollectorStream", "CollectorColumns", "CollectorWeb",
                "CollectorTLS", "CollectorTesting",
                .product(name: "Trackway", package: "trackway"),
                .product(name: "TrackwayTesting", package: "trackway"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: house
        ),
    ],
    swiftLanguageModes: [.v6]
)
