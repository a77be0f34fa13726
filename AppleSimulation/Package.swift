// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Foundation
import PackageDescription

// Runs the SDK's code for Apple platforms on Linux, with simulated frameworks. A separate package, so that clients of
// the SDK never have a module called UIKit in their dependency graph. See README.md.

let isOurs = Context.environment["TRACKWAY_WARNINGS_AS_ERRORS"] == "1"

/// The same settings as in the SDK's own manifest.
let strictSwiftSettings: [SwiftSetting] =
    [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    ] + (isOurs ? [.treatAllWarnings(as: .error)] : [])

/// A simulated Apple framework.
///
/// The Swift 5 language mode allows a main-actor class to override `NSObject.init()`, as the imported classes do;
/// library evolution makes enumerations non-frozen like imported ones.
func framework(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(
        name: name,
        dependencies: dependencies,
        swiftSettings: [
            .swiftLanguageMode(.v5), .enableUpcomingFeature("MemberImportVisibility"),
            .enableUpcomingFeature("InternalImportsByDefault"),
            .unsafeFlags(["-enable-library-evolution", "-suppress-warnings"]),
        ]
    )
}

/// A module of the SDK, built from the link to its sources; nil if the folder does not exist.
func module(_ name: String, _ dependencies: [Target.Dependency], exclude: [String] = ["PrivacyInfo.xcprivacy"])
    -> Target?
{
    let folder = Context.packageDirectory + "/../Sources/" + name
    let isThere = { FileManager.default.fileExists(atPath: folder + "/" + $0) }
    guard isThere("") else { return nil }
    return .target(
        name: name,
        dependencies: dependencies,
        path: "SDK/" + name,
        exclude: exclude.filter(isThere),
        swiftSettings: strictSwiftSettings
    )
}

let baseModules: [Target.Dependency] = [
    "TrackwayCore", "TrackwayLifecycle", "TrackwayJournal", "TrackwayDestinationKit", "CTrackway",
]

let compatibilityModule: [Target.Dependency] = [
    "TrackwayUIKit", "Trackway", "TrackwayCore", "TrackwayDestinationKit", "TrackwayDestinations", "TrackwayMigration",
]

// A module that uses `canImport` with a simulated framework must depend on it, directly or through another module.
// Otherwise the result would depend on which modules were built earlier.
let modules: [Target?] = [
    .target(name: "CTrackway", path: "SDK/CTrackway", exclude: ["PrivacyInfo.xcprivacy"]),
    .systemLibrary(name: "CZlib", path: "SDK/CZlib"),
    .systemLibrary(name: "CCurl", path: "SDK/CCurl"),
    .systemLibrary(name: "CCrypto", path: "SDK/CCrypto"),
    module("TrackwayCore", ["CTrackway"]),
    module("TrackwayJournal", ["TrackwayCore", "CTrackway"]),
    module("TrackwayDestinationKit", ["TrackwayCore", "CZlib"]),
    module("TrackwayLifecycle", ["TrackwayCore"]),
    module("TrackwayDelivery", baseModules),
    module(
        "TrackwayPlatform",
        baseModules + ["TrackwayDelivery", "CCurl", "CCrypto", "UIKit", "Network", "MetricKit"],
        exclude: ["Apple/PrivacyInfo.xcprivacy"]
    ),
    module("Trackway", baseModules + ["TrackwayDelivery", "TrackwayPlatform"]),
    module("TrackwayDestinations", ["Trackway", "TrackwayCore", "TrackwayDestinationKit"]),
    module("TrackwayMigration", ["Trackway"] + baseModules),
    module(
        "TrackwayLocation",
        ["TrackwayLifecycle", "TrackwayCore", "TrackwayPlatform", "CoreLocation"]
    ),
    module(
        "TrackwayMotion",
        ["TrackwayLifecycle", "TrackwayCore", "TrackwayPlatform", "CoreMotion"]
    ),
    module(
        "TrackwayAdvertisingID",
        ["TrackwayPlatform", "AdSupport", "AppTrackingTransparency"]
    ),
    module("TrackwayTesting", ["Trackway"] + baseModules + ["TrackwayDelivery", "TrackwayPlatform"]),
    module("TrackwayTriggers", ["Trackway", "TrackwayCore"]),
    module("TrackwayUIKit", ["TrackwayTriggers", "Trackway", "TrackwayLifecycle", "TrackwayCore", "UIKit"]),
    module("TrackwaySwiftUI", ["TrackwayTriggers", "Trackway", "TrackwayLifecycle", "TrackwayCore", "SwiftUI"]),
    module("ClickstreamCompatibility", compatibilityModule),
    module("SensorsAnalyticsCompatibility", compatibilityModule + ["TrackwayLifecycle"]),
    .target(name: "CSiftCompatibility", path: "SDK/CSiftCompatibility"),
    module(
        "SiftCompatibility",
        compatibilityModule + [
            "CSiftCompatibility", "TrackwayLifecycle", "TrackwayDelivery", "TrackwayPlatform", "TrackwayMotion",
        ]
    ),
    module("SparkChamberCompatibility", ["TrackwayUIKit", "TrackwayTriggers", "Trackway", "TrackwayCore", "UIKit"]),
]

let package = Package(
    name: "apple-simulation",
    targets: [
        framework("UIKit"),
        framework("SwiftUI", ["UIKit"]),
        framework("CoreLocation"),
        framework("CoreMotion"),
        framework("Network"),
        framework("MetricKit"),
        framework("BackgroundTasks"),
        framework("AdSupport"),
        framework("AppTrackingTransparency"),
        // With a module named UIKit, `import Testing` looks for this module.
        .target(name: "_Testing_UIKit"),
        .testTarget(name: "UIKitTests", dependencies: ["UIKit", "_Testing_UIKit"], swiftSettings: strictSwiftSettings),
        .testTarget(
            name: "SwiftUITests",
            dependencies: ["SwiftUI", "UIKit", "_Testing_UIKit"],
            swiftSettings: strictSwiftSettings
        ),
        // The sample app, unchanged. A library, so that another program can start it; its entry point is renamed.
        .target(
            name: "ShopApp",
            dependencies: ["SparkChamberCompatibility", "TrackwaySwiftUI", "Trackway", "SwiftUI", "UIKit"],
            path: "ShopApp",
            swiftSettings: [
                .unsafeFlags(["-Xfrontend", "-entry-point-function-name", "-Xfrontend", "ShopApp_main"])
            ]
        ),
        // The iPhone app of the README's quick start, unchanged.
        .target(
            name: "ReadmeApp",
            dependencies: ["TrackwaySwiftUI", "Trackway", "SwiftUI"],
            path: "ReadmeApp",
            swiftSettings: [
                .unsafeFlags(["-Xfrontend", "-entry-point-function-name", "-Xfrontend", "ReadmeApp_main"])
            ]
        ),
        // The sample app of AppleApps.md, unchanged.
        .target(
            name: "FirstHour",
            dependencies: ["TrackwayUIKit", "TrackwaySwiftUI", "Trackway", "TrackwayDestinations", "SwiftUI"],
            path: "FirstHour",
            swiftSettings: [
                .unsafeFlags(["-Xfrontend", "-entry-point-function-name", "-Xfrontend", "FirstHour_main"])
            ]
        ),
        // The sample apps in a simulated phone that executes commands: one process is one launch of the app.
        .executableTarget(
            name: "simulated-app",
            dependencies: [
                "ShopApp", "FirstHour", "TrackwayUIKit", "TrackwaySwiftUI", "Trackway", "TrackwayDestinations",
                "TrackwayTesting", "TrackwayPlatform", "TrackwayCore", "TrackwayLocation", "TrackwayMotion",
                "TrackwayAdvertisingID",
                "SwiftUI", "UIKit", "CoreLocation", "CoreMotion", "MetricKit", "AdSupport", "AppTrackingTransparency",
            ],
            path: "SimulatedAppScenario",
            swiftSettings: strictSwiftSettings
        ),
        .testTarget(
            name: "ShopAppTests",
            dependencies: [
                "ShopApp", "ReadmeApp", "FirstHour", "SparkChamberCompatibility", "TrackwaySwiftUI", "Trackway",
                "TrackwayTesting", "TrackwayCore", "SwiftUI", "UIKit", "_Testing_UIKit",
            ],
            swiftSettings: strictSwiftSettings
        ),
        .testTarget(
            name: "TrackwayPlatformTests",
            dependencies: [
                "TrackwayPlatform", "TrackwayLifecycle", "TrackwayDelivery", "TrackwayCore", "TrackwayJournal",
                "TrackwayTesting", "UIKit", "Network", "MetricKit", "_Testing_UIKit",
            ],
            swiftSettings: strictSwiftSettings
        ),
        // The samples of the SparkChamber documentation, unchanged.
        .target(
            name: "SparkChamberSamples",
            dependencies: ["SparkChamberCompatibility"],
            path: "SparkChamberSamples",
            swiftSettings: isOurs ? [.treatAllWarnings(as: .error)] : []
        ),
        // Measures the cost of automatic capture; needs a release build.
        .executableTarget(
            name: "capture-cost",
            dependencies: ["TrackwayUIKit", "TrackwayTriggers", "Trackway", "UIKit"],
            swiftSettings: strictSwiftSettings
        ),
        .testTarget(
            name: "TriggersTests",
            dependencies: [
                "TrackwayTriggers", "TrackwayUIKit", "Trackway", "TrackwayTesting", "TrackwayCore", "UIKit",
                "_Testing_UIKit",
            ],
            swiftSettings: strictSwiftSettings
        ),
        // Events that one call captures in UIKit.
        .testTarget(
            name: "TrackwayUIKitTests",
            dependencies: [
                "TrackwayUIKit", "Trackway", "TrackwayTesting", "TrackwayCore", "UIKit", "_Testing_UIKit",
            ],
            swiftSettings: strictSwiftSettings
        ),
        // Events that the compatibility modules capture automatically.
        .testTarget(
            name: "CompatibilityModuleTests",
            dependencies: [
                "ClickstreamCompatibility", "SensorsAnalyticsCompatibility", "SiftCompatibility", "TrackwayUIKit",
                "Trackway", "TrackwayTesting", "TrackwayCore", "TrackwayDestinationKit", "SwiftUI", "UIKit",
                "_Testing_UIKit",
            ],
            swiftSettings: strictSwiftSettings
        ),
        .testTarget(
            name: "TrackwaySwiftUITests",
            dependencies: [
                "TrackwaySwiftUI", "TrackwayTriggers", "TrackwayUIKit", "Trackway", "TrackwayTesting", "TrackwayCore",
                "SwiftUI", "UIKit", "_Testing_UIKit",
            ],
            swiftSettings: strictSwiftSettings
        ),
        // Background tasks that the app registers and the SDK does not observe.
        .testTarget(
            name: "BackgroundTasksTests",
            dependencies: [
                "BackgroundTasks", "Trackway", "TrackwayTesting", "TrackwayCore", "UIKit", "_Testing_UIKit",
            ],
            swiftSettings: strictSwiftSettings
        ),
        .testTarget(
            name: "SparkChamberTests",
            dependencies: [
                "SparkChamberCompatibility", "SparkChamberSamples", "TrackwayUIKit", "TrackwayTesting", "UIKit",
                "_Testing_UIKit",
            ],
            swiftSettings: strictSwiftSettings
        ),
        .testTarget(
            name: "ProductTests",
            dependencies: [
                "TrackwayLocation", "TrackwayMotion", "TrackwayAdvertisingID", "TrackwayPlatform", "TrackwayLifecycle",
                "TrackwayCore", "CoreLocation", "CoreMotion", "AdSupport", "AppTrackingTransparency",
                "_Testing_UIKit",
            ],
            swiftSettings: strictSwiftSettings
        ),
    ] + modules.compactMap { $0 },
    swiftLanguageModes: [.v6]
)
