// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if canImport(CoreLocation) && !os(tvOS)
internal import CoreLocation
internal import Foundation
public import TrackwayBehavior
public import TrackwayEvents
internal import TrackwayPlatform

/// The last place the system knows, if the person lets the app know it. Never asks for leave, never starts to look.
public final class DeviceLocation: LocationSource {
    @MainActor private var manager: CLLocationManager?

    /// A source that asks the system.
    public init() {}

    /// Whether the person lets the app know the place.
    public var isAuthorized: Bool {
        MainThread.ask { [self] in Self.isLeave(made().authorizationStatus) } ?? false
    }

    /// The last place the system knows; nil when it knows none.
    public func lastLocation() -> Location? {
        MainThread.ask { [self] in made().location.map { Location($0) } } ?? nil
    }

    /// Made where it is asked: the system wants its managers on a thread that has a run loop.
    @MainActor
    private func made() -> CLLocationManager {
        if let manager { return manager }
        let new = CLLocationManager()
        manager = new
        return new
    }

    private static func isLeave(_ status: CLAuthorizationStatus) -> Bool {
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
    fileprivate init(_ place: CLLocation) {
        self.init(
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

extension Timestamp {
    /// The moment of a date, to the millisecond.
    init(_ date: Date) {
        self.init(milliseconds: Int64((date.timeIntervalSince1970 * 1_000).rounded(.down)))
    }
}
#endif
