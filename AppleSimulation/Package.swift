// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Foundation
import PackageDescription

// Runs the SDK's code for Apple's systems on Linux, against simulated frameworks. A package of its own, so that nobody who depends
// on the SDK ever has a module called UIKit in his graph. See README.md.

let isOurs = Context.environment["TRACKWAY_WARNINGS_AS_ERRORS"] == "1"

/// The same settings as in the SDK's own manifest.
let house: [SwiftSetting] =
    [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    ] + (isOurs ? [.treatAllWarnings(as: .error)] : [])

/// A framework of Apple's, simulated. Swift 5's rules let a class of the main actor override `NSObject.init()`, as the imported
/// classes do; library evolution makes enumerations as open as imported ones.
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

/// A room of the SDK, by the link to its sources; nil while there is no such folder.
func room(_ name: String, _ dependencies: [Target.Dependency], exclude: [String] = ["PrivacyInfo.xcprivacy"]) -> Target?
{
    let folder = Context.packageDirectory + "/../Sources/" + name
    let isThere = { FileManager.default.fileExists(atPath: folder + "/" + $0) }
    guard isThere("") else { return nil }
    return .target(
        name: name,
        dependencies: dependencies,
        path: "SDK/" + name,
        exclude: exclude.filter(isThere),
        swiftSettings: house
    )
}

let ground: [Target.Dependency] = [
    "TrackwayEvents", "TrackwayBehavior", "TrackwayJournal", "TrackwayWire", "CTrackway",
]

let face: [Target.Dependency] = [
    "TrackwayUIKit", "Trackway", "TrackwayEvents", "TrackwayWire", "TrackwayDestinations",
]

// A room that asks `canImport` of a simulated framework has to depend on it, directly or through another room: whether a module
// that nobody asked for is there depends on the order in which things happened to be built.
let rooms: [Target?] = [
    .target(name: "CTrackway", path: "SDK/CTrackway", exclude: ["PrivacyInfo.xcprivacy"]),
    .systemLibrary(name: "CZlib", path: "SDK/CZlib"),
    .systemLibrary(name: "CCurl", path: "SDK/CCurl"),
    .systemLibrary(name: "CCrypto", path: "SDK/CCrypto"),
    room("TrackwayEvents", ["CTrackway"]),
    room("TrackwayJournal", ["TrackwayEvents", "CTrackway"]),
    room("TrackwayWire", ["TrackwayEvents", "CZlib"]),
    room("TrackwayBehavior", ["TrackwayEvents"]),
    room("TrackwayDestinations", ["TrackwayEvents", "TrackwayWire"]),
    room("TrackwayDelivery", ground),
    room(
        "TrackwayPlatform",
        ground + ["TrackwayDelivery", "CCurl", "CCrypto", "UIKit", "Network", "MetricKit"],
        exclude: ["Apple/PrivacyInfo.xcprivacy"]
    ),
    room("Trackway", ground + ["TrackwayDelivery", "TrackwayDestinations", "TrackwayPlatform"]),
    room(
        "TrackwayLocation",
        ["TrackwayBehavior", "TrackwayEvents", "TrackwayPlatform", "CoreLocation"]
    ),
    room(
        "TrackwayMotion",
        ["TrackwayBehavior", "TrackwayEvents", "TrackwayPlatform", "CoreMotion"]
    ),
    room(
        "TrackwayAdvertisingID",
        ["TrackwayPlatform", "AdSupport", "AppTrackingTransparency"]
    ),
    room("TrackwayTesting", ["Trackway"] + ground + ["TrackwayDelivery", "TrackwayPlatform"]),
    room("TrackwayTriggers", ["Trackway", "TrackwayEvents"]),
    room("TrackwayUIKit", ["TrackwayTriggers", "Trackway", "TrackwayBehavior", "TrackwayEvents", "UIKit"]),
    room("TrackwaySwiftUI", ["TrackwayTriggers", "Trackway", "TrackwayBehavior", "TrackwayEvents", "SwiftUI"]),
    room("ClickstreamCompatibility", face),
    room("SensorsAnalyticsCompatibility", face + ["TrackwayBehavior"]),
    .target(name: "CSiftCompatibility", path: "SDK/CSiftCompatibility"),
    room(
        "SiftCompatibility",
        face + ["CSiftCompatibility", "TrackwayBehavior", "TrackwayDelivery", "TrackwayPlatform", "TrackwayMotion"]
    ),
    room("SparkChamberCompatibility", ["TrackwayUIKit", "TrackwayTriggers", "Trackway", "TrackwayEvents", "UIKit"]),
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
        // `import Testing` beside a module named UIKit looks for this one.
        .target(name: "_Testing_UIKit"),
        .testTarget(name: "UIKitTests", dependencies: ["UIKit", "_Testing_UIKit"], swiftSettings: house),
        .testTarget(
            name: "SwiftUITests",
            dependencies: ["SwiftUI", "UIKit", "_Testing_UIKit"],
            swiftSettings: house
        ),
        // The example app, as it stands. A library here, so that a program may start it; its own beginning gets another name.
        .target(
            name: "ShopApp",
            dependencies: ["SparkChamberCompatibility", "TrackwaySwiftUI", "Trackway", "SwiftUI", "UIKit"],
            path: "ShopApp",
            swiftSettings: [
                .unsafeFlags(["-Xfrontend", "-entry-point-function-name", "-Xfrontend", "ShopApp_main"])
            ]
        ),
        // The iPhone app of the README's quick start, as it stands there.
        .target(
            name: "ReadmeApp",
            dependencies: ["TrackwaySwiftUI", "Trackway", "SwiftUI"],
            path: "ReadmeApp",
            swiftSettings: [
                .unsafeFlags(["-Xfrontend", "-entry-point-function-name", "-Xfrontend", "ReadmeApp_main"])
            ]
        ),
        // The sample of AppleApps.md, as it stands there.
        .target(
            name: "FirstHour",
            dependencies: ["TrackwayUIKit", "TrackwaySwiftUI", "Trackway", "SwiftUI"],
            path: "FirstHour",
            swiftSettings: [
                .unsafeFlags(["-Xfrontend", "-entry-point-function-name", "-Xfrontend", "FirstHour_main"])
            ]
        ),
        // The example app in a phone that does as it is told: one process is one life of the app.
        .executableTarget(
            name: "phone-story",
            dependencies: [
                "ShopApp", "TrackwayUIKit", "Trackway", "TrackwayTesting", "TrackwayPlatform", "TrackwayEvents",
                "SwiftUI", "UIKit",
            ],
            path: "PhoneStory",
            swiftSettings: house
        ),
        .testTarget(
            name: "ShopAppTests",
            dependencies: [
                "ShopApp", "ReadmeApp", "FirstHour", "SparkChamberCompatibility", "TrackwaySwiftUI", "Trackway",
                "TrackwayTesting", "TrackwayEvents", "SwiftUI", "UIKit", "_Testing_UIKit",
            ],
            swiftSettings: house
        ),
        .testTarget(
            name: "TrackwayPlatformTests",
            dependencies: [
                "TrackwayPlatform", "TrackwayBehavior", "TrackwayDelivery", "TrackwayEvents", "TrackwayJournal",
                "TrackwayTesting", "UIKit", "Network", "MetricKit", "_Testing_UIKit",
            ],
            swiftSettings: house
        ),
        // The SparkChamber document's samples, as they stand.
        .target(
            name: "SparkChamberSamples",
            dependencies: ["SparkChamberCompatibility"],
            path: "SparkChamberSamples",
            swiftSettings: isOurs ? [.treatAllWarnings(as: .error)] : []
        ),
        // What automatic capture costs; in a release build.
        .executableTarget(
            name: "capture-cost",
            dependencies: ["TrackwayUIKit", "TrackwayTriggers", "Trackway", "UIKit"],
            swiftSettings: house
        ),
        .testTarget(
            name: "TriggersTests",
            dependencies: [
                "TrackwayTriggers", "TrackwayUIKit", "Trackway", "TrackwayTesting", "TrackwayEvents", "UIKit",
                "_Testing_UIKit",
            ],
            swiftSettings: house
        ),
        // What one call captures of UIKit.
        .testTarget(
            name: "TrackwayUIKitTests",
            dependencies: [
                "TrackwayUIKit", "Trackway", "TrackwayTesting", "TrackwayEvents", "UIKit", "_Testing_UIKit",
            ],
            swiftSettings: house
        ),
        // What the compatibility modules find by themselves.
        .testTarget(
            name: "FacesTests",
            dependencies: [
                "ClickstreamCompatibility", "SensorsAnalyticsCompatibility", "SiftCompatibility", "TrackwayUIKit",
                "Trackway", "TrackwayTesting", "TrackwayEvents", "TrackwayWire", "SwiftUI", "UIKit", "_Testing_UIKit",
            ],
            swiftSettings: house
        ),
        .testTarget(
            name: "TrackwaySwiftUITests",
            dependencies: [
                "TrackwaySwiftUI", "TrackwayTriggers", "TrackwayUIKit", "Trackway", "TrackwayTesting", "TrackwayEvents",
                "SwiftUI", "UIKit", "_Testing_UIKit",
            ],
            swiftSettings: house
        ),
        // The app's own tasks in the background, which the SDK knows nothing of.
        .testTarget(
            name: "BackgroundTasksTests",
            dependencies: [
                "BackgroundTasks", "Trackway", "TrackwayTesting", "TrackwayEvents", "UIKit", "_Testing_UIKit",
            ],
            swiftSettings: house
        ),
        .testTarget(
            name: "SparkChamberTests",
            dependencies: [
                "SparkChamberCompatibility", "SparkChamberSamples", "TrackwayUIKit", "TrackwayTesting", "UIKit",
                "_Testing_UIKit",
            ],
            swiftSettings: house
        ),
        .testTarget(
            name: "ProductTests",
            dependencies: [
                "TrackwayLocation", "TrackwayMotion", "TrackwayAdvertisingID", "TrackwayPlatform", "TrackwayBehavior",
                "TrackwayEvents", "CoreLocation", "CoreMotion", "AdSupport", "AppTrackingTransparency",
                "_Testing_UIKit",
            ],
            swiftSettings: house
        ),
    ] + rooms.compactMap { $0 },
    swiftLanguageModes: [.v6]
)
