// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Foundation
import Testing

/// The declarations of each product to Apple's tools.
@Suite("Privacy manifests")
struct PrivacyManifestTests {
    static let sources = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("Sources")

    /// Products' main targets, and targets with calls that must be declared.
    static let targets = [
        "CTrackway", "TrackwayPlatform/Apple", "TrackwayUIKit", "TrackwaySwiftUI", "TrackwayLocation", "TrackwayMotion",
        "TrackwayAdvertisingID", "TrackwayMigration",
        "ClickstreamCompatibility", "SensorsAnalyticsCompatibility", "SiftCompatibility", "SAPUsageCompatibility",
    ]

    private func manifest(_ target: String) throws -> [String: Any] {
        let file = Self.sources.appendingPathComponent(target + "/PrivacyInfo.xcprivacy")
        let list = try PropertyListSerialization.propertyList(from: Data(contentsOf: file), format: nil)
        return try #require(list as? [String: Any])
    }

    @Test(arguments: targets)
    func `each manifest is a property list with the four keys and values from Apple's list`(_ target: String) throws {
        let manifest = try manifest(target)
        let types = try #require(manifest["NSPrivacyCollectedDataTypes"] as? [[String: Any]])
        let calls = try #require(manifest["NSPrivacyAccessedAPITypes"] as? [[String: Any]])
        #expect(manifest.count == 4)
        // The value true requires a domain, which only the app knows.
        #expect(manifest["NSPrivacyTracking"] as? Bool == false)
        #expect((manifest["NSPrivacyTrackingDomains"] as? [String])?.isEmpty == true)
        let known: Set = [
            "ProductInteraction", "DeviceID", "UserID", "PreciseLocation", "CoarseLocation", "OtherDataTypes",
        ]
        for type in types {
            #expect(type.count == 4)
            let name = try #require(type["NSPrivacyCollectedDataType"] as? String)
            #expect(known.contains(String(name.dropFirst("NSPrivacyCollectedDataType".count))), "\(name)")
            #expect(type["NSPrivacyCollectedDataTypeLinked"] as? Bool == true)
            let isTracking = type["NSPrivacyCollectedDataTypeTracking"] as? Bool
            #expect(isTracking == (target == "TrackwayAdvertisingID"))
            let purposes = try #require(type["NSPrivacyCollectedDataTypePurposes"] as? [String])
            #expect(!purposes.isEmpty)
            for purpose in purposes {
                let word = String(purpose.dropFirst("NSPrivacyCollectedDataTypePurpose".count))
                #expect(["Analytics", "AppFunctionality", "ThirdPartyAdvertising"].contains(word), "\(purpose)")
            }
        }
        let reasons = [
            "FileTimestamp": "C617.1", "DiskSpace": "E174.1", "SystemBootTime": "8FFB.1", "UserDefaults": "CA92.1",
        ]
        for call in calls {
            let kind = try #require(call["NSPrivacyAccessedAPIType"] as? String)
            let word = String(kind.dropFirst("NSPrivacyAccessedAPICategory".count))
            #expect(call["NSPrivacyAccessedAPITypeReasons"] as? [String] == reasons[word].map { [$0] }, "\(kind)")
        }
    }

    /// The data that each linked product collects, as listed in Documentation/Privacy.md.
    @Test(arguments: [
        ("CTrackway", []),
        ("TrackwayPlatform/Apple", ["DeviceID", "OtherDataTypes", "ProductInteraction"]),
        ("TrackwayUIKit", ["ProductInteraction"]),
        ("TrackwaySwiftUI", ["ProductInteraction"]),
        ("TrackwayLocation", ["CoarseLocation", "PreciseLocation"]),
        ("TrackwayMotion", ["OtherDataTypes"]),
        ("TrackwayAdvertisingID", ["DeviceID"]),
        ("ClickstreamCompatibility", ["DeviceID", "ProductInteraction", "UserID"]),
        ("SensorsAnalyticsCompatibility", ["DeviceID", "ProductInteraction", "UserID"]),
        ("SiftCompatibility", ["DeviceID", "OtherDataTypes", "ProductInteraction", "UserID"]),
        ("SAPUsageCompatibility", ["DeviceID", "ProductInteraction", "UserID"]),
    ])
    func `each manifest declares the data that leaves the device when its product is linked`(
        _ target: String,
        _ expected: [String]
    ) throws {
        let types = try #require(try manifest(target)["NSPrivacyCollectedDataTypes"] as? [[String: Any]])
        let names = types.compactMap { $0["NSPrivacyCollectedDataType"] as? String }
        #expect(names.map { String($0.dropFirst("NSPrivacyCollectedDataType".count)) }.sorted() == expected)
    }

    @Test
    func `only the advertising product declares tracking data, and no product declares domains`() throws {
        for target in Self.targets {
            let manifest = try manifest(target)
            // An app that tracks users declares this in its own manifest. If the value were true here, the domains
            // would have to be declared here, too.
            #expect(manifest["NSPrivacyTracking"] as? Bool == false, "\(target)")
            #expect((manifest["NSPrivacyTrackingDomains"] as? [String]) == [], "\(target)")
            let types = try #require(manifest["NSPrivacyCollectedDataTypes"] as? [[String: Any]])
            let tracked = types.filter { $0["NSPrivacyCollectedDataTypeTracking"] as? Bool == true }
            #expect(tracked.isEmpty == (target != "TrackwayAdvertisingID"), "\(target)")
        }
    }

    /// The source files for Apple's systems, by path relative to the sources.
    private func files() throws -> [(name: String, text: String)] {
        let files = FileManager.default.enumerator(atPath: Self.sources.path)
        var result: [(name: String, text: String)] = []
        while let name = files?.nextObject() as? String {
            guard name.hasSuffix(".swift") || name.hasSuffix(".c"), !name.contains("/Linux/") else { continue }
            let text = try String(contentsOf: Self.sources.appendingPathComponent(name), encoding: .utf8)
            // Skip files that are entirely for other systems.
            guard !text.contains("#if defined(__linux__)\n#if !defined(_GNU_SOURCE)") else { continue }
            result.append((name, text))
        }
        return result
    }

    @Test
    func `each manifest declares exactly the calls from Apple's list that its target makes`() throws {
        let listed: [String: [String]] = [
            "FileTimestamp": [
                #"\b[fl]?stat(at)?\([a-z&]"#, "getattrlist", "creationDate", "contentModificationDate",
                "attributesOfItem",
            ],
            "DiskSpace": [#"\bf?statv?fs\("#, "volumeAvailableCapacity", "volumeTotalCapacity", "systemFreeSize"],
            "SystemBootTime": ["systemUptime", "mach_absolute_time", "mach_continuous_time"],
            "UserDefaults": [#"\bUserDefaults\b"#, "CFPreferences"],
            "ActiveKeyboards": ["activeInputModes"],
        ]
        var made: [String: Set<String>] = [:]
        for (name, text) in try files() {
            let target = String(name.prefix { $0 != "/" })
            for (category, patterns) in listed {
                let isMade = patterns.contains { text.range(of: $0, options: .regularExpression) != nil }
                if isMade { made[target, default: []].insert(category) }
            }
        }
        for target in Self.targets {
            let calls = try #require(try manifest(target)["NSPrivacyAccessedAPITypes"] as? [[String: Any]])
            let names = calls.compactMap { $0["NSPrivacyAccessedAPIType"] as? String }
            let declared = Set(names.map { String($0.dropFirst("NSPrivacyAccessedAPICategory".count)) })
            let own = made.removeValue(forKey: String(target.prefix { $0 != "/" })) ?? []
            #expect(declared == own, "\(target)")
        }
        // Targets without a manifest make none of these calls.
        #expect(made.isEmpty)
    }

    @Test
    func `frameworks that require purpose strings are used only by their own products`() throws {
        for (name, text) in try files() {
            for (word, target) in [
                ("CLLocation", "TrackwayLocation/"), ("CMMotionManager", "TrackwayMotion/"),
                ("ASIdentifierManager", "TrackwayAdvertisingID/"), ("ATTrackingManager", "TrackwayAdvertisingID/"),
            ] where text.contains(word) {
                #expect(name.hasPrefix(target), "\(word) in \(name)")
            }
        }
    }
}
