// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import PackageDescription

let shared: [Target.Dependency] = [
    .product(name: "_TrackwayEvents", package: "trackway"),
    .product(name: "_TrackwayWire", package: "trackway"),
    .product(name: "_TrackwayJournal", package: "trackway"),
]

/// Every executable named `Fuzz…` is one fuzz target; `Scripts/fuzz` builds and runs them all.
///
/// See README.md.
let package = Package(
    name: "trackway-fuzzing",
    platforms: [.macOS(.v13)],
    dependencies: [
        .package(name: "trackway", path: "..")
    ],
    targets: [
        // libFuzzer's entry point, which is not visible to Swift, and the code that runs a target with it.
        .target(name: "CFuzzer"),
        .target(name: "Feeder", dependencies: ["CFuzzer"]),

        // The collector's admission code, through a symbolic link: the server's package would add its web framework.
        .target(name: "Collector", dependencies: shared),

        // The JSON scanner and all code that reads events with it.
        .executableTarget(name: "FuzzJSONScanner", dependencies: ["Feeder"] + shared),

        // Logs and journals with arbitrary damage.
        .executableTarget(
            name: "FuzzJournalReader",
            dependencies: ["Feeder", .product(name: "TrackwayTesting", package: "trackway")] + shared
        ),

        // The collector's request bodies, and the records of its intake log.
        .executableTarget(name: "FuzzIntake", dependencies: ["Feeder", "Collector"] + shared),

        // The collector's other formats: one target for each, with shared rules.
        .target(name: "VendorRules", dependencies: ["Feeder", "Collector"] + shared),
        .executableTarget(name: "FuzzClickstream", dependencies: ["Feeder", "VendorRules", "Collector"]),
        .executableTarget(name: "FuzzSensors", dependencies: ["Feeder", "VendorRules", "Collector"]),
        .executableTarget(name: "FuzzSift", dependencies: ["Feeder", "VendorRules", "Collector"]),
        .executableTarget(name: "FuzzSAPUsage", dependencies: ["Feeder", "VendorRules", "Collector"]),
    ],
    swiftLanguageModes: [.v6]
)
