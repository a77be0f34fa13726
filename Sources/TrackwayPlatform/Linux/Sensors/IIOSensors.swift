// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if os(Linux)
package import TrackwayCore

/// A three-axis sensor of the kernel's Industrial I/O subsystem.
///
/// The sensor has one file per axis, and files that define the unit. All files are read again for each reading, so a
/// changed range or a removed sensor does no harm.
package struct IIOSensor: Sendable {
    /// The quantity that the sensor measures.
    package let kind: SensorReading.Kind

    private let tree: SystemTree
    /// The folder and channel: the prefix of all its file paths.
    private let channel: String
    private let mount: MountMatrix

    /// Finds the sensor of a kind in a device's folder.
    ///
    /// - Returns: `nil` if the device has no such sensor, if its unit is unknown, or if its mount matrix is invalid.
    package init?(_ kind: SensorReading.Kind, in folder: String, tree: SystemTree) {
        let prefix = Self.prefix(of: kind)
        let files = Set(tree.names(in: folder))
        let axes = ["x", "y", "z"]
        guard axes.allSatisfy({ files.contains("\(prefix)_\($0)_raw") }),
            files.contains("\(prefix)_scale") || axes.allSatisfy({ files.contains("\(prefix)_\($0)_scale") })
        else { return nil }
        // The most specific matrix comes first: for this channel, for the device's inputs, for the device.
        let matrices = ["\(prefix)_mount_matrix", "in_mount_matrix", "mount_matrix"]
        if let file = matrices.first(where: { files.contains($0) }) {
            guard let mount = tree.text("\(folder)/\(file)").flatMap({ MountMatrix($0) }) else { return nil }
            self.mount = mount
        } else {
            mount = .identity
        }
        self.kind = kind
        self.tree = tree
        channel = "\(folder)/\(prefix)"
    }

    /// Returns a reading in the device's axes.
    ///
    /// The unit is that of the sensor's kind. Returns `nil` if the sensor does not respond, or responds with something
    /// other than numbers.
    package func read() -> Vector3? {
        guard let x = part("x"), let y = part("y"), let z = part("z") else { return nil }
        let reading = mount.transformed(Vector3(x: x * factor, y: y * factor, z: z * factor))
        return reading.x.isFinite && reading.y.isFinite && reading.z.isFinite ? reading : nil
    }

    /// Returns one axis in the kernel's units: (raw + offset) · scale.
    private func part(_ axis: String) -> Double? {
        guard let raw = tree.decimal("\(channel)_\(axis)_raw"),
            let scale = tree.decimal("\(channel)_\(axis)_scale") ?? tree.decimal("\(channel)_scale"), scale != 0
        else { return nil }
        let offset = tree.decimal("\(channel)_\(axis)_offset") ?? tree.decimal("\(channel)_offset") ?? 0
        return (raw + offset) * scale
    }

    /// The factor that converts the kernel's unit to ours.
    private var factor: Double {
        switch kind {
        // From m/s² to units of standard gravity. The kernel reports the force that holds a device up; we report
        // gravity's pull, as mobile systems do, which points in the opposite direction.
        case .acceleration: -1 / 9.80665
        // Radians per second, unchanged.
        case .rotationRate: 1
        // From gauss to microteslas.
        case .magneticField: 100
        }
    }

    private static func prefix(of kind: SensorReading.Kind) -> String {
        switch kind {
        case .acceleration: "in_accel"
        case .rotationRate: "in_anglvel"
        case .magneticField: "in_magn"
        }
    }
}

/// Finds the sensors that Industrial I/O lists under `/sys/bus/iio/devices`.
package struct IIOSensors: Sendable {
    private static let root = "/sys/bus/iio/devices"
    private static let device = "iio:device"

    private let tree: SystemTree

    /// Creates a finder that reads from a tree.
    package init(tree: SystemTree = .live) {
        self.tree = tree
    }

    /// The three-axis sensors, at most one of each kind.
    package var all: [IIOSensor] { SensorReading.Kind.allCases.compactMap(sensor) }

    /// Returns the first device's sensor of a kind.
    ///
    /// Devices without such a sensor are skipped. A sensor in a laptop's keyboard is ignored, because its orientation
    /// is not the screen's.
    package func sensor(_ kind: SensorReading.Kind) -> IIOSensor? {
        for device in devices where !isInKeyboard(device) {
            if let sensor = IIOSensor(kind, in: device, tree: tree) { return sensor }
        }
        return nil
    }

    /// Whether an object is near the screen.
    ///
    /// Returns `nil` if the device has no proximity sensor, or if the sensor does not define its threshold.
    package func isNear() -> Bool? {
        for device in devices {
            guard
                let reading = tree.decimal("\(device)/in_proximity_raw") ?? tree.decimal("\(device)/in_proximity0_raw"),
                let near = tree.decimal("\(device)/in_proximity_nearlevel"), near > 0
            else { continue }
            return reading >= near
        }
        return nil
    }

    /// The devices' folders in numeric order: device 2 before device 10.
    private var devices: [String] {
        let numbers = tree.names(in: Self.root).compactMap { name in
            name.hasPrefix(Self.device) ? Int(name.dropFirst(Self.device.count)) : nil
        }
        return numbers.ordered().map { "\(Self.root)/\(Self.device)\($0)" }
    }

    private func isInKeyboard(_ device: String) -> Bool {
        tree.text("\(device)/location") == "base" || tree.text("\(device)/label") == "accel-base"
    }
}

/// Converts a sensor's readings from its own axes to the device's axes.
package struct MountMatrix: Sendable, Equatable {
    private let rows: [[Double]]

    /// The matrix of a sensor whose axes match the device's.
    package static let identity = MountMatrix(rows: [[1, 0, 0], [0, 1, 0], [0, 0, 1]])

    private init(rows: [[Double]]) {
        self.rows = rows
    }

    /// Parses a matrix in the kernel's format.
    ///
    /// The format is row by row: "0, -1, 0; 1, 0, 0; 0, 0, 1".
    ///
    /// - Returns: `nil` if the text is not a 3 × 3 matrix, if the absolute value of an element is larger than 2, or if
    ///   the matrix is singular.
    package init?(_ text: String) {
        let rows = text.split(separator: ";", omittingEmptySubsequences: false).map { row in
            row.split(separator: ",", omittingEmptySubsequences: false).map { cell in
                Double(cell.filter { !$0.isWhitespace })
            }
        }
        guard rows.count == 3, rows.allSatisfy({ $0.count == 3 }) else { return nil }
        let numbers = rows.map { $0.compactMap { $0 } }
        guard numbers.allSatisfy({ $0.count == 3 && $0.allSatisfy { abs($0) <= 2 } }) else { return nil }
        self.init(rows: numbers)
        guard abs(determinant) > 0.5 else { return nil }
    }

    /// Returns a reading in the device's axes.
    package func transformed(_ reading: Vector3) -> Vector3 {
        func part(_ row: [Double]) -> Double { row[0] * reading.x + row[1] * reading.y + row[2] * reading.z }
        return Vector3(x: part(rows[0]), y: part(rows[1]), z: part(rows[2]))
    }

    /// The determinant.
    ///
    /// It is 1 for a rotation, -1 for a rotation with a reflection.
    private var determinant: Double {
        rows[0][0] * (rows[1][1] * rows[2][2] - rows[1][2] * rows[2][1])
            - rows[0][1] * (rows[1][0] * rows[2][2] - rows[1][2] * rows[2][0])
            + rows[0][2] * (rows[1][0] * rows[2][1] - rows[1][1] * rows[2][0])
    }
}
#endif
