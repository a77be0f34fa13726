// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if !canImport(ObjectiveC)
public import Foundation

/// The phone's location and the user's location permission, controlled by tests.
public final class SimulatedLocation: @unchecked Sendable {
    /// The current instance.
    public static let current = SimulatedLocation()

    private final class Held {
        weak var manager: CLLocationManager?

        init(_ manager: CLLocationManager) {
            self.manager = manager
        }
    }

    private let lock = NSLock()
    private var held: [Held] = []
    private var status = CLAuthorizationStatus.notDetermined
    private var place: CLLocation?
    private var direction: CLHeading?
    private var compass = true
    private var asked = 0

    /// The user's decision.
    public var authorization: CLAuthorizationStatus { lock.withLock { status } }
    /// The last location that the system knows.
    public var location: CLLocation? { lock.withLock { place } }
    /// The last compass reading.
    public var heading: CLHeading? { lock.withLock { direction } }
    /// Whether the phone has a compass.
    public var hasCompass: Bool { lock.withLock { compass } }
    /// The number of times that an app prompted the user for permission.
    public var questions: Int { lock.withLock { asked } }
    /// The number of managers with active location or heading updates.
    public var followers: Int { managers.filter { $0.isFollowingLocation || $0.isFollowingHeading }.count }

    var isAllowed: Bool { [.authorizedAlways, .authorizedWhenInUse].contains(authorization) }
    private var managers: [CLLocationManager] { lock.withLock { held.compactMap(\.manager) } }

    /// Resets to a phone without a location, whose user has not decided.
    public func reset(hasCompass: Bool = true) {
        lock.withLock {
            held = []
            status = .notDetermined
            place = nil
            direction = nil
            compass = hasCompass
            asked = 0
        }
    }

    /// Sets the user's decision.
    public func simulate(authorization: CLAuthorizationStatus) {
        lock.withLock { status = authorization }
        for manager in managers { manager.delegate?.locationManagerDidChangeAuthorization(manager) }
    }

    /// Moves the phone to another location.
    public func simulate(location: CLLocation) {
        lock.withLock { place = location }
        guard isAllowed else { return }
        for manager in managers where manager.isFollowingLocation {
            manager.delegate?.locationManager(manager, didUpdateLocations: [location])
        }
    }

    /// Changes the phone's heading.
    public func simulate(heading: CLHeading) {
        lock.withLock { direction = heading }
        for manager in managers where manager.isFollowingHeading {
            manager.delegate?.locationManager(manager, didUpdateHeading: heading)
        }
    }

    /// Reports a location failure.
    public func simulate(failure: CLError.Code) {
        for manager in managers where manager.isFollowingLocation {
            manager.delegate?.locationManager(manager, didFailWithError: CLError(failure))
        }
    }

    func add(_ manager: CLLocationManager) {
        lock.withLock {
            held.removeAll { $0.manager == nil }
            held.append(Held(manager))
        }
    }

    func ask() {
        lock.withLock { if status == .notDetermined { asked += 1 } }
    }
}
#endif
