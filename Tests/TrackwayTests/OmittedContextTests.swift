// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import TrackwayCore
import TrackwayLifecycle
import TrackwayPlatform
import TrackwayTesting

@testable import Trackway

@Suite("Omitted context")
struct OmittedContextTests {
    /// An app that has every fact, and omits some.
    private struct App {
        let environment = InMemoryEnvironment()
        let zone = Locked(0)
        let analytics: Analytics

        init(omitting fields: Set<ContextField>, readsDeviceLater: Bool = false) throws {
            var configuration = InMemoryAnalytics.usualConfiguration
            configuration.privacy.omittedContext = fields
            configuration.snapshots = SnapshotOptions(sources: SnapshotSources(deviceProperties: Properties()))
            configuration.run(in: environment)
            var dependencies = try environment.dependencies(for: configuration)
            let facts = ContextFacts(app: OmittedContextTests.app, device: OmittedContextTests.device, boot: "boot")
            dependencies.facts = facts
            if readsDeviceLater {
                dependencies.facts.device = [:]
                dependencies.readDeviceFacts = { OmittedContextTests.device }
            }
            dependencies.refreshFacts = { facts }
            dependencies.zoneOffset = { [zone] _ in zone.withLock { $0 } }
            analytics = try Analytics(configuration, in: dependencies)
        }

        /// The paths of the app's and the device's facts in the context of the last event.
        var lastContext: Set<String> {
            guard let context = environment.recorded.last.map({ RecordedContext($0.context) }) else { return [] }
            return Set(context.app.map { "app.\($0.key)" } + context.device.map { "device.\($0.key)" })
        }
    }

    private struct Properties: DevicePropertiesSource {
        func deviceProperties() -> DeviceProperties {
            var properties = DeviceProperties()
            properties[.vendorID] = "vendor"
            properties[.firstVendorID] = "first"
            properties[.advertisingID] = "advertising"
            properties[.osType] = "Memory"
            return properties
        }
    }

    private static let app =
        AppFacts(id: "a", package: "b", name: "c", version: "d", build: "e", processID: 1).attributes

    private static let device: Attributes = {
        var facts = DeviceFacts()
        (facts.platform, facts.systemID, facts.systemName, facts.systemVersion) = ("a", "b", "c", "d")
        (facts.kernelVersion, facts.architecture, facts.identity) = ("a", "b", "c")
        (facts.make, facts.model, facts.variant, facts.advertisingID) = ("a", "b", .iOSAppOnMac, "d")
        (facts.thermalState, facts.isInLowPowerMode, facts.cores, facts.memoryBytes) = (.fair, true, 1, 2)
        (facts.locale, facts.zone, facts.zoneOffsetSeconds) = ("a", "b", 0)
        facts.screen = DeviceFacts.Screen(width: 1, height: 2)
        facts.battery = BatteryFacts(level: 1, state: .full)
        facts.network = NetworkFacts(kind: .wifi, interfaces: ["eth0"])
        return facts.attributes
    }()

    private static let all = Set(app.map { "app.\($0.key)" } + device.map { "device.\($0.key)" })

    @Test
    func `every fact but the app's id and the platform can be omitted`() {
        #expect(Set(ContextField.allCases.map(\.rawValue)) == Self.all.subtracting(["app.id", "device.platform"]))
    }

    @Test(arguments: ContextField.allCases, [false, true])
    func `an omitted fact is in no event, even after a refresh and a new time zone`(
        _ field: ContextField,
        _ readsDeviceLater: Bool
    ) throws {
        let app = try App(omitting: [field], readsDeviceLater: readsDeviceLater)
        app.analytics.record("first")
        #expect(app.lastContext == Self.all.subtracting([field.rawValue]))
        app.analytics.lifecycleChanged(to: .didEnterBackground)
        app.zone.withLock { $0 = 3_600 }
        app.environment.clock.advance(by: .seconds(7_200))
        app.analytics.lifecycleChanged(to: .willEnterForeground)
        app.analytics.record("second")
        #expect(app.lastContext == Self.all.subtracting([field.rawValue]))
    }

    @Test
    func `no fact is omitted by default, and all can be omitted together`() throws {
        let app = try App(omitting: [])
        app.analytics.record("first")
        #expect(app.lastContext == Self.all)
        let bare = try App(omitting: Set(ContextField.allCases))
        bare.analytics.record("first")
        #expect(bare.lastContext == ["app.id", "device.platform"])
    }

    private static let vendorID = "7350BBAF-EF5D-4240-912B-0C054A6EA375"

    /// Returns the device's id in events and in snapshots.
    private func deviceIDs(
        _ id: String,
        appID: String = "test",
        _ configure: (inout Configuration) -> Void = { _ in }
    ) throws -> [String?] {
        struct Source: DevicePropertiesSource {
            let id: String

            func deviceProperties() -> DeviceProperties {
                var properties = DeviceProperties()
                properties[.vendorID] = id
                return properties
            }
        }
        let environment = InMemoryEnvironment(device: ["platform": "iOS", "id": .string(id)])
        var configuration = InMemoryAnalytics.usualConfiguration
        configuration.appID = appID
        configuration.snapshots = SnapshotOptions(sources: SnapshotSources(deviceProperties: Source(id: id)))
        configure(&configuration)
        configuration.run(in: environment)
        let analytics = try Analytics(configuration)
        analytics.collectSnapshot()
        let event = try #require(environment.recorded.first { $0.event.name == CapturedName.deviceProperties })
        return [RecordedContext(event.context).device["id"]?.string, event.event.attributes["device_ifv"]?.string]
    }

    @Test
    func `a vendor's id differs in each of the vendor's apps, unless the app shares it`() throws {
        let first = try deviceIDs(Self.vendorID, appID: "first")
        let second = try deviceIDs(Self.vendorID, appID: "second")
        #expect(first[0] == first[1] && second[0] == second[1])
        #expect(first[0] != second[0])
        #expect(first[0]?.utf8.count == 32)
        #expect(try deviceIDs(Self.vendorID, appID: "first") == first, "stable in one app")
        #expect(try deviceIDs(Self.vendorID.lowercased(), appID: "first") == first)
        let shared = try deviceIDs(Self.vendorID) { $0.privacy.sharesVendorID = true }
        #expect(shared == [Self.vendorID, Self.vendorID])
        let recognized = try deviceIDs(Self.vendorID) { $0.snapshots?.allowsDeviceRecognition = true }
        #expect(recognized[0] != Self.vendorID && recognized[1] == Self.vendorID)
    }

    @Test(arguments: ["0123456789abcdef0123456789abcdef", "device-1", "", "00000000-0000-0000-0000-00000000000"])
    func `other device ids are unchanged`(_ id: String) throws {
        #expect(try deviceIDs(id) == [id, id])
    }

    @Test
    func `a vendor's id of zeros is omitted`() throws {
        #expect(try deviceIDs("00000000-0000-0000-0000-000000000000") == [nil, nil])
    }

    @Test(
        arguments: [
            ([], ["device_ifa", "device_ifv", "device_os_type", "initial_device_ifv"]),
            ([.deviceID], ["device_ifa", "device_os_type"]),
            ([.deviceAdvertisingID], ["device_ifv", "device_os_type", "initial_device_ifv"]),
        ] as [(Set<ContextField>, [String])]
    )
    func `snapshots omit the same ids`(_ fields: Set<ContextField>, _ expected: [String]) throws {
        let app = try App(omitting: fields)
        app.analytics.collectSnapshot()
        let event = try #require(app.environment.recorded.first { $0.event.name == CapturedName.deviceProperties })
        #expect(event.event.attributes.map(\.key).sorted() == expected)
    }
}
