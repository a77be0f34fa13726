// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if os(Linux)
internal import TrackwayLifecycle
package import TrackwayCore

/// Reads the device state that Linux provides.
///
/// App visibility is not included, because the SDK tracks it.
package struct LinuxAppState: AppStateSource {
    private let tree: SystemTree
    private let sensors: IIOSensors
    private let addresses: @Sendable () -> [InterfaceAddress]?

    /// Creates a reader for the given tree.
    ///
    /// - Parameters:
    ///   - tree: The location of the system's files.
    ///   - addresses: Lists the network addresses. No file contains all of them, so a tree that was recorded on another
    ///     machine has none by default.
    package init(tree: SystemTree = .live, addresses: (@Sendable () -> [InterfaceAddress]?)? = nil) {
        self.tree = tree
        sensors = IIOSensors(tree: tree)
        self.addresses = addresses ?? { tree.isLive ? InterfaceAddress.all() : nil }
    }

    /// Reads the device state.
    ///
    /// The call reads about twenty small files and makes one system call.
    ///
    /// Reading a sensor can wake it, which takes milliseconds.
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
        // The battery is plugged in, but neither full nor charging. No case describes this, and any case would be
        // wrong.
        case .notCharging: nil
        }
    }
}

extension AppStateSnapshot.Orientation {
    /// Derives the device's orientation from the direction of gravity.
    ///
    /// The result is unambiguous only if the device is held still (nothing but gravity acts, 0.8 g to 1.2 g) and down
    /// is within about 30 degrees of one of its axes.
    ///
    /// - Parameter gravity: The accelerometer's reading in units of standard gravity, pointing down.
    /// - Returns: nil if the device moves or is held between two orientations.
    package init?(gravity: Vector3) {
        let strength = (gravity.x * gravity.x + gravity.y * gravity.y + gravity.z * gravity.z).squareRoot()
        guard (0.8...1.2).contains(strength) else { return nil }
        // The cosine of 30 degrees. At most one axis is that close to down.
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
