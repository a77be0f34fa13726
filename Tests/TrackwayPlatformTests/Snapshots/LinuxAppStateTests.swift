// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Testing
internal import TrackwayCore
internal import TrackwayLifecycle

@testable import TrackwayPlatform

@Suite("App state on Linux")
struct LinuxAppStateTests {
    static func read(_ files: [String: String], addresses: [InterfaceAddress]? = nil) throws -> AppStateSnapshot {
        try RecordedTree.with(files) { LinuxAppState(tree: $0, addresses: { addresses }).appState() }
    }

    @Test
    func `a laptop reports its batteries and addresses`() throws {
        let addresses = [
            InterfaceAddress("127.0.0.1", isLoopback: true), InterfaceAddress("192.168.1.23"),
            InterfaceAddress("10.0.0.1", isUp: false), InterfaceAddress("::1", isLoopback: true),
            InterfaceAddress("fe80::1c2a:33ff:fe44:5566"),
        ]
        let expected: Attributes = [
            "battery_level": 0.38, "battery_state": "unplugged",
            "network_addresses": ["192.168.1.23", "fe80::1c2a:33ff:fe44:5566"],
        ]
        #expect(try Self.read(RecordedDevice.laptop, addresses: addresses).attributes == expected)
    }

    @Test
    func `a phone on its back with no object near it reports both states`() throws {
        let expected: Attributes = [
            "battery_level": 0.64, "battery_state": "charging", "device_orientation": "face_up",
            "proximity_state": false,
        ]
        #expect(try Self.read(RecordedDevice.phone).attributes == expected)
    }

    @Test
    func `a container reports nothing, and a network without addresses is an empty list`() throws {
        #expect(try Self.read(RecordedDevice.container).attributes.isEmpty)
        #expect(try Self.read([:], addresses: []).attributes == ["network_addresses": .array([])])
    }

    @Test(
        arguments: [
            ("Charging", .charging), ("Discharging", .unplugged), ("Full", .full), ("Not charging", nil),
            ("Unknown", nil),
        ] as [(String, AppStateSnapshot.BatteryState?)]
    )
    func `battery states map to the format's words, and others are omitted`(
        _ status: String,
        _ expected: AppStateSnapshot.BatteryState?
    ) throws {
        let state = try Self.read([
            "/sys/class/power_supply/BAT0/type": "Battery", "/sys/class/power_supply/BAT0/status": status,
            "/sys/class/power_supply/BAT0/capacity": "80",
        ])
        #expect(state.batteryState == expected)
        #expect(state.batteryLevel == 0.8)
    }

    @Test(
        arguments: [
            ("in_proximity_raw", "200", "200", true), ("in_proximity_raw", "199", "200", false),
            ("in_proximity0_raw", "201", "200", true), ("in_proximity_raw", "5", "", nil),
            ("in_proximity_raw", "5", "0", nil), ("in_proximity_raw", "much", "5", nil),
            ("in_illuminance_raw", "9", "5", nil),
        ] as [(String, String, String, Bool?)]
    )
    func `an object is near only at or above the sensor's threshold`(
        _ file: String,
        _ reading: String,
        _ near: String,
        _ expected: Bool?
    ) throws {
        let device = "/sys/bus/iio/devices/iio:device3"
        let state = try Self.read(["\(device)/\(file)": reading, "\(device)/in_proximity_nearlevel": near])
        #expect(state.isNear == expected)
    }

    @Test
    func `a recorded tree does not expose the addresses of the machine that reads it`() throws {
        try RecordedTree.with(RecordedDevice.laptop) { tree in
            let state = LinuxAppState(tree: tree).appState()
            #expect(state.batteryLevel == 0.38)
            #expect(state.networkAddresses == nil)
        }
    }

    @Test
    func `the running system lists its addresses in standard notation without a scope`() throws {
        let all = try #require(InterfaceAddress.all())
        #expect(all.allSatisfy { $0.text.contains(".") || $0.text.contains(":") })
        #expect(all.allSatisfy { !$0.text.contains("%") })
        #expect(all.filter(\.isLoopback).allSatisfy { $0.text.hasPrefix("127.") || $0.text.contains("::") })
        #expect(LinuxAppState().appState().networkAddresses == InterfaceAddress.reachable(all))
    }
}
