// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if canImport(Darwin)
internal import Foundation
#endif

/// Whether the device is short of power or too hot.
package enum DeviceLoad {
    /// Whether Low Power Mode is on or the device is hot.
    ///
    /// A device is hot if its thermal state is serious or critical. The value is false if the system does not report
    /// these states. It can be read from any thread.
    package static var isHigh: Bool {
        #if canImport(Darwin)
        let process = ProcessInfo.processInfo
        guard !process.isLowPowerModeEnabled else { return true }
        switch process.thermalState {
        case .serious, .critical: return true
        case .nominal, .fair: return false
        @unknown default: return false
        }
        #else
        return false
        #endif
    }
}
