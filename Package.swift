// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import PackageDescription

/// Warnings are errors when this repository is built for its own sake: `make`, `.ci/run` and `Scripts` set the variable. Never for a
/// user: tools build dependencies with warnings suppressed, and a target that asks for both does not build at all.
let warnings: [SwiftSetting] =
    Context.environment["TRACKWAY_WARNINGS_AS_ERRORS"] == "1" ? [.treatAllWarnings(as: .error)] : []

/// How every room is built. Each line is a rule we want the compiler to keep for us.
let house: [SwiftSetting] =
    [
        .enableUpcomingFeature("ExistentialAny"),  // say `any`: an existential is a decision
        .enableUpcomingFeature("MemberImportVisibility"),  // a file uses only what it imports
        .enableUpcomingFeature("InternalImportsByDefault"),  // a dependency leaks only on purpose
        .enableUpcomingFeature("NonisolatedNonsendingByDefault"),  // async stays where it was called
    ] + warnings

/// Where a target's privacy manifest lies, for Apple's tools, which look for one among the resources of each; elsewhere it would only
/// be carried along.
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
        .library(name: "TrackwayTesting", targets: ["TrackwayTesting"]),
        .library(name: "TrackwayTriggers", targets: ["TrackwayTriggers"]),
        .library(name: "TrackwayUIKit", targets: ["TrackwayUIKit"]),
        .library(name: "TrackwaySwiftUI", targets: ["TrackwaySwiftUI"]),
        // Four of the above as one dynamic library, for an app whose own dynamic frameworks record, too: linked statically into each of them
        // there would be several copies. Its name is not that of a target: Xcode cannot build such a product dynamically.
        .library(
            name: "TrackwayDynamic",
            type: .dynamic,
            targets: ["Trackway", "TrackwayTriggers", "TrackwayUIKit", "TrackwaySwiftUI"]
        ),
        // What a store asks every app for that refers to it: only apps that want it link it.
        .library(name: "TrackwayLocation", targets: ["TrackwayLocation"]),
        .library(name: "TrackwayMotion", targets: ["TrackwayMotion"]),
        .library(name: "TrackwayAdvertisingID", targets: ["TrackwayAdvertisingID"]),
        // The documented calls of older SDKs, as thin faces: an app moves by changing its import line.
        .library(name: "ClickstreamCompatibility", targets: ["ClickstreamCompatibility"]),
        .library(
            name: "SensorsAnalyticsCompatibility",
            targets: ["SensorsAnalyticsCompatibility", "SensorsAnalyticsConstants"]
        ),
        .library(name: "SiftCompatibility", targets: ["SiftCompatibility"]),
        .library(name: "SAPUsageCompatibility", targets: ["SAPUsageCompatibility"]),
        .library(name: "SparkChamberCompatibility", targets: ["SparkChamberCompatibility"]),
        // What a receiver shares with the SDK: the vocabulary, the wire format, and the append-only log.
        .library(name: "TrackwayEvents", targets: ["TrackwayEvents"]),
        .library(name: "TrackwayWire", targets: ["TrackwayWire"]),
        .library(name: "TrackwayJournal", targets: ["TrackwayJournal"]),
    ],
    targets: [
        // The ground: libc calls that Swift cannot reach portably (locks, mappings, clocks, thread storage).
        .target(name: "CTrackway", exclude: privacy().exclude, resources: privacy().resources),
        // Found where the system keeps it, by `link` in the module map: pkg-config would answer with Homebrew's, which is built for
        // the Mac alone.
        .systemLibrary(name: "CZlib", providers: [.apt(["zlib1g-dev"])]),
        // Carries requests on Linux; Apple's systems have URLSession.
        .systemLibrary(name: "CCurl", providers: [.apt(["libcurl4-openssl-dev"])]),
        // Encrypts at rest on Linux; Apple's systems have CryptoKit.
        .systemLibrary(name: "CCrypto", providers: [.apt(["libssl-dev"])]),

        // Floor 0: the vocabulary. No Foundation.
        .target(name: "TrackwayEvents", dependencies: ["CTrackway"], swiftSettings: house),

        // Floor 1: the cellar (bytes and places, never vendors) and the formats (two pure functions each).
        .target(name: "TrackwayJournal", dependencies: ["TrackwayEvents", "CTrackway"], swiftSettings: house),
        .target(name: "TrackwayWire", dependencies: ["TrackwayEvents", "CZlib"], swiftSettings: house),

        // Floor 1: the clockwork. State machines as values: time handed in, actions returned.
        .target(name: "TrackwayBehavior", dependencies: ["TrackwayEvents"], swiftSettings: house),

        // Floor 2: one cupboard per vendor.
        .target(
            name: "TrackwayDestinations",
            dependencies: ["TrackwayEvents", "TrackwayWire"],
            swiftSettings: house
        ),

        // Floor 2: the post room.
        .target(
            name: "TrackwayDelivery",
            dependencies: ["TrackwayEvents", "TrackwayBehavior", "TrackwayJournal", "TrackwayWire", "CTrackway"],
            swiftSettings: house
        ),

        // Floor 3: the windows. The only room that knows which system it runs on.
        .target(
            name: "TrackwayPlatform",
            dependencies: [
                "TrackwayEvents", "TrackwayBehavior", "TrackwayJournal", "TrackwayWire", "TrackwayDelivery",
                "CTrackway", .target(name: "CCurl", condition: .when(platforms: [.linux])),
                .target(name: "CCrypto", condition: .when(platforms: [.linux])),
            ],
            exclude: privacy("Apple/").exclude,
            resources: privacy("Apple/").resources,
            swiftSettings: house
        ),

        // Floor 4: the front door.
        .target(
            name: "Trackway",
            dependencies: [
                "TrackwayEvents", "TrackwayBehavior", "TrackwayJournal", "TrackwayWire", "TrackwayDelivery",
                "TrackwayDestinations", "TrackwayPlatform", "CTrackway",
            ],
            swiftSettings: house
        ),

        // Floor 5: frameworks of Apple's that the core must not refer to, each in a product of its own. Empty elsewhere.
        .target(
            name: "TrackwayLocation",
            dependencies: ["TrackwayBehavior", "TrackwayEvents", "TrackwayPlatform"],
            exclude: privacy().exclude,
            resources: privacy().resources,
            swiftSettings: house
        ),
        .target(
            name: "TrackwayMotion",
            dependencies: ["TrackwayBehavior", "TrackwayEvents", "TrackwayPlatform"],
            exclude: privacy().exclude,
            resources: privacy().resources,
            swiftSettings: house
        ),
        .target(
            name: "TrackwayAdvertisingID",
            dependencies: ["TrackwayPlatform"],
            exclude: privacy().exclude,
            resources: privacy().resources,
            swiftSettings: house
        ),

        // Floor 5: what users' own tests need.
        .target(
            name: "TrackwayTesting",
            dependencies: [
                "Trackway", "TrackwayEvents", "TrackwayBehavior", "TrackwayJournal", "TrackwayWire", "TrackwayDelivery",
                "TrackwayPlatform", "CTrackway",
            ],
            swiftSettings: house
        ),

        // Floor 5: what is done when something happens to an element of an interface.
        .target(name: "TrackwayTriggers", dependencies: ["Trackway", "TrackwayEvents"], swiftSettings: house),

        // Floor 5: screens, touches and clicks of UIKit; the hook that all of it shares.
        .target(
            name: "TrackwayUIKit",
            dependencies: ["TrackwayTriggers", "Trackway", "TrackwayBehavior", "TrackwayEvents"],
            exclude: privacy().exclude,
            resources: privacy().resources,
            swiftSettings: house
        ),

        // Floor 5: the same for SwiftUI, in calls that views make.
        .target(
            name: "TrackwaySwiftUI",
            dependencies: ["TrackwayTriggers", "Trackway", "TrackwayBehavior", "TrackwayEvents"],
            exclude: privacy().exclude,
            resources: privacy().resources,
            swiftSettings: house
        ),

        // Floor 6: faces.
        .target(
            name: "ClickstreamCompatibility",
            dependencies: ["TrackwayUIKit", "Trackway", "TrackwayEvents", "TrackwayWire", "TrackwayDestinations"],
            exclude: privacy().exclude,
            resources: privacy().resources,
            swiftSettings: house
        ),
        // The format's names for Objective-C, which does not see constants of Swift: a header.
        .target(name: "SensorsAnalyticsConstants"),
        .target(
            name: "SensorsAnalyticsCompatibility",
            dependencies: [
                "TrackwayUIKit", "Trackway", "TrackwayEvents", "TrackwayBehavior", "TrackwayWire",
                "TrackwayDestinations",
            ],
            exclude: privacy().exclude,
            resources: privacy().resources,
            swiftSettings: house
        ),

        // A structure that Swift cannot declare for C and Objective-C.
        .target(name: "CSiftCompatibility"),
        .target(
            name: "SiftCompatibility",
            dependencies: [
                "CSiftCompatibility", "TrackwayUIKit", "Trackway", "TrackwayEvents", "TrackwayBehavior",
                "TrackwayWire", "TrackwayDelivery", "TrackwayDestinations", "TrackwayPlatform", "TrackwayMotion",
            ],
            exclude: privacy().exclude,
            resources: privacy().resources,
            swiftSettings: house
        ),

        .target(
            name: "SAPUsageCompatibility",
            dependencies: [
                "Trackway", "TrackwayEvents", "TrackwayBehavior", "TrackwayJournal", "TrackwayWire",
                "TrackwayDelivery", "TrackwayDestinations", "TrackwayPlatform",
            ],
            exclude: privacy().exclude,
            resources: privacy().resources,
            swiftSettings: house
        ),

        .target(
            name: "SparkChamberCompatibility",
            dependencies: ["TrackwayUIKit", "TrackwayTriggers", "Trackway", "TrackwayEvents"],
            swiftSettings: house
        ),

        .testTarget(name: "TrackwayEventsTests", dependencies: ["TrackwayEvents"], swiftSettings: house),
        .testTarget(
            name: "TrackwayBehaviorTests",
            dependencies: ["TrackwayBehavior", "TrackwayEvents", "TrackwayTesting"],
            swiftSettings: house
        ),
        .testTarget(
            name: "TrackwayDestinationsTests",
            dependencies: ["TrackwayDestinations", "TrackwayWire", "TrackwayEvents", "TrackwayTesting"],
            resources: [.copy("Fixtures")],
            swiftSettings: house
        ),
        // The code samples of the format's document as they stand there, one a file, and what they need of Apple's systems.
        // Samples are not ours to mend: warnings in them are no errors.
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
                "TrackwayTesting", "TrackwayDestinations", "TrackwayEvents", "TrackwayWire",
            ],
            swiftSettings: house
        ),
        .testTarget(
            name: "SensorsAnalyticsCompatibilityTests",
            dependencies: [
                "SensorsAnalyticsCompatibility", "SensorsAnalyticsConstants", "TrackwayUIKit", "Trackway",
                "TrackwayPlatform", "TrackwayTesting", "TrackwayEvents", "TrackwayWire", "TrackwayDestinations",
            ],
            swiftSettings: house
        ),
        // The third document has one sample in Swift, and one in Objective-C, which is said in Swift here; another one in
        // Objective-C is C, and stands as it is.
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
                "TrackwayBehavior", "TrackwayDelivery", "TrackwayEvents", "TrackwayWire", "TrackwayDestinations",
            ],
            swiftSettings: house
        ),
        // The fifth document's samples, as they stand there but for the placeholders of its editor.
        .target(name: "SAPUsageSamples", dependencies: ["SAPUsageCompatibility"], path: "Tests/SAPUsageSamples"),
        .testTarget(
            name: "SAPUsageCompatibilityTests",
            dependencies: [
                "SAPUsageCompatibility", "SAPUsageSamples", "Trackway", "TrackwayTesting", "TrackwayBehavior",
                "TrackwayEvents", "TrackwayJournal", "TrackwayPlatform", "TrackwayWire", "TrackwayDestinations",
            ],
            swiftSettings: house
        ),
        // What holds for every compatibility module.
        .testTarget(
            name: "CompatibilityRulesTests",
            dependencies: [
                "ClickstreamCompatibility", "SAPUsageCompatibility", "SensorsAnalyticsCompatibility",
                "SiftCompatibility",
                "Trackway", "TrackwayTesting", "TrackwayEvents",
            ],
            swiftSettings: house
        ),
        .testTarget(
            name: "TrackwayTriggersTests",
            dependencies: ["TrackwayTriggers", "Trackway", "TrackwayTesting", "TrackwayEvents"],
            swiftSettings: house
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
                "TrackwayTesting", "TrackwayEvents",
            ],
            swiftSettings: house
        ),
        .testTarget(
            name: "TrackwayUIKitTests",
            dependencies: [
                "TrackwayUIKit", "TrackwaySwiftUI", "Trackway", "TrackwayTesting", "TrackwayBehavior", "TrackwayEvents",
            ],
            swiftSettings: house
        ),
        .testTarget(
            name: "TrackwayJournalTests",
            dependencies: [
                "TrackwayJournal", "TrackwayEvents", "TrackwayPlatform", "TrackwayTesting", "CTrackway", "CZlib",
            ],
            swiftSettings: house
        ),
        .testTarget(
            name: "TrackwayWireTests",
            dependencies: ["TrackwayWire", "TrackwayEvents", "TrackwayTesting"],
            swiftSettings: house
        ),
        .testTarget(
            name: "TrackwayDeliveryTests",
            dependencies: [
                "TrackwayDelivery", "TrackwayBehavior", "TrackwayJournal", "TrackwayWire", "TrackwayEvents",
                "TrackwayTesting",
            ],
            swiftSettings: house
        ),
        .testTarget(
            name: "TrackwayPlatformTests",
            dependencies: [
                "TrackwayPlatform", "TrackwayBehavior", "TrackwayDelivery", "TrackwayJournal", "TrackwayWire",
                "TrackwayEvents", "TrackwayTesting", "LifeCycleProbe", "CrashProbe", "CTrackway",
            ],
            swiftSettings: house
        ),
        // A process for tests to send signals to.
        .executableTarget(
            name: "LifeCycleProbe",
            dependencies: ["TrackwayPlatform", "TrackwayEvents", "TrackwayWire"],
            path: "Tests/LifeCycleProbe",
            swiftSettings: house
        ),
        // A process for tests that dies in many ways.
        .executableTarget(
            name: "CrashProbe",
            dependencies: ["Trackway", "TrackwayPlatform", "TrackwayEvents"],
            path: "Tests/CrashProbe",
            swiftSettings: house
        ),
        .testTarget(
            name: "TrackwayTests",
            dependencies: [
                "Trackway", "TrackwayTesting", "TrackwayDelivery", "TrackwayJournal", "TrackwayWire", "TrackwayEvents",
                "TrackwayBehavior", "TrackwayPlatform", "CrashProbe",
            ],
            resources: [.copy("Fixtures")],
            swiftSettings: house
        ),
        // Whole stories of an app's life, played on a simulated device.
        .testTarget(
            name: "TrackwayScenarioTests",
            dependencies: ["Trackway", "TrackwayTesting", "TrackwayEvents"],
            swiftSettings: house
        ),
    ],
    swiftLanguageModes: [.v6]
)
