// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if !canImport(ObjectiveC)
public import Foundation

/// Where the phone is, and what its person lets apps know of it: what a test drives.
public final class SimulatedPlaces: @unchecked Sendable {
    /// The places in use.
    public static let current = SimulatedPlaces()

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

    /// What the person has decided.
    public var authorization: CLAuthorizationStatus { lock.withLock { status } }
    /// The last place the system knows.
    public var location: CLLocation? { lock.withLock { place } }
    /// The last reading of the compass.
    public var heading: CLHeading? { lock.withLock { direction } }
    /// Whether the phone has a compass.
    public var hasCompass: Bool { lock.withLock { compass } }
    /// How many times an app asked the person for leave.
    public var questions: Int { lock.withLock { asked } }
    /// How many managers follow the place or the compass now.
    public var followers: Int { managers.filter { $0.isFollowingLocation || $0.isFollowingHeading }.count }

    var isAllowed: Bool { [.authorizedAlways, .authorizedWhenInUse].contains(authorization) }
    private var managers: [CLLocationManager] { lock.withLock { held.compactMap(\.manager) } }

    /// A phone that knows nothing, whose person has decided nothing.
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

    /// The person decides.
    public func simulate(authorization: CLAuthorizationStatus) {
        lock.withLock { status = authorization }
        for manager in managers { manager.delegate?.locationManagerDidChangeAuthorization(manager) }
    }

    /// The phone is elsewhere.
    public func simulate(location: CLLocation) {
        lock.withLock { place = location }
        guard isAllowed else { return }
        for manager in managers where manager.isFollowingLocation {
            manager.delegate?.locationManager(manager, didUpdateLocations: [location])
        }
    }

    /// The phone points elsewhere.
    public func simulate(heading: CLHeading) {
        lock.withLock { direction = heading }
        for manager in managers where manager.isFollowingHeading {
            manager.delegate?.locationManager(manager, didUpdateHeading: heading)
        }
    }

    /// The place cannot be told.
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
