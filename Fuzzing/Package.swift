// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import PackageDescription

let shared: [Target.Dependency] = [
    .product(name: "TrackwayEvents", package: "trackway"),
    .product(name: "TrackwayWire", package: "trackway"),
    .product(name: "TrackwayJournal", package: "trackway"),
]

/// Every executable named `Fuzz…` is one fuzz target; `Scripts/fuzz` builds and runs them all. See README.md.
let package = Package(
    name: "trackway-fuzzing",
    platforms: [.macOS(.v13)],
    dependencies: [
        .package(name: "trackway", path: "..")
    ],
    targets: [
        // libFuzzer's entry, which Swift cannot see, and what a target does with it.
        .target(name: "CFuzzer"),
        .target(name: "Feeder", dependencies: ["CFuzzer"]),

        // The collector's admission, through a link: the server's package would bring its web framework along.
        .target(name: "Collector", dependencies: shared),

        // The JSON scanner and everything that reads events with it.
        .executableTarget(name: "FuzzJSONScanner", dependencies: ["Feeder"] + shared),

        // Logs and journals with damage anywhere.
        .executableTarget(
            name: "FuzzJournalReader",
            dependencies: ["Feeder", .product(name: "TrackwayTesting", package: "trackway")] + shared
        ),

        // What the collector receives, and what it reads back from its intake log.
        .executableTarget(name: "FuzzIntake", dependencies: ["Feeder", "Collector"] + shared),

        // What it receives in other formats, one target for each; they share what must hold for all.
        .target(name: "VendorRules", dependencies: ["Feeder", "Collector"] + shared),
        .executableTarget(name: "FuzzClickstream", dependencies: ["Feeder", "VendorRules", "Collector"]),
        .executableTarget(name: "FuzzSensors", dependencies: ["Feeder", "VendorRules", "Collector"]),
        .executableTarget(name: "FuzzSift", dependencies: ["Feeder", "VendorRules", "Collector"]),
        .executableTarget(name: "FuzzSAPUsage", dependencies: ["Feeder", "VendorRules", "Collector"]),
    ],
    swiftLanguageModes: [.v6]
)
