// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if os(Linux)
package import TrackwayEvents

/// A sensor with three axes, as the kernel's Industrial I/O shows it: one file for each axis, and how to make units of
/// what they hold. Every reading is made anew, so that a range changed meanwhile, or a sensor gone, is no harm.
package struct IIOSensor: Sendable {
    /// What it measures.
    package let kind: SensorReading.Kind

    private let tree: SystemTree
    /// Path and channel: what all its files begin with.
    private let channel: String
    private let mount: MountMatrix

    /// The sensor of a kind in a device's folder.
    ///
    /// - Returns: `nil` when there is none, when nobody knows the unit of what it reads, or when the direction it is
    ///   built in is written down and cannot be understood.
    package init?(_ kind: SensorReading.Kind, in folder: String, tree: SystemTree) {
        let prefix = Self.prefix(of: kind)
        let files = Set(tree.names(in: folder))
        let axes = ["x", "y", "z"]
        guard axes.allSatisfy({ files.contains("\(prefix)_\($0)_raw") }),
            files.contains("\(prefix)_scale") || axes.allSatisfy({ files.contains("\(prefix)_\($0)_scale") })
        else { return nil }
        // The exactest first: for this channel, for the device's inputs, for the device.
        let matrices = ["\(prefix)_mount_matrix", "in_mount_matrix", "mount_matrix"]
        if let file = matrices.first(where: { files.contains($0) }) {
            guard let mount = tree.text("\(folder)/\(file)").flatMap({ MountMatrix($0) }) else { return nil }
            self.mount = mount
        } else {
            mount = .straight
        }
        self.kind = kind
        self.tree = tree
        channel = "\(folder)/\(prefix)"
    }

    /// What the sensor reads now, in the axes of the device and the unit of its kind; `nil` when it does not answer, or
    /// not with numbers.
    package func read() -> Vector3? {
        guard let x = part("x"), let y = part("y"), let z = part("z") else { return nil }
        let reading = mount.turned(Vector3(x: x * factor, y: y * factor, z: z * factor))
        return reading.x.isFinite && reading.y.isFinite && reading.z.isFinite ? reading : nil
    }

    /// One axis in the kernel's units: (raw + offset) · scale.
    private func part(_ axis: String) -> Double? {
        guard let raw = tree.decimal("\(channel)_\(axis)_raw"),
            let scale = tree.decimal("\(channel)_\(axis)_scale") ?? tree.decimal("\(channel)_scale"), scale != 0
        else { return nil }
        let offset = tree.decimal("\(channel)_\(axis)_offset") ?? tree.decimal("\(channel)_offset") ?? 0
        return (raw + offset) * scale
    }

    /// What makes our unit of the kernel's.
    private var factor: Double {
        switch kind {
        // m/s² into units of standard gravity. The kernel tells the push that holds a device up; we tell, as mobile
        // systems do, the pull: the other direction.
        case .acceleration: -1 / 9.80665
        // Radians per second as they are.
        case .rotationRate: 1
        // Gauss into microteslas.
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

/// Finds the sensors that Industrial I/O shows under `/sys/bus/iio/devices`.
package struct IIOSensors: Sendable {
    private static let root = "/sys/bus/iio/devices"
    private static let device = "iio:device"

    private let tree: SystemTree

    /// Looks in a tree.
    package init(tree: SystemTree = .live) {
        self.tree = tree
    }

    /// The sensors with three axes, at most one of each kind.
    package var all: [IIOSensor] { SensorReading.Kind.allCases.compactMap(sensor) }

    /// The sensor of a kind; of several, that of the first device. A sensor in a laptop's keyboard does not count: it
    /// tells nothing about the screen.
    package func sensor(_ kind: SensorReading.Kind) -> IIOSensor? {
        for device in devices where !isInKeyboard(device) {
            if let sensor = IIOSensor(kind, in: device, tree: tree) { return sensor }
        }
        return nil
    }

    /// Whether something is near the screen; `nil` without such a sensor, or when it does not say what it calls near.
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

    /// The devices' folders in the order of their numbers: the tenth does not come before the second.
    private var devices: [String] {
        let numbers = tree.names(in: Self.root).compactMap { name in
            name.hasPrefix(Self.device) ? Int(name.dropFirst(Self.device.count)) : nil
        }
        return numbers.sorted().map { "\(Self.root)/\(Self.device)\($0)" }
    }

    private func isInKeyboard(_ device: String) -> Bool {
        tree.text("\(device)/location") == "base" || tree.text("\(device)/label") == "accel-base"
    }
}

/// Turns what a sensor reads along its own axes into the axes of the device it is built into.
package struct MountMatrix: Sendable, Hashable {
    private let rows: [[Double]]

    /// A sensor that is built in straight.
    package static let straight = MountMatrix(rows: [[1, 0, 0], [0, 1, 0], [0, 0, 1]])

    private init(rows: [[Double]]) {
        self.rows = rows
    }

    /// Reads a matrix as the kernel writes it: "0, -1, 0; 1, 0, 0; 0, 0, 1", row by row.
    ///
    /// - Returns: `nil` when the text is no matrix, or one that turns nothing: rows of unequal length, or flat.
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

    /// A reading in the device's axes.
    package func turned(_ reading: Vector3) -> Vector3 {
        func part(_ row: [Double]) -> Double { row[0] * reading.x + row[1] * reading.y + row[2] * reading.z }
        return Vector3(x: part(rows[0]), y: part(rows[1]), z: part(rows[2]))
    }

    /// 1 or -1 for a turn, with or without a mirror.
    private var determinant: Double {
        rows[0][0] * (rows[1][1] * rows[2][2] - rows[1][2] * rows[2][1])
            - rows[0][1] * (rows[1][0] * rows[2][2] - rows[1][2] * rows[2][0])
            + rows[0][2] * (rows[1][0] * rows[2][1] - rows[1][1] * rows[2][0])
    }
}
#endif
