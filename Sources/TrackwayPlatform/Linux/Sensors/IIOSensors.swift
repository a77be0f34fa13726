// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if os(Linux)
package import TrackwayEvents

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
#endif
