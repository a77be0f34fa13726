// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
internal import ShopFloor
internal import Trackway

internal import class TrackwayEvents.Locked

/// Feeds snapshots from a phone that the shop plays, where an app on a real phone leaves them to the system. Each app state
/// that is asked for is the phone's next moment.
final class PlayedPhone: DevicePropertiesSource, AppStateSource, LocationSource {
    private let phone: Locked<Phone>

    /// The phone of this number.
    init(number: UInt64) {
        phone = Locked(Phone(number: number))
    }

    /// Snapshots from this phone and from nothing else.
    var sources: SnapshotSources { SnapshotSources(deviceProperties: self, appState: self, location: self) }

    func deviceProperties() -> DeviceProperties {
        let phone = phone.withLock { $0 }
        var properties = DeviceProperties()
        properties[.appName] = "Corner Shop"
        properties[.appVersionShort] = "1.0.0"
        properties[.deviceModel] = phone.model
        properties[.systemName] = phone.system
        properties[.systemVersion] = phone.systemVersion
        // What is played is called so.
        properties[.isSimulator] = true
        return properties
    }

    func appState() -> AppStateSnapshot {
        let phone = phone.withLock { phone in
            phone.walk()
            return phone
        }
        var state = AppStateSnapshot()
        state.batteryLevel = phone.battery
        state.batteryState = phone.isCharging ? .charging : .unplugged
        state.isNear = false
        switch phone.grip {
        case .upright: state.orientation = .portrait
        case .onItsSide: state.orientation = .landscapeLeft
        case .onTheTable: state.orientation = .faceUp
        }
        state.networkAddresses = phone.isAtHome ? ["192.168.1.23", "fe80::1c2a:33ff:fe44:5566"] : ["100.64.12.9"]
        return state
    }

    /// The phone's owner allows the shop to know where it is.
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
