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
#endif
