// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Testing
internal import TrackwayCore

@testable import TrackwayPlatform

@Suite("Industrial I/O sensors")
struct IIOSensorTests {
    static let device = "/sys/bus/iio/devices/iio:device0"

    static func accelerometer(_ more: [String: String] = [:]) -> [String: String] {
        var files = [
            "in_accel_x_raw": "100", "in_accel_y_raw": "200", "in_accel_z_raw": "300", "in_accel_scale": "0.0980665",
        ]
        files.merge(more) { _, other in other }
        return Dictionary(uniqueKeysWithValues: files.map { ("\(device)/\($0.key)", $0.value) })
    }

    static func read(_ kind: SensorReading.Kind, _ files: [String: String]) throws -> Vector3? {
        try RecordedTree.with(files) { IIOSensors(tree: $0).sensor(kind)?.read() }
    }

    static func isClose(_ one: Vector3?, _ x: Double, _ y: Double, _ z: Double) -> Bool {
        guard let one else { return false }
        return abs(one.x - x) < 1e-9 && abs(one.y - y) < 1e-9 && abs(one.z - z) < 1e-9
    }

    @Test
    func `acceleration is in units of gravity, in the direction of the pull`() throws {
        #expect(Self.isClose(try Self.read(.acceleration, Self.accelerometer()), -1, -2, -3))
    }

    @Test
    func `the offset is added before scaling, and an axis's own value overrides the common one`() throws {
        let files = Self.accelerometer([
            "in_accel_offset": "-100", "in_accel_y_offset": "100", "in_accel_z_scale": "0.1961330",
        ])
        #expect(Self.isClose(try Self.read(.acceleration, files), 0, -3, -4))
    }

    @Test
    func `rotation is in radians per second, the magnetic field in microteslas`() throws {
        #expect(Self.isClose(try Self.read(.rotationRate, RecordedDevice.phone), 1, 0, 0.2))
        #expect(Self.isClose(try Self.read(.magneticField, RecordedDevice.phone), 0, 20, -40))
    }

    @Test
    func `a mount matrix from any of its files corrects the sensor's orientation`() throws {
        for file in ["in_accel_mount_matrix", "in_mount_matrix", "mount_matrix"] {
            let files = Self.accelerometer([file: "0, -1, 0; 1, 0, 0; 0, 0, 1\n"])
            #expect(Self.isClose(try Self.read(.acceleration, files), 2, -1, -3))
        }
    }

    @Test(arguments: [
        "", "1,0,0", "1,0,0;0,1,0;0,0", "1,0,0;0,1,0;0,0,x", "1,0,0;1,0,0;0,0,1", "1,0,0;0,1,0;0,0,nan",
        "9,0,0;0,9,0;0,0,9",
    ])
    func `an invalid mount matrix makes the sensor unavailable`(_ text: String) throws {
        #expect(try Self.read(.acceleration, Self.accelerometer(["in_accel_mount_matrix": text])) == nil)
        #expect(MountMatrix(text) == nil)
    }

    @Test(arguments: [
        ("in_accel_x_raw", ""), ("in_accel_y_raw", "busy"), ("in_accel_z_raw", "nan"), ("in_accel_x_raw", "inf"),
        ("in_accel_scale", "0"), ("in_accel_scale", "much"), ("in_accel_scale", "1e999"),
        ("in_accel_x_raw", "1e308"),
    ])
    func `non-numeric values yield no reading`(_ file: String, _ content: String) throws {
        var files = Self.accelerometer([file: content])
        if content == "1e308" { files["\(Self.device)/in_accel_scale"] = "1e308" }
        #expect(try Self.read(.acceleration, files) == nil)
    }

    @Test
    func `a sensor without a scale or without an axis is not listed`() throws {
        for file in ["in_accel_scale", "in_accel_z_raw"] {
            var files = Self.accelerometer()
            files["\(Self.device)/\(file)"] = nil
            let count = try RecordedTree.with(files) { IIOSensors(tree: $0).all.count }
            #expect(count == 0)
        }
    }

    @Test(arguments: [("label", "accel-base"), ("location", "base")])
    func `a keyboard's sensor is ignored in favor of the screen's`(_ file: String, _ content: String) throws {
        var files = Self.accelerometer([file: content])
        #expect(try Self.read(.acceleration, files) == nil)
        for (path, text) in Self.accelerometer() {
            files[path.replacing("iio:device0", with: "iio:device1")] = text
        }
        #expect(Self.isClose(try Self.read(.acceleration, files), -1, -2, -3))
    }

    @Test
    func `of several sensors, the one with the lowest device number is used`() throws {
        var files: [String: String] = [:]
        for (path, text) in Self.accelerometer(["in_accel_x_raw": "700"]) {
            files[path.replacing("iio:device0", with: "iio:device10")] = text
        }
        for (path, text) in Self.accelerometer() {
            files[path.replacing("iio:device0", with: "iio:device2")] = text
        }
        #expect(Self.isClose(try Self.read(.acceleration, files), -1, -2, -3))
    }

    @Test
    func `unrelated devices do not affect the sensor list`() throws {
        var files = RecordedDevice.phone
        files["/sys/bus/iio/devices/trigger0/name"] = "timer\n"
        files["/sys/bus/iio/devices/iio:device9/in_voltage0_raw"] = "12\n"
        let kinds = try RecordedTree.with(files) { IIOSensors(tree: $0).all.map(\.kind) }
        #expect(kinds == [.acceleration, .rotationRate, .magneticField])
    }
}
