// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ArgumentParser
internal import Foundation
internal import Testing
internal import Trackway
internal import TrackwayCore

@testable internal import TrackwayCommand

@Suite("Device snapshots")
struct DeviceTests {
    private static let battery = [
        "etc/os-release": "NAME=\"Fedora Linux\"\nVERSION_ID=41\n",
        "proc/sys/kernel/ostype": "Linux\n",
        "sys/class/power_supply/BAT0/type": "Battery\n",
        "sys/class/power_supply/BAT0/capacity": "83\n",
        "sys/class/power_supply/BAT0/status": "Discharging\n",
    ]

    private static let accelerometer = [
        "sys/bus/iio/devices/iio:device0/in_accel_x_raw": "0\n",
        "sys/bus/iio/devices/iio:device0/in_accel_y_raw": "0\n",
        "sys/bus/iio/devices/iio:device0/in_accel_z_raw": "100\n",
        "sys/bus/iio/devices/iio:device0/in_accel_scale": "0.0980665\n",
    ]

    /// Takes a snapshot of a machine, given a copy of its files.
    private static func snapshot(_ files: [String: String]) async throws -> DeviceSnapshot {
        var taken: DeviceSnapshot?
        try await RunningCollector.withFolder { folder in
            for (path, content) in files {
                let file = URL(fileURLWithPath: folder).appending(path: "root/\(path)")
                let parent = file.deletingLastPathComponent()
                try FileManager.default.createDirectory(at: parent, withIntermediateDirectories: true)
                try Data(content.utf8).write(to: file)
            }
            let journal = URL(fileURLWithPath: folder).appending(path: "journal")
            taken = try await DeviceSnapshot.take(
                from: .system(appID: "shop", root: folder + "/root"),
                appID: "shop",
                folder: journal,
                console: .standard,
                // This may take a long time while a thousand other tests run.
                timeout: .seconds(300)
            )
            #expect(!FileManager.default.fileExists(atPath: journal.path))
        }
        return try #require(taken)
    }

    @Test
    func `the events are those that the SDK records, and the Sift body contains them`() async throws {
        let snapshot = try await Self.snapshot(Self.battery)
        let events = snapshot.events
        #expect(events.compactMap { $0["name"]?.string }.sorted() == ["_app_state", "_device_properties"])
        let properties = try #require(events.first { $0["name"]?.string == "_device_properties" }?["attributes"])
        #expect(properties["device_system_name"]?.string == "Fedora Linux")
        #expect(properties["device_os_type"]?.string == "Linux")
        #expect(properties["device_page_size"] == nil, "a copied tree does not describe the current machine")
        let state = try #require(events.first { $0["name"]?.string == "_app_state" }?["attributes"])
        #expect(state["application_state"]?.string == "active")
        #expect(state["battery_level"]?.double == 0.83)
        #expect(state["battery_state"]?.string == "unplugged")
        #expect(state["network_addresses"] == nil)

        let sent = try #require(try JSONValue.parse(snapshot.siftBody)["data"]?.array)
        #expect(sent.count == 2)
        let sentState = try #require(sent.compactMap { $0["ios_app_state"] }.first)
        #expect(sentState["battery_state"]?.string == "ui_device_battery_state_unplugged")
        #expect(sentState["application_state"]?.string == "ui_application_state_active")
        let sentProperties = try #require(sent.compactMap { $0["ios_device_properties"] }.first)
        #expect(sentProperties["device_system_name"]?.string == "Fedora Linux")
    }

    @Test
    func `sensors are sampled ten times, as in the SDK`() async throws {
        let snapshot = try await Self.snapshot(Self.accelerometer)
        let state = try #require(snapshot.events.first { $0["name"]?.string == "_app_state" }?["attributes"])
        let readings = try #require(state["raw_accelerometer"]?.array)
        #expect((1...10).contains(readings.count))
        #expect(readings.allSatisfy { $0["acceleration_z"]?.double.map { abs($0 + 1) < 1e-9 } == true })
        #expect(state["device_orientation"]?.string == "face_up")
        #expect(state["raw_gyro"] == nil)
    }

    @Test
    func `text output consists of tables with names, plain values, the number of readings and the latest one`() throws {
        let lines = SnapshotText(style: Style(isColored: false)).lines([
            try JSONValue.parse(
                Array(#"{"name":"_device_properties","attributes":{"device_name":"a\u001bb","cpu_count":4}}"#.utf8)
            ),
            try JSONValue.parse(
                Array(
                    #"{"name":"_app_state","attributes":{"battery_level":0.5,"network_addresses":["10.0.0.7","::2"],"#
                        .utf8
                ) + Array(#""raw_gyro":[{"time":1},{"time":2,"rotation_rate_x":0.5}],"proximity_state":false}}"#.utf8)
            ),
        ])
        #expect(
            lines == [
                "Device properties (2)", "name         value", "device_name  a·b", "cpu_count    4", "",
                "App state (4)",
                "name               value", "battery_level      0.5", "network_addresses  10.0.0.7, ::2",
                "raw_gyro           2 readings, latest: time 2, rotation_rate_x 0.5", "proximity_state    false",
            ]
        )
    }

    @Test
    func `a snapshot without values says so`() {
        let lines = SnapshotText(style: Style(isColored: false)).lines([])
        #expect(lines == ["Device properties", "no values", "", "App state", "no values"])
    }

    @Test(arguments: [["--json", "--sift"], ["--app", ""]])
    func `conflicting output formats and an empty app id are rejected`(_ arguments: [String]) {
        #expect(throws: (any Error).self) { try DeviceCommand.parse(arguments) }
    }

    @Test
    func `each run has a separate folder that only the user may read`() async throws {
        try await RunningCollector.withFolder { path in
            let parent = URL(fileURLWithPath: path)
            try FileManager.default.createDirectory(at: parent, withIntermediateDirectories: true)
            let folders = try [DeviceCommand.makeFolder(in: parent), DeviceCommand.makeFolder(in: parent)]
            #expect(folders[0] != folders[1])
            for folder in folders {
                #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
                let attributes = try FileManager.default.attributesOfItem(atPath: folder.path)
                #expect(attributes[.posixPermissions] as? Int == 0o700)
            }
            let missing = #expect(throws: CommandFailure.self) {
                try DeviceCommand.makeFolder(in: parent.appending(path: "no/such"))
            }
            #expect(missing?.status == .cannotCreate)
        }
    }

    @Test
    func `a root that is not a folder is an error, not an empty snapshot`() async throws {
        let command = try DeviceCommand.parse(["--root", "/no/such/folder"])
        let failure = await #expect(throws: CommandFailure.self) { try await command.run() }
        #expect(failure?.status == .inputMissing)
    }
}
