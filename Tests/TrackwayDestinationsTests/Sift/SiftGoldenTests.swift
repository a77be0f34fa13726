// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Foundation
import Testing
import TrackwayCore
import TrackwayDestinationKit
import TrackwayDestinations

@Suite("Sift requests, field by field")
struct SiftGoldenTests {
    /// Returns every leaf of a body by its path of keys.
    ///
    /// Empty lists and objects count as leaves.
    private static func leaves(_ json: JSONValue, at path: String = "") -> [String: JSONValue] {
        switch json {
        case .object(let object) where !object.members.isEmpty:
            object.members.reduce(into: [:]) { leaves, member in
                leaves.merge(Self.leaves(member.value, at: "\(path).\(member.key)")) { first, _ in first }
            }
        case .array(let values) where !values.isEmpty:
            values.enumerated().reduce(into: [:]) { leaves, element in
                leaves.merge(Self.leaves(element.element, at: "\(path)[\(element.offset)]")) { first, _ in first }
            }
        default: [path: json]
        }
    }

    /// Converts whole numbers with a decimal point to integers.
    ///
    /// The reference contains one such number, -41.0; clients of the format write whole numbers without a decimal
    /// point.
    private static func asWritten(_ leaf: JSONValue) -> JSONValue {
        guard case .double(let number) = leaf, let whole = Int64(exactly: number) else { return leaf }
        return .integer(whole)
    }

    private static func expect(
        _ events: [Event],
        in context: RecordedContext,
        toBe name: String,
        _ edition: SiftDestination.Edition
    )
        throws
    {
        let url = try #require(Bundle.module.url(forResource: "Fixtures/Sift/\(name)", withExtension: "json"))
        let expected = try Self.leaves(JSONValue.parse([UInt8](Data(contentsOf: url)))).mapValues(Self.asWritten)
        let request = try SiftSample.destination(edition)
            .request(for: SiftSample.batch(events, in: context), sentAt: SiftSample.sentAt)
        let sent = try Self.leaves(SiftSample.body(request))
        #expect(expected.count > 10)
        for (path, value) in expected { #expect(sent[path] == value, "\(path)") }
        #expect(Set(sent.keys).subtracting(expected.keys).isEmpty)
        #expect(request.trimmed.isEmpty)
        #expect(request.omitted.isEmpty)
    }

    private static let state: AppStateSnapshot = {
        var state = AppStateSnapshot()
        state.applicationState = .active
        state.screenTitles = ["CartViewController"]
        state.batteryLevel = 0.83
        state.batteryState = .unplugged
        state.orientation = .portrait
        state.networkAddresses = ["192.168.1.23", "fe80::1c2a:33ff:fe44:5566"]
        state.location = Location(
            time: Timestamp(milliseconds: 1_750_000_004_000),
            latitude: 37.7793,
            longitude: -122.4193,
            horizontalAccuracy: 12,
            speed: 1
        )
        state.heading = Heading(
            time: Timestamp(milliseconds: 1_750_000_004_000),
            magnetic: 1,
            accuracy: 2,
            field: Vector3(x: 1, y: 2, z: 3)
        )
        return state
    }()

    @Test(
        arguments: [
            // First as an app records it, then as a compatibility module does, with the format's own attributes.
            ["_path": "/cart/confirm", "cart_size": 3, "coupon": ""],
            ["_fields": ["cart_size": "3", "coupon": ""], "_path": "/cart/confirm"],
        ] as [Attributes]
    )
    func `an event and an app state of the current edition match the reference`(_ checkout: Attributes) throws {
        try Self.expect(
            [SiftSample.event("checkout", checkout), SiftSample.snapshot(Self.state, at: 1_750_000_004_890)],
            in: SiftSample.signedIn,
            toBe: "events-and-state-current",
            .current
        )
    }

    @Test
    func `device properties of the current edition match the reference`() throws {
        var properties = DeviceProperties()
        properties[.appName] = "Shop"
        properties[.appVersion] = "381"
        properties[.appVersionShort] = "3.8.1"
        properties[.deviceName] = "iPhone"
        properties[.systemName] = "iOS"
        properties[.systemVersion] = "18.1"
        properties[.vendorID] = "9F1C7B52-6E0A-4D0B-9F3E-2A7E3B0C1D2E"
        properties[.firstVendorID] = "0B5A6F10-1111-4222-8333-444455556666"
        properties[.carrierName] = "--"
        properties[.carrierCountry] = "us"
        properties[.mobileCountryCode] = "310"
        properties[.mobileNetworkCode] = "260"
        properties[.hardwareMachine] = "iPhone15,2"
        properties[.evidenceFiles] = []
        properties[.evidenceSymlinkedFolders] = []
        properties[.evidenceWritableFolders] = []
        properties[.evidenceLibraries] = []
        properties[.evidenceURLSchemes] = []
        // Known, but not part of this edition.
        properties[.deviceModel] = "iPhone"
        properties[.screenWidth] = 1_170
        properties[.isSimulator] = false
        properties[.cpuCount] = 6
        properties[.evidenceSystemCalls] = []
        try Self.expect(
            [SiftSample.snapshot(properties, at: 1_750_000_010_000)],
            in: SiftSample.signedIn,
            toBe: "device-properties-current",
            .current
        )
    }

    @Test
    func `an app state of the legacy edition with all sensors matches the reference`() throws {
        var state = AppStateSnapshot()
        state.applicationState = .active
        state.orientation = .faceUp
        state.isNear = false
        state.networkAddresses = ["10.0.0.7"]
        state.location = Location(
            time: Timestamp(milliseconds: 1_624_999_999_000),
            latitude: 48.1,
            longitude: 11.6,
            horizontalAccuracy: 65,
            altitude: 519.2,
            verticalAccuracy: 10,
            floor: 2,
            speed: 1.3,
            course: 271.4
        )
        state.heading = Heading(
            time: Timestamp(milliseconds: 1_625_000_003_800),
            magnetic: 268.1,
            geographic: 271.2,
            accuracy: 12,
            field: Vector3(x: -12.1, y: 3.4, z: -41)
        )
        state.motion = [
            DeviceMotion(
                time: Timestamp(milliseconds: 1_625_000_000_512),
                attitude: .init(roll: 0.02, pitch: 0.01, yaw: -1.57),
                rotationRate: Vector3(x: 0.001, y: -0.002, z: 0),
                gravity: Vector3(x: 0, y: -0.01, z: -0.99),
                userAcceleration: Vector3(x: 0.003, y: 0.001, z: -0.002),
                magneticField: Vector3(x: -12.3, y: 3.1, z: -40.8),
                calibration: .high
            )
        ]
        try Self.expect(
            [SiftSample.snapshot(state, at: 1_625_000_000_000)],
            in: RecordedContext(),
            toBe: "state-legacy",
            .legacy
        )
    }
}
