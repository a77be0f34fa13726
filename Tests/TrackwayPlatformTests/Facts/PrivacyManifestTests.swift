// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Foundation
import Testing

/// What each product says of itself to Apple's tools.
@Suite("Privacy manifests")
struct PrivacyManifestTests {
    static let sources = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("Sources")

    /// The targets that products begin with, or that call what has to be declared.
    static let targets = [
        "CTrackway", "TrackwayPlatform/Apple", "TrackwayLocation", "TrackwayMotion", "TrackwayAdvertisingID",
        "ClickstreamCompatibility", "SensorsAnalyticsCompatibility", "SiftCompatibility", "SAPUsageCompatibility",
    ]

    private func manifest(_ target: String) throws -> [String: Any] {
        let file = Self.sources.appendingPathComponent(target + "/PrivacyInfo.xcprivacy")
        let list = try PropertyListSerialization.propertyList(from: Data(contentsOf: file), format: nil)
        return try #require(list as? [String: Any])
    }

    @Test("each is a property list of the four keys, with the words of Apple's list", arguments: targets)
    func form(_ target: String) throws {
        let manifest = try manifest(target)
        let types = try #require(manifest["NSPrivacyCollectedDataTypes"] as? [[String: Any]])
        let calls = try #require(manifest["NSPrivacyAccessedAPITypes"] as? [[String: Any]])
        #expect(manifest.count == 4)
        // True asks for a domain, which only the app knows.
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

    @Test("what has to be declared is called by no target that does not declare it")
    func calls() throws {
        let files = FileManager.default.enumerator(atPath: Self.sources.path)
        while let name = files?.nextObject() as? String {
            guard name.hasSuffix(".swift") || name.hasSuffix(".c") else { continue }
            let text = try String(contentsOf: Self.sources.appendingPathComponent(name), encoding: .utf8)
            for (call, target) in [
                ("systemUptime", "TrackwayMotion/"), ("mach_absolute_time", ""), ("UserDefaults", "TrackwayPlatform/"),
                ("CLLocation", "TrackwayLocation/"), ("CMMotionManager", "TrackwayMotion/"),
                ("ASIdentifierManager", "TrackwayAdvertisingID/"),
            ] where text.contains(call) {
                #expect(!target.isEmpty && name.hasPrefix(target), "\(call) in \(name)")
            }
        }
    }
}
