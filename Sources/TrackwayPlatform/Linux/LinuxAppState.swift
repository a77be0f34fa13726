// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if os(Linux)
internal import TrackwayBehavior
package import TrackwayEvents

/// What Linux tells about the state of the device. Whether the app is seen is not among it: the SDK knows that itself.
package struct LinuxAppState: AppStateSource {
    private let tree: SystemTree
    private let sensors: IIOSensors
    private let addresses: @Sendable () -> [InterfaceAddress]?

    /// Reads from a tree.
    ///
    /// - Parameters:
    ///   - tree: Where the system's files lie.
    ///   - addresses: Lists the network's addresses. No file holds them all, so a recorded tree has none of itself.
    package init(tree: SystemTree = .live, addresses: (@Sendable () -> [InterfaceAddress]?)? = nil) {
        self.tree = tree
        sensors = IIOSensors(tree: tree)
        self.addresses = addresses ?? { tree.isLive ? InterfaceAddress.all() : nil }
    }

    /// Some twenty small files, and one call of the kernel. Reading a sensor can wake it, which takes milliseconds.
    package func appState() -> AppStateSnapshot {
        var state = AppStateSnapshot()
        let battery = LinuxBattery(tree: tree).facts()
        state.batteryLevel = battery?.level
        state.batteryState = battery?.state.flatMap(Self.state)
        state.orientation = sensors.sensor(.acceleration)?.read().flatMap { AppStateSnapshot.Orientation(gravity: $0) }
        state.isNear = sensors.isNear()
        state.networkAddresses = addresses().map { InterfaceAddress.reachable($0) }
        return state
    }

    private static func state(_ state: BatteryFacts.State) -> AppStateSnapshot.BatteryState? {
        switch state {
        case .charging: .charging
        case .discharging: .unplugged
        case .full: .full
        // Plugged in, neither full nor charging: there is no word for it, and each of the others would be wrong.
        case .notCharging: nil
        }
    }
}

extension AppStateSnapshot.Orientation {
    /// How a device is held that an accelerometer at rest tells the direction of down for.
    ///
    /// Only when it is clear: the device is held still (nothing but gravity acts, 0.8 g to 1.2 g), and down lies within
    /// about 30 degrees of one of its axes.
    ///
    /// - Parameter gravity: What the accelerometer reads, in units of standard gravity, down being where it points.
    /// - Returns: nil when the device moves or is held between two ways.
    package init?(gravity: Vector3) {
        let strength = (gravity.x * gravity.x + gravity.y * gravity.y + gravity.z * gravity.z).squareRoot()
        guard (0.8...1.2).contains(strength) else { return nil }
        // The cosine of 30 degrees: at most one axis is that close.
        let clear = 0.866 * strength
        if gravity.z <= -clear {
            self = .faceUp
        } else if gravity.z >= clear {
            self = .faceDown
        } else if gravity.y <= -clear {
            self = .portrait
        } else if gravity.y >= clear {
            self = .portraitUpsideDown
        } else if gravity.x <= -clear {
            self = .landscapeLeft
        } else if gravity.x >= clear {
            self = .landscapeRight
        } else {
            return nil
        }
    }
}
#endif
