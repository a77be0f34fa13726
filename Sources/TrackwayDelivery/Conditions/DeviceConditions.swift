// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// The device conditions that affect delivery: power, heat, and the network.
///
/// A value that the system does not report is nil and restricts nothing.
public struct DeviceConditions: Sendable, Hashable {
    /// The thermal state of the device, in the system's levels.
    public enum ThermalState: Int, Sendable, Hashable, CaseIterable, Comparable {
        /// Normal.
        case nominal
        /// Slightly warm, but not noticeable yet.
        case fair
        /// Hot: the system reduces performance.
        case serious
        /// So hot that the device must cool down immediately.
        case critical

        public static func < (first: ThermalState, second: ThermalState) -> Bool { first.rawValue < second.rawValue }
    }

    /// Whether Low Power Mode is on.
    public var isInLowPowerMode: Bool?
    /// The device's thermal state.
    public var thermalState: ThermalState?
    /// Whether the device has a network connection.
    public var isConnected: Bool?
    /// Whether the network is in Low Data Mode.
    ///
    /// In this mode, the user wants as little data as possible to be sent.
    public var isConstrained: Bool?
    /// Whether the network is metered, such as cellular or a hotspot.
    public var isExpensive: Bool?

    /// Creates conditions; omitted values are unknown.
    public init(
        isInLowPowerMode: Bool? = nil,
        thermalState: ThermalState? = nil,
        isConnected: Bool? = nil,
        isConstrained: Bool? = nil,
        isExpensive: Bool? = nil
    ) {
        self.isInLowPowerMode = isInLowPowerMode
        self.thermalState = thermalState
        self.isConnected = isConnected
        self.isConstrained = isConstrained
        self.isExpensive = isExpensive
    }
}
