// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import PackageDescription

let package = Package(
    name: "QuickStart",
    platforms: [.macOS(.v13)],
    dependencies: [.package(name: "trackway", path: "../..")],
    targets: [
        .executableTarget(name: "quickstart", dependencies: [.product(name: "Trackway", package: "trackway")]),
        .executableTarget(name: "service", dependencies: [.product(name: "Trackway", package: "trackway")]),
        .executableTarget(name: "two-destinations", dependencies: [.product(name: "Trackway", package: "trackway")]),
    ]
)
