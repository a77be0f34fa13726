// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import TrackwayCore
import TrackwayLifecycle
import TrackwayTesting

@testable import Trackway

@Suite("Apps for children")
struct ChildDirectedTests {
    private static let secrets = ["machine-7", "ad-7", "ann@example.com", "host-7", "kernel-7", "vendor-7"]

    private static func sensors() -> SimulatedSensors {
        let sensors = SimulatedSensors()
        sensors.deviceProperties[.deviceModel] = "tablet"
        sensors.deviceProperties[.hostName] = "host-7"
        sensors.deviceProperties[.deviceName] = "host-7"
        sensors.deviceProperties[.advertisingID] = "ad-7"
        sensors.deviceProperties[.vendorID] = "vendor-7"
        sensors.deviceProperties[.kernelUUID] = "kernel-7"
        sensors.deviceProperties[.hostID] = 7
        sensors.appState.batteryLevel = 0.5
        sensors.appState.networkAddresses = ["10.1.2.3"]
        sensors.location = Location(
            time: Timestamp(milliseconds: 1),
            latitude: 48.1,
            longitude: 11.5,
            horizontalAccuracy: 10
        )
        sensors.isLocationAuthorized = true
        sensors.motion = .raw
        return sensors
    }

    /// Records everything that an app can record, and returns the events as text.
    private static func run(
        _ privacy: Configuration.Privacy
    ) throws -> (text: String, names: [String], diagnostics: [Diagnostic]) {
        var configuration = InMemoryAnalytics.usualConfiguration
        configuration.privacy = privacy
        configuration.snapshots = SnapshotOptions(allowsMotion: true, allowsDeviceRecognition: true)
        let environment = InMemoryEnvironment(sensors: sensors())
        configuration.run(in: environment)
        var dependencies = try environment.dependencies(for: configuration)
        dependencies.facts.device["id"] = "machine-7"
        dependencies.facts.device["advertising_id"] = "ad-7"
        let facts = dependencies.facts
        dependencies.refreshFacts = { facts }
        let analytics = try Analytics(configuration, in: dependencies)
        analytics.record("before")
        analytics.identify("user-7", traits: ["email": "ann@example.com"])
        analytics.setUserAttributes(["email": "ann@example.com", "age": 9])
        analytics.record(CapturedName.profileSet, ["email": "ann@example.com"])
        analytics.record(CapturedName.profileSet, [CapturedKey.signedIn: true, "email": "ann@example.com"])
        for name in [CapturedName.profileSetOnce, CapturedName.profileAppend, CapturedName.profileIncrement] {
            analytics.record(name, ["email": "ann@example.com"])
        }
        analytics.record(CapturedName.alias, [CapturedKey.aliasFrom: "a", "email": "ann@example.com"])
        analytics.options.allowsMotion = true
        analytics.options.allowsLocation = true
        analytics.collectSnapshot()
        analytics.record("after")
        let events = environment.recorded
        let text = events.map { "\($0.event.name) \($0.attributes) \($0.context)" }.joined(separator: "\n")
        return (text, events.map(\.event.name), environment.diagnostics)
    }

    @Test
    func `nothing that identifies a child's device or person is recorded`() throws {
        let usual = try Self.run(Configuration.Privacy())
        // The same run without the switch records all of it, so the test can fail.
        for secret in Self.secrets { #expect(usual.text.contains(secret), "\(secret)") }
        let children = try Self.run(.children)
        for secret in Self.secrets { #expect(!children.text.contains(secret), "\(secret)") }
        #expect(!children.text.contains("device_host_id"))
        // Everything else is recorded as usual, sign-ins included.
        #expect(children.text.contains("tablet") && children.text.contains("user-7"))
        for name in ["before", "after", CapturedName.deviceProperties, CapturedName.appState] {
            #expect(children.names.contains(name), "\(name)")
        }
        #expect(children.names.filter { $0 == CapturedName.profileSet }.count == 2)
    }

    @Test
    func `snapshots of a child's device read no place, motion or addresses`() {
        let sources = Self.sensors().sources
        #expect(sources.location != nil && sources.heading != nil && sources.motion != nil)
        #expect(sources.appState?.appState().networkAddresses == ["10.1.2.3"])
        let protected = sources.protectingChildren
        #expect(protected.location == nil && protected.heading == nil && protected.motion == nil)
        #expect(protected.appState?.appState().networkAddresses == nil)
        #expect(protected.appState?.appState().batteryLevel == 0.5)
    }

    @Test
    func `ignored attributes are reported with their names, but not their values`() throws {
        let found = try Self.run(.children).diagnostics.filter { $0.code == .childAttributesIgnored }
        #expect(found.map(\.value) == ["email", "age, email"])
        #expect(!"\(found)".contains("ann@example.com"))
        #expect(try Self.run(Configuration.Privacy()).diagnostics.allSatisfy { $0.code != .childAttributesIgnored })
    }

    @Test
    func `attributes that were set before the switch are no longer recorded`() throws {
        var configuration = InMemoryAnalytics.usualConfiguration
        let first = try InMemoryAnalytics(configuration)
        first.analytics.setUserAttributes(["email": "ann@example.com"])
        first.analytics.record("before")
        #expect("\(first.events(named: "before").map(\.context))".contains("ann@example.com"))
        configuration.privacy = .children
        let later = try InMemoryAnalytics(configuration, storage: first.storageAfterKill())
        later.analytics.record("after")
        #expect(!"\(later.events(named: "after").map(\.context))".contains("ann@example.com"))
    }
}
