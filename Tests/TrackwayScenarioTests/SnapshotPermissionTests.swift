// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Testing
internal import Trackway
internal import TrackwayCore
internal import TrackwayTesting

@Suite("Snapshot permission")
struct SnapshotPermissionTests {
    @Test
    func `snapshots that a policy forbids do not read their sources`() async throws {
        let device = SimulatedDevice.observed(SnapshotOptions(allowsMotion: true))
        device.sensors.motion = .device
        let analytics = try await device.launch()
        device.wait(.milliseconds(5_100))
        #expect(device.story == ["_device_properties", "_app_state"])
        func requestCounts() -> [Int] { SimulatedSensors.Part.allCases.map(device.sensors.asked) }
        analytics.setCollectionPolicy(CollectionPolicy(isEnabled: false), from: .backEnd)
        let before = requestCounts()
        try device.show("Home")
        analytics.collectSnapshot()
        device.wait(.seconds(600))
        #expect(requestCounts() == before, "collection is off")
        #expect(analytics.lifecycle.snapshots?.due == nil)
        analytics.setCollectionPolicy(CollectionPolicy(blockedEvents: ["_app_state"]), from: .backEnd)
        device.wait(.seconds(600))
        #expect(device.sensors.asked(.deviceProperties) == before[0] + 1)
        #expect(requestCounts().dropFirst() == before.dropFirst(), "only the app state is blocked")
        #expect(analytics.lifecycle.snapshots?.due == nil, "no snapshot is due")
        analytics.setCollectionPolicy(CollectionPolicy(blockedEvents: ["_device_properties"]), from: .backEnd)
        device.wait(.milliseconds(5_100))
        #expect(device.states.map { $0.readings("motion") } == [10, 10])
        #expect(device.sensors.asked(.deviceProperties) == before[0] + 1)
        device.sensors.deviceProperties[.systemVersion] = "2"
        analytics.setCollectionPolicy(nil, from: .backEnd)
        #expect(device.properties.count == 2, "reported as soon as it is allowed")
    }

    @Test
    func `a paused SDK reads nothing and discards a running snapshot`() async throws {
        let device = SimulatedDevice.observed(SnapshotOptions(allowsMotion: true))
        device.sensors.motion = .device
        let analytics = try await device.launch()
        device.wait(.seconds(1))
        analytics.pause()
        #expect(device.sensors.running.isEmpty)
        let requestCount = device.sensors.asked(.appState)
        device.wait(.seconds(600))
        #expect(device.sensors.asked(.appState) == requestCount)
        analytics.resume()
        #expect(device.sensors.running == [.motion])
        device.wait(.milliseconds(5_100))
        #expect(device.states.map { $0.readings("motion") } == [10])
    }

    @Test
    func `a running snapshot that becomes forbidden is discarded, and its sensors stop`() async throws {
        let device = SimulatedDevice.observed(SnapshotOptions(allowsMotion: true))
        device.sensors.motion = .device
        let analytics = try await device.launch()
        device.wait(.seconds(1))
        analytics.setCollectionPolicy(CollectionPolicy(blockedEvents: ["_app_state"]), from: .backEnd)
        #expect(device.sensors.running.isEmpty)
        device.wait(.seconds(60))
        analytics.setCollectionPolicy(nil, from: .backEnd)
        device.wait(.milliseconds(5_100))
        #expect(device.states.map { $0.readings("motion") } == [10])
    }

    @Test
    func `a user who consents later to the snapshots' destination is then reported to it`() async throws {
        let options = SnapshotOptions(devicePropertiesRoute: ["risk"], appStateRoute: ["risk"])
        let device = SimulatedDevice.observed(options) { configuration in
            configuration.destinations.append(
                DestinationConfiguration(
                    CollectorDestination(id: "risk", url: "http://risk.test", writeKey: "test"),
                    consentCategory: .marketing
                )
            )
        }
        let analytics = try await device.launch()
        analytics.setConsent(.denied, category: .marketing)
        let stateCount = device.states.count
        let requestCount = SimulatedSensors.Part.allCases.map(device.sensors.asked)
        try await device.goHome()
        device.wait(.seconds(7_200))
        device.sensors.deviceProperties[.systemVersion] = "2"
        try await device.open()
        try device.show("Home")
        analytics.collectSnapshot()
        #expect(device.states.count == stateCount)
        #expect(SimulatedSensors.Part.allCases.map(device.sensors.asked) == requestCount)
        analytics.setConsent(.granted, category: .marketing)
        #expect(device.states.count == stateCount + 1)
        #expect(device.properties.last?.attributes["device_system_version"]?.string == "2")
    }
}
