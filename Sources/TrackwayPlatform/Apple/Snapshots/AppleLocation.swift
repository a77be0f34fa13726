// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if canImport(CoreLocation) && !os(tvOS)
internal import CoreLocation
internal import TrackwayBehavior
package import TrackwayEvents

/// The last place the system knows, if the person lets the app know it. Never asks for leave, never starts to look.
package struct AppleLocation: LocationSource {
    package var isAuthorized: Bool {
        switch CLLocationManager().authorizationStatus {
        case .authorizedAlways: return true
        #if !os(macOS)
        case .authorizedWhenInUse: return true
        #endif
        default: return false
        }
    }

    package func lastLocation() -> Location? {
        guard let place = CLLocationManager().location else { return nil }
        return Location(
            time: Timestamp(place.timestamp),
            latitude: place.coordinate.latitude,
            longitude: place.coordinate.longitude,
            horizontalAccuracy: place.horizontalAccuracy,
            altitude: place.altitude,
            verticalAccuracy: place.verticalAccuracy,
            floor: place.floor?.level,
            speed: place.speed,
            course: place.course
        )
    }
}
#endif
