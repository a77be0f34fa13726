// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Foundation
import Testing
import TrackwayCore
import TrackwayDestinations
import TrackwayPlatform
import TrackwayTesting

@testable import Trackway
@testable import TrackwayMigration

/// The data of older SDKs in the fixtures, and a device whose app migrates from them.
struct LegacySDKFixture: Sendable {
    /// Ten minutes after the user left the app in the fixtures.
    static let now = Timestamp(milliseconds: 1_717_229_600_000)
    static let anne = "0E6614B7-2D78-4A6D-A9C1-73AB6D3F5F11"
    static let bob = "5C1D9A52-0B1F-4C57-8A0B-11C6D54C3E02"
    static let device = "A0B1C2D3-0000-4111-8222-333344445555"

    /// The folder of an SDK's fixtures.
    static func folder(_ name: String) throws -> String {
        try #require(Bundle.module.resourceURL).appendingPathComponent("Fixtures/TakeOver/\(name)").path
    }

    /// The user defaults of an SDK's fixtures.
    static func defaults(_ name: String) throws -> [String: PropertyValue] {
        let text = try Data(contentsOf: URL(fileURLWithPath: folder(name) + "/defaults.plist"))
        let list = try PropertyListSerialization.propertyList(from: text, format: nil)
        let binary = try PropertyListSerialization.data(fromPropertyList: list, format: .binary, options: 0)
        return try #require(try BinaryPropertyList.value(of: Array(binary)).dictionary)
    }

    /// The storage location with an SDK's fixtures.
    static func location(_ name: String) throws -> LegacyStorageLocation {
        let (folder, defaults) = (try folder(name), try defaults(name == "sift" ? "sensors" : name))
        let scratch = FileManager.default.temporaryDirectory
            .appendingPathComponent("take-over-\(EventIDGenerator().next(at: now))").path
        return LegacyStorageLocation(
            value: { name == "sift" ? nil : defaults[$0] },
            library: folder,
            caches: folder,
            temporary: folder,
            scratch: scratch
        )
    }

    /// Every file of an SDK's fixtures, with its bytes.
    static func files(_ name: String) throws -> [String: Data] {
        let folder = try folder(name)
        var files: [String: Data] = [:]
        for path in try FileManager.default.subpathsOfDirectory(atPath: folder) {
            files[path] = FileManager.default.contents(atPath: folder + "/" + path)
        }
        return files
    }

    /// The environment of a device, at the time of the fixtures.
    static func environment() -> InMemoryEnvironment {
        InMemoryEnvironment(clock: ManualClock(wall: now), device: ["platform": "iOS", "os_version": "17.5"])
    }

    /// A configuration as created by a compatibility module that replaces an older SDK.
    static func configuration(
        _ legacySDK: LegacySDK?,
        _ environment: InMemoryEnvironment
    ) -> Configuration {
        var configuration = Configuration(
            appID: "shop",
            destinations: [
                DestinationConfiguration(
                    ClickstreamDestination(appID: "shop", endpoint: "http://shop.test/", isCompressed: false)
                )
            ],
            consent: .granted
        )
        configuration.appVersion = "3.0"
        configuration.legacySDK = legacySDK
        configuration.run(in: environment)
        return configuration
    }

    /// Analytics as created by a compatibility module.
    static func start(_ legacySDK: LegacySDK?, _ environment: InMemoryEnvironment) throws -> Analytics {
        try Analytics(configuration(legacySDK, environment))
    }

    /// Every event that reached the back end, in order.
    static func sent(_ environment: InMemoryEnvironment) throws -> [JSONValue] {
        try environment.transport.requests.flatMap { try #require(try JSONValue.parse($0.body).array) }
    }
}
