// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import PackageDescription

/// Treats warnings as errors in this repository's own builds.
///
/// `make`, `.ci/run` and `Scripts` set the variable. It must not be set in users' builds: tools build dependencies with
/// warnings suppressed, and a target that also makes them errors does not build at all.
let warnings: [SwiftSetting] =
    Context.environment["TRACKWAY_WARNINGS_AS_ERRORS"] == "1" ? [.treatAllWarnings(as: .error)] : []

/// The settings of every target. Each one is a rule that the compiler enforces.
let strictSwiftSettings: [SwiftSetting] =
    [
        .enableUpcomingFeature("ExistentialAny"),  // requires `any`, so that an existential type is a deliberate choice
        .enableUpcomingFeature("MemberImportVisibility"),  // a file can use only the modules that it imports
        .enableUpcomingFeature("InternalImportsByDefault"),  // a dependency becomes public only explicitly
        .enableUpcomingFeature("NonisolatedNonsendingByDefault"),  // an async function stays on its caller's actor
    ] + warnings

/// The privacy manifest of a target, as a resource on Apple platforms, and excluded elsewhere.
///
/// Apple's tools look for a manifest among the resources of each target; other systems do not use it.
func privacy(_ folder: String = "") -> (resources: [Resource], exclude: [String]) {
    #if canImport(Darwin)
    ([.copy(folder + "PrivacyInfo.xcprivacy")], [])
    #else
    ([], [folder + "PrivacyInfo.xcprivacy"])
    #endif
}

let package = Package(
    name: "trackway",
    platforms: [.iOS(.v16), .macOS(.v13), .tvOS(.v16), .watchOS(.v9), .visionOS(.v1)],
    products: [
        .library(name: "Trackway", targets: ["Trackway"]),
        .library(name: "TrackwayDestinations", targets: ["TrackwayDestinations"]),
        .library(name: "TrackwayTesting", targets: ["TrackwayTesting"]),
        .library(name: "TrackwayTriggers", targets: ["TrackwayTriggers"]),
        .library(name: "TrackwayUIKit", targets: ["TrackwayUIKit"]),
        .library(name: "TrackwaySwiftUI", targets: ["TrackwaySwiftUI"]),
        // Five of the products above as one dynamic library, for an app whose own dynamic frameworks also record
        // events: if each of them linked the products statically, there would be several copies. Its name must not be
        // that of a target, because Xcode cannot build such a product dynamically.
        .library(
            name: "TrackwayDynamic",
            type: .dynamic,
            targets: ["Trackway", "TrackwayDestinations", "TrackwayTriggers", "TrackwayUIKit", "TrackwaySwiftUI"]
        ),
        // Frameworks about which an app store questions every app that references them: only apps that need one of them
        // link it.
        .library(name: "TrackwayLocation", targets: ["TrackwayLocation"]),
        .library(name: "TrackwayMotion", targets: ["TrackwayMotion"]),
        .library(name: "TrackwayAdvertisingID", targets: ["TrackwayAdvertisingID"]),
        // The documented APIs of older SDKs, as thin compatibility modules: an app migrates by changing its import.
        .library(name: "ClickstreamCompatibility", targets: ["ClickstreamCompatibility"]),
        .library(
            name: "SensorsAnalyticsCompatibility",
            targets: ["SensorsAnalyticsCompatibility", "SensorsAnalyticsConstants"]
        ),
        .library(name: "SiftCompatibility", targets: ["SiftCompatibility"]),
        .library(name: "SAPUsageCompatibility", targets: ["SAPUsageCompatibility"]),
        .library(name: "SparkChamberCompatibility", targets: ["SparkChamberCompatibility"]),
        // Shared with the collector: event types, the wire format and the append-only log. The underscore marks them as internal:
        // they may change in any release, and apps do not import them.
        .library(name: "_TrackwayCore", targets: ["TrackwayCore"]),
        .library(name: "_TrackwayDestinationKit", targets: ["TrackwayDestinationKit"]),
        .library(name: "_TrackwayJournal", targets: ["TrackwayJournal"]),
    ],
    targets: [
        // Portability shims: libc calls that Swift cannot make portably (locks, mappings, clocks, thread storage).
        .target(name: "CTrackway", exclude: privacy().exclude, resources: privacy().resources),
        // Linked from the system's location by `link` in the module map: pkg-config would find Homebrew's library,
        // which is built only for the Mac.
        .systemLibrary(name: "CZlib", providers: [.apt(["zlib1g-dev"])]),
        // Sends requests on Linux; Apple platforms have URLSession.
        .systemLibrary(name: "CCurl", providers: [.apt(["libcurl4-openssl-dev"])]),
        // Encrypts data at rest on Linux; Apple platforms have CryptoKit.
        .systemLibrary(name: "CCrypto", providers: [.apt(["libssl-dev"])]),

        // Layer 0: events, attributes, identifiers and limits. No Foundation.
        .target(name: "TrackwayCore", dependencies: ["CTrackway"], swiftSettings: strictSwiftSettings),

        // Layer 1: the vendor-neutral storage layer, and the interface for formats (two pure functions per format).
        .target(
            name: "TrackwayJournal",
            dependencies: ["TrackwayCore", "CTrackway"],
            swiftSettings: strictSwiftSettings
        ),
        .target(
            name: "TrackwayDestinationKit",
            dependencies: ["TrackwayCore", "CZlib"],
            swiftSettings: strictSwiftSettings
        ),

        // Layer 1: state machines as values, which receive the time and return actions.
        .target(name: "TrackwayLifecycle", dependencies: ["TrackwayCore"], swiftSettings: strictSwiftSettings),

        // Layer 2: delivery.
        .target(
            name: "TrackwayDelivery",
            dependencies: [
                "TrackwayCore", "TrackwayLifecycle", "TrackwayJournal", "TrackwayDestinationKit", "CTrackway",
            ],
            swiftSettings: strictSwiftSettings
        ),

        // Layer 3: platform adapters. The only module of the core that depends on the operating system.
        .target(
            name: "TrackwayPlatform",
            dependencies: [
                "TrackwayCore", "TrackwayLifecycle", "TrackwayJournal", "TrackwayDestinationKit", "TrackwayDelivery",
                "CTrackway", .target(name: "CCurl", condition: .when(platforms: [.linux])),
                .target(name: "CCrypto", condition: .when(platforms: [.linux])),
            ],
            exclude: privacy("Apple/").exclude,
            resources: privacy("Apple/").resources,
            swiftSettings: strictSwiftSettings
        ),

        // Layer 4: the public API.
        .target(
            name: "Trackway",
            dependencies: [
                "TrackwayCore", "TrackwayLifecycle", "TrackwayJournal", "TrackwayDestinationKit", "TrackwayDelivery",
                "TrackwayPlatform", "CTrackway",
            ],
            swiftSettings: strictSwiftSettings
        ),

        // Layer 5: the formats of other back ends, one folder per vendor. Only apps that send to one of them link it.
        .target(
            name: "TrackwayDestinations",
            dependencies: ["Trackway", "TrackwayCore", "TrackwayDestinationKit"],
            swiftSettings: strictSwiftSettings
        ),

        // Layer 5: migration from older SDKs, which only compatibility modules link.
        .target(
            name: "TrackwayMigration",
            dependencies: [
                "Trackway", "TrackwayCore", "TrackwayLifecycle", "TrackwayJournal", "TrackwayDestinationKit",
                "CTrackway",
            ],
            exclude: privacy().exclude,
            resources: privacy().resources,
            swiftSettings: strictSwiftSettings
        ),

        // Layer 5: Apple's frameworks that the core must not reference, each in a separate product. Empty elsewhere.
        .target(
            name: "TrackwayLocation",
            dependencies: ["TrackwayLifecycle", "TrackwayCore", "TrackwayPlatform"],
            exclude: privacy().exclude,
            resources: privacy().resources,
            swiftSettings: strictSwiftSettings
        ),
        .target(
            name: "TrackwayMotion",
            dependencies: ["TrackwayLifecycle", "TrackwayCore", "TrackwayPlatform"],
            exclude: privacy().exclude,
            resources: privacy().resources,
            swiftSettings: strictSwiftSettings
        ),
        .target(
            name: "TrackwayAdvertisingID",
            dependencies: ["TrackwayPlatform"],
            exclude: privacy().exclude,
            resources: privacy().resources,
            swiftSettings: strictSwiftSettings
        ),

        // Layer 5: support for users' own tests.
        .target(
            name: "TrackwayTesting",
            dependencies: [
                "Trackway", "TrackwayCore", "TrackwayLifecycle", "TrackwayJournal", "TrackwayDestinationKit",
                "TrackwayDelivery",
                "TrackwayPlatform", "CTrackway",
            ],
            swiftSettings: strictSwiftSettings
        ),

        // Layer 5: actions that are triggered by events of user interface elements.
        .target(
            name: "TrackwayTriggers",
            dependencies: ["Trackway", "TrackwayCore"],
            swiftSettings: strictSwiftSettings
        ),

        // Layer 5: capture of screens, touches and clicks in UIKit, and the hook that they share.
        .target(
            name: "TrackwayUIKit",
            dependencies: ["TrackwayTriggers", "Trackway", "TrackwayLifecycle", "TrackwayCore"],
            exclude: privacy().exclude,
            resources: privacy().resources,
            swiftSettings: strictSwiftSettings
        ),

        // Layer 5: the same for SwiftUI, through modifiers that views call.
        .target(
            name: "TrackwaySwiftUI",
            dependencies: ["TrackwayTriggers", "Trackway", "TrackwayLifecycle", "TrackwayCore"],
            exclude: privacy().exclude,
            resources: privacy().resources,
            swiftSettings: strictSwiftSettings
        ),

        // Layer 6: compatibility modules.
        .target(
            name: "ClickstreamCompatibility",
            dependencies: [
                "TrackwayUIKit", "Trackway", "TrackwayCore", "TrackwayDestinationKit", "TrackwayDestinations",
                "TrackwayMigration",
            ],
            exclude: privacy().exclude,
            resources: privacy().resources,
            swiftSettings: strictSwiftSettings
        ),
        // A header with the format's names for Objective-C, which cannot use Swift constants.
        .target(name: "SensorsAnalyticsConstants"),
        .target(
            name: "SensorsAnalyticsCompatibility",
            dependencies: [
                "TrackwayUIKit", "Trackway", "TrackwayCore", "TrackwayLifecycle", "TrackwayDestinationKit",
                "TrackwayDestinations", "TrackwayMigration",
            ],
            exclude: privacy().exclude,
            resources: privacy().resources,
            swiftSettings: strictSwiftSettings
        ),

        // A structure that Swift cannot declare for C and Objective-C.
        .target(name: "CSiftCompatibility"),
        .target(
            name: "SiftCompatibility",
            dependencies: [
                "CSiftCompatibility", "TrackwayUIKit", "Trackway", "TrackwayCore", "TrackwayLifecycle",
                "TrackwayDestinationKit", "TrackwayDelivery", "TrackwayDestinations", "TrackwayPlatform",
                "TrackwayMigration", "TrackwayMotion",
            ],
            exclude: privacy().exclude,
            resources: privacy().resources,
            swiftSettings: strictSwiftSettings
        ),

        .target(
            name: "SAPUsageCompatibility",
            dependencies: [
                "Trackway", "TrackwayCore", "TrackwayLifecycle", "TrackwayJournal", "TrackwayDestinationKit",
                "TrackwayDelivery", "TrackwayDestinations", "TrackwayPlatform",
            ],
            exclude: privacy().exclude,
            resources: privacy().resources,
            swiftSettings: strictSwiftSettings
        ),

        .target(
            name: "SparkChamberCompatibility",
            dependencies: ["TrackwayUIKit", "TrackwayTriggers", "Trackway", "TrackwayCore"],
            swiftSettings: strictSwiftSettings
        ),

        .testTarget(name: "TrackwayCoreTests", dependencies: ["TrackwayCore"], swiftSettings: strictSwiftSettings),
        .testTarget(
            name: "TrackwayLifecycleTests",
            dependencies: ["TrackwayLifecycle", "TrackwayCore", "TrackwayTesting"],
            swiftSettings: strictSwiftSettings
        ),
        .testTarget(
            name: "TrackwayDestinationsTests",
            dependencies: ["TrackwayDestinations", "TrackwayDestinationKit", "TrackwayCore", "TrackwayTesting"],
            resources: [.copy("Fixtures")],
            swiftSettings: strictSwiftSettings
        ),
        // The code samples of the format's document, unchanged, one per file, and the declarations of Apple platforms
        // that they need. We do not change samples, so warnings in them are not errors.
        .target(
            name: "ClickstreamSamples",
            dependencies: ["ClickstreamCompatibility"],
            path: "Tests/ClickstreamSamples"
        ),
        .executableTarget(
            name: "ClickstreamAppSample",
            dependencies: ["ClickstreamCompatibility"],
            path: "Tests/ClickstreamAppSample"
        ),
        .testTarget(
            name: "ClickstreamCompatibilityTests",
            dependencies: [
                "ClickstreamCompatibility", "ClickstreamSamples", "ClickstreamAppSample", "TrackwayUIKit", "Trackway",
                "TrackwayTesting", "TrackwayDestinations", "TrackwayCore", "TrackwayDestinationKit",
            ],
            swiftSettings: strictSwiftSettings
        ),
        .testTarget(
            name: "SensorsAnalyticsCompatibilityTests",
            dependencies: [
                "SensorsAnalyticsCompatibility", "SensorsAnalyticsConstants", "TrackwayUIKit", "Trackway",
                "TrackwayPlatform", "TrackwayTesting", "TrackwayCore", "TrackwayDestinationKit", "TrackwayDestinations",
            ],
            swiftSettings: strictSwiftSettings
        ),
        // The third document has one sample in Swift, and one in Objective-C, which is translated to Swift here;
        // another one in Objective-C is plain C, and is unchanged.
        .target(name: "SiftSamples", dependencies: ["SiftCompatibility"], path: "Tests/SiftSamples"),
        .target(
            name: "SiftObjectiveCSample",
            dependencies: ["CSiftCompatibility"],
            path: "Tests/SiftObjectiveCSample"
        ),
        .testTarget(
            name: "SiftCompatibilityTests",
            dependencies: [
                "SiftCompatibility", "SiftSamples", "SiftObjectiveCSample", "Trackway", "TrackwayTesting",
                "TrackwayLifecycle", "TrackwayDelivery", "TrackwayCore", "TrackwayDestinationKit",
                "TrackwayDestinations",
            ],
            swiftSettings: strictSwiftSettings
        ),
        // The fifth document's samples, unchanged except for placeholders of its editor.
        .target(name: "SAPUsageSamples", dependencies: ["SAPUsageCompatibility"], path: "Tests/SAPUsageSamples"),
        .testTarget(
            name: "SAPUsageCompatibilityTests",
            dependencies: [
                "SAPUsageCompatibility", "SAPUsageSamples", "Trackway", "TrackwayTesting", "TrackwayLifecycle",
                "TrackwayCore", "TrackwayJournal", "TrackwayPlatform", "TrackwayDestinationKit", "TrackwayDestinations",
            ],
            swiftSettings: strictSwiftSettings
        ),
        // Rules for every compatibility module.
        .testTarget(
            name: "CompatibilityRulesTests",
            dependencies: [
                "ClickstreamCompatibility", "SAPUsageCompatibility", "SensorsAnalyticsCompatibility",
                "SiftCompatibility",
                "Trackway", "TrackwayTesting", "TrackwayCore",
            ],
            swiftSettings: strictSwiftSettings
        ),
        .testTarget(
            name: "TrackwayTriggersTests",
            dependencies: ["TrackwayTriggers", "Trackway", "TrackwayTesting", "TrackwayCore"],
            swiftSettings: strictSwiftSettings
        ),
        // The SparkChamber document's samples, in both language modes, without a warning.
        .target(
            name: "SparkChamberSamples",
            dependencies: ["SparkChamberCompatibility"],
            path: "Tests/SparkChamberSamples",
            swiftSettings: warnings
        ),
        .target(
            name: "SparkChamberSwift5Samples",
            dependencies: ["SparkChamberCompatibility"],
            path: "Tests/SparkChamberSwift5Samples",
            swiftSettings: warnings + [.swiftLanguageMode(.v5)]
        ),
        .testTarget(
            name: "SparkChamberCompatibilityTests",
            dependencies: [
                "SparkChamberCompatibility", "SparkChamberSamples", "SparkChamberSwift5Samples", "TrackwayTriggers",
                "Trackway",
                "TrackwayTesting", "TrackwayCore",
            ],
            swiftSettings: strictSwiftSettings
        ),
        .testTarget(
            name: "TrackwayUIKitTests",
            dependencies: [
                "TrackwayUIKit", "TrackwaySwiftUI", "Trackway", "TrackwayTesting", "TrackwayLifecycle", "TrackwayCore",
            ],
            swiftSettings: strictSwiftSettings
        ),
        .testTarget(
            name: "TrackwayJournalTests",
            dependencies: [
                "TrackwayJournal", "TrackwayCore", "TrackwayPlatform", "TrackwayTesting", "CTrackway", "CZlib",
            ],
            swiftSettings: strictSwiftSettings
        ),
        .testTarget(
            name: "TrackwayDestinationKitTests",
            dependencies: ["TrackwayDestinationKit", "TrackwayCore", "TrackwayTesting"],
            swiftSettings: strictSwiftSettings
        ),
        .testTarget(
            name: "TrackwayDeliveryTests",
            dependencies: [
                "TrackwayDelivery", "TrackwayLifecycle", "TrackwayJournal", "TrackwayDestinationKit", "TrackwayCore",
                "TrackwayTesting",
            ],
            swiftSettings: strictSwiftSettings
        ),
        .testTarget(
            name: "TrackwayPlatformTests",
            dependencies: [
                "TrackwayPlatform", "TrackwayLifecycle", "TrackwayDelivery", "TrackwayJournal",
                "TrackwayDestinationKit",
                "TrackwayCore", "TrackwayTesting", "LifecycleProbe", "CrashProbe", "CTrackway",
            ],
            swiftSettings: strictSwiftSettings
        ),
        // A process that tests send signals to.
        .executableTarget(
            name: "LifecycleProbe",
            dependencies: ["TrackwayPlatform", "TrackwayCore", "TrackwayDestinationKit"],
            path: "Tests/LifecycleProbe",
            swiftSettings: strictSwiftSettings
        ),
        // A process that crashes in different ways, for tests.
        .executableTarget(
            name: "CrashProbe",
            dependencies: ["Trackway", "TrackwayDestinations", "TrackwayPlatform", "TrackwayCore"],
            path: "Tests/CrashProbe",
            swiftSettings: strictSwiftSettings
        ),
        .testTarget(
            name: "TrackwayTests",
            dependencies: [
                "Trackway", "TrackwayTesting", "TrackwayDelivery", "TrackwayJournal", "TrackwayDestinationKit",
                "TrackwayCore",
                "TrackwayLifecycle", "TrackwayMigration", "TrackwayPlatform", "TrackwayDestinations", "CrashProbe",
            ],
            resources: [.copy("Fixtures")],
            swiftSettings: strictSwiftSettings
        ),
        // Complete scenarios of an app's use on a simulated device.
        .testTarget(
            name: "TrackwayScenarioTests",
            dependencies: ["Trackway", "TrackwayTesting", "TrackwayCore"],
            swiftSettings: strictSwiftSettings
        ),
    ],
    swiftLanguageModes: [.v6]
)
