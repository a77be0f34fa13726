// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import PackageDescription

/// Every executable named `Fuzz…` is one fuzz target; `Scripts/fuzz` builds and runs them all. See README.md.
let package = Package(
    name: "trackway-fuzzing",
    platforms: [.macOS(.v13)],
    dependencies: [
        .package(name: "trackway", path: "..")
    ],
    targets: [
        // libFuzzer's entry, which Swift cannot see.
        .target(name: "CFuzzer"),

        // The JSON scanner and everything that reads events with it.
        .executableTarget(
            name: "FuzzJSONScanner",
            dependencies: ["CFuzzer", .product(name: "TrackwayEvents", package: "trackway")]
        ),
    ],
    swiftLanguageModes: [.v6]
)
