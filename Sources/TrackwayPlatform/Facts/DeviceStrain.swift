// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if canImport(Darwin)
internal import Foundation
#endif

/// Whether the device has little to spare.
package enum DeviceStrain {
    /// True while the person has it save power, and while it is hot. False where the system does not tell. Any thread.
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
