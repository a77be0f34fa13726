// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import PackageDescription

let shared: [Target.Dependency] = [
    .product(name: "_TrackwayCore", package: "trackway"),
    .product(name: "_TrackwayDestinationKit", package: "trackway"),
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
        .target(name: "LibFuzzer", dependencies: ["CFuzzer"]),

        // The collector's admission code, through a symbolic link: the server's package would add its web framework.
        .target(name: "CollectorCore", dependencies: shared),

        // The JSON scanner and all code that reads events with it.
        .executableTarget(name: "FuzzJSONScanner", dependencies: ["LibFuzzer"] + shared),

        // Logs and journals with arbitrary damage.
        .executableTarget(
            name: "FuzzJournalReader",
            dependencies: ["LibFuzzer", .product(name: "TrackwayTesting", package: "trackway")] + shared
        ),

        // The collector's request bodies, and the records of its intake log.
        .executableTarget(name: "FuzzIntake", dependencies: ["LibFuzzer", "CollectorCore"] + shared),

        // The collector's other formats: one target for each, with shared rules.
        .target(name: "VendorRules", dependencies: ["LibFuzzer", "CollectorCore"] + shared),
        .executableTarget(name: "FuzzClickstream", dependencies: ["LibFuzzer", "VendorRules", "CollectorCore"]),
        .executableTarget(name: "FuzzSensors", dependencies: ["LibFuzzer", "VendorRules", "CollectorCore"]),
        .executableTarget(name: "FuzzSift", dependencies: ["LibFuzzer", "VendorRules", "CollectorCore"]),
        .executableTarget(name: "FuzzSAPUsage", dependencies: ["LibFuzzer", "VendorRules", "CollectorCore"]),
    ],
    swiftLanguageModes: [.v6]
)
