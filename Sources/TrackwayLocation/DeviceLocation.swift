// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if canImport(CoreLocation) && !os(tvOS)
internal import CoreLocation
internal import Foundation
public import TrackwayLifecycle
public import TrackwayCore
internal import TrackwayPlatform

/// Provides the system's last known location, if the user allows the app to use it.
///
/// Never requests permission and never starts location updates.
public final class DeviceLocation: LocationSource {
    @MainActor private var manager: CLLocationManager?

    /// Creates a source that queries the system.
    public init() {}

    /// Whether the user allows the app to use the location.
    public var isAuthorized: Bool {
        MainThread.read { [self] in Self.permitsLocation(sharedManager().authorizationStatus) } ?? false
    }

    /// Returns the system's last known location, or nil if it has none.
    public func lastLocation() -> Location? {
        MainThread.read { [self] in sharedManager().location.map { Location($0) } } ?? nil
    }

    /// Created on the main thread, because the system requires a thread with a run loop for its managers.
    @MainActor
    private func sharedManager() -> CLLocationManager {
        if let manager { return manager }
        let new = CLLocationManager()
        manager = new
        return new
    }

    private static func permitsLocation(_ status: CLAuthorizationStatus) -> Bool {
        switch status {
        case .authorizedAlways: return true
        #if !os(macOS)
        case .authorizedWhenInUse: return true
        #endif
        default: return false
        }
    }
}

extension Location {
    fileprivate init(_ location: CLLocation) {
        self.init(
            time: Timestamp(location.timestamp),
            latitude: location.coordinate.latitude,
            longitude: location.coordinate.longitude,
            horizontalAccuracy: location.horizontalAccuracy,
            altitude: location.altitude,
            verticalAccuracy: location.verticalAccuracy,
            floor: location.floor?.level,
            speed: location.speed,
            course: location.course
        )
    }
}

extension Timestamp {
    /// Converts a date, rounded down to the millisecond.
    init(_ date: Date) {
        self.init(milliseconds: Int64((date.timeIntervalSince1970 * 1_000).rounded(.down)))
    }
}
#endif
