// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if !canImport(ObjectiveC)
public import Foundation

/// The phone's location and the user's location permission, controlled by tests.
public final class SimulatedLocation: @unchecked Sendable {
    /// The current instance.
    public static let current = SimulatedLocation()

    private final class WeakManager {
        weak var manager: CLLocationManager?

        init(_ manager: CLLocationManager) {
            self.manager = manager
        }
    }

    private let lock = NSLock()
    private var weakManagers: [WeakManager] = []
    private var status = CLAuthorizationStatus.notDetermined
    private var currentLocation: CLLocation?
    private var currentHeading: CLHeading?
    private var compass = true
    private var requestCount = 0

    /// The user's decision.
    public var authorization: CLAuthorizationStatus { lock.withLock { status } }
    /// The last location that the system knows.
    public var location: CLLocation? { lock.withLock { currentLocation } }
    /// The last compass reading.
    public var heading: CLHeading? { lock.withLock { currentHeading } }
    /// Whether the phone has a compass.
    public var hasCompass: Bool { lock.withLock { compass } }
    /// The number of times that an app prompted the user for permission.
    public var authorizationRequests: Int { lock.withLock { requestCount } }
    /// The number of managers with active location or heading updates.
    public var activeManagerCount: Int { managers.filter { $0.isUpdatingLocation || $0.isUpdatingHeading }.count }

    var isAllowed: Bool { [.authorizedAlways, .authorizedWhenInUse].contains(authorization) }
    private var managers: [CLLocationManager] { lock.withLock { weakManagers.compactMap(\.manager) } }

    /// Resets to a phone without a location, whose user has not decided.
    public func reset(hasCompass: Bool = true) {
        lock.withLock {
            weakManagers = []
            status = .notDetermined
            currentLocation = nil
            currentHeading = nil
            compass = hasCompass
            requestCount = 0
        }
    }

    /// Sets the user's decision.
    public func simulate(authorization: CLAuthorizationStatus) {
        lock.withLock { status = authorization }
        for manager in managers { manager.delegate?.locationManagerDidChangeAuthorization(manager) }
    }

    /// Moves the phone to another location.
    public func simulate(location: CLLocation) {
        lock.withLock { currentLocation = location }
        guard isAllowed else { return }
        for manager in managers where manager.isUpdatingLocation {
            manager.delegate?.locationManager(manager, didUpdateLocations: [location])
        }
    }

    /// Changes the phone's heading.
    public func simulate(heading: CLHeading) {
        lock.withLock { currentHeading = heading }
        for manager in managers where manager.isUpdatingHeading {
            manager.delegate?.locationManager(manager, didUpdateHeading: heading)
        }
    }

    /// Reports a location failure.
    public func simulate(failure: CLError.Code) {
        for manager in managers where manager.isUpdatingLocation {
            manager.delegate?.locationManager(manager, didFailWithError: CLError(failure))
        }
    }

    func add(_ manager: CLLocationManager) {
        lock.withLock {
            weakManagers.removeAll { $0.manager == nil }
            weakManagers.append(WeakManager(manager))
        }
    }

    func requestAuthorization() {
        lock.withLock { if status == .notDetermined { requestCount += 1 } }
    }
}
#endif
