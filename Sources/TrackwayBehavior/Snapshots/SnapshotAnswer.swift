// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayEvents

/// What a source said.
package enum SnapshotAnswer: Sendable, Hashable {
    /// What the device and its system are.
    case deviceProperties(DeviceProperties)
    /// What the app and its device are about.
    case appState(AppStateSnapshot)
    /// Where the device is; nil when that is unknown, or the person does not allow the app to know.
    case location(Location?)
    /// Whether there is a compass.
    case heading(isAvailable: Bool)
    /// Which sensors of motion there are.
    case motion(hasDeviceMotion: Bool, hasRawSensors: Bool)

    /// Which source said it.
    package var part: SnapshotPart {
        switch self {
        case .deviceProperties: .deviceProperties
        case .appState: .appState
        case .location: .location
        case .heading: .heading
        case .motion: .motion
        }
    }
}
