// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// What the device says of itself that matters to delivery: power, heat, the network. What the system does not tell is nil, and
/// restricts nothing.
public struct DeviceConditions: Sendable, Hashable {
    /// How hot the device is, in the system's own steps.
    public enum ThermalState: Int, Sendable, Hashable, CaseIterable, Comparable {
        /// As usual.
        case nominal
        /// Slightly warm; nobody notices yet.
        case fair
        /// Hot: the system slows things down.
        case serious
        /// So hot that the device must cool down at once.
        case critical

        public static func < (first: ThermalState, second: ThermalState) -> Bool { first.rawValue < second.rawValue }
    }

    /// Whether the person has the device save power.
    public var savesPower: Bool?
    /// How hot the device is.
    public var thermalState: ThermalState?
    /// Whether any network leads to the outside.
    public var isConnected: Bool?
    /// Whether the person wants as little as possible sent on this network: low-data mode.
    public var isConstrained: Bool?
    /// Whether somebody pays for what is sent: a cellular network, a hotspot.
    public var isExpensive: Bool?

    /// Makes conditions; nothing is known of what is left out.
    public init(
        savesPower: Bool? = nil,
        thermalState: ThermalState? = nil,
        isConnected: Bool? = nil,
        isConstrained: Bool? = nil,
        isExpensive: Bool? = nil
    ) {
        self.savesPower = savesPower
        self.thermalState = thermalState
        self.isConnected = isConnected
        self.isConstrained = isConstrained
        self.isExpensive = isExpensive
    }
}
