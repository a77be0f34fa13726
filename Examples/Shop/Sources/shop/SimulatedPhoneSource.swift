// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
internal import ShopCore
internal import Trackway

internal import class TrackwayCore.Locked

/// Provides snapshots from a simulated phone, where an app on a real phone would use the system.
///
/// Every request for the app state advances the phone by one step.
final class SimulatedPhoneSource: DevicePropertiesSource, AppStateSource, LocationSource {
    private let phone: Locked<Phone>

    /// Creates the phone with this number.
    init(number: UInt64) {
        phone = Locked(Phone(number: number))
    }

    /// Snapshot sources with only this phone's data.
    var sources: SnapshotSources { SnapshotSources(deviceProperties: self, appState: self, location: self) }

    func deviceProperties() -> DeviceProperties {
        let phone = phone.withLock { $0 }
        var properties = DeviceProperties()
        properties[.appName] = "Corner Shop"
        properties[.appVersionShort] = "1.0.0"
        properties[.deviceModel] = phone.model
        properties[.systemName] = phone.system
        properties[.systemVersion] = phone.systemVersion
        // Marks the data as simulated.
        properties[.isSimulator] = true
        return properties
    }

    func appState() -> AppStateSnapshot {
        let phone = phone.withLock { phone in
            phone.advance()
            return phone
        }
        var state = AppStateSnapshot()
        state.batteryLevel = phone.battery
        state.batteryState = phone.isCharging ? .charging : .unplugged
        state.isNear = false
        switch phone.orientation {
        case .portrait: state.orientation = .portrait
        case .landscape: state.orientation = .landscapeLeft
        case .faceUp: state.orientation = .faceUp
        }
        state.networkAddresses = phone.isOnWiFi ? ["192.168.1.23", "fe80::1c2a:33ff:fe44:5566"] : ["100.64.12.9"]
        return state
    }

    /// The simulated owner permits the use of the location.
    var isAuthorized: Bool { true }

    func lastLocation() -> Location? {
        let phone = phone.withLock { $0 }
        return Location(
            time: Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1000)),
            latitude: phone.latitude,
            longitude: phone.longitude,
            horizontalAccuracy: 15
        )
    }
}
