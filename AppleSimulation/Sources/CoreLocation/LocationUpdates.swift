// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

@_exported public import Foundation

public typealias CLLocationDegrees = Double
public typealias CLLocationDistance = Double
public typealias CLLocationAccuracy = Double
public typealias CLLocationSpeed = Double
public typealias CLLocationDirection = Double

public let kCLLocationAccuracyBest: CLLocationAccuracy = -1
public let kCLLocationAccuracyKilometer: CLLocationAccuracy = 1_000
public let kCLDistanceFilterNone: CLLocationDistance = -1

public enum CLAuthorizationStatus: Int32, Sendable {
    case notDetermined = 0
    case restricted = 1
    case denied = 2
    case authorizedAlways = 3
    case authorizedWhenInUse = 4
}

public enum CLAccuracyAuthorization: Int, Sendable {
    case fullAccuracy = 0
    case reducedAccuracy = 1
}

/// Rules modeled here:
/// - Without permission, locations are nil and updates do not start. Requesting permission prompts the user once, while
///   it is undecided (Apple, pages of `authorizationStatus` and `requestWhenInUseAuthorization()`).
/// - A delegate is notified of its manager's authorization as soon as it is set, and of every change (page of
///   `locationManagerDidChangeAuthorization(_:)`; here on the next turn of the main queue).
/// - `location` is the last location that the system knows; a heading's true north is negative without a location
///   (pages of `location` and `trueHeading`).
open class CLLocationManager: NSObject {
    open weak var delegate: (any CLLocationManagerDelegate)? {
        didSet {
            #if !canImport(ObjectiveC)
            guard delegate != nil else { return }
            DispatchQueue.main.async { [weak self] in
                guard let self else { return }
                delegate?.locationManagerDidChangeAuthorization(self)
            }
            #endif
        }
    }
    open var desiredAccuracy: CLLocationAccuracy = kCLLocationAccuracyBest
    open var distanceFilter: CLLocationDistance = kCLDistanceFilterNone
    open var headingFilter: CLLocationDegrees {
        get { storedHeadingFilter }
        set { storedHeadingFilter = newValue }
    }
    private var storedHeadingFilter: CLLocationDegrees = 1

    public override init() {
        super.init()
        #if !canImport(ObjectiveC)
        SimulatedLocation.current.add(self)
        #endif
    }

    open var authorizationStatus: CLAuthorizationStatus {
        #if !canImport(ObjectiveC)
        return SimulatedLocation.current.authorization
        #endif
    }

    open var accuracyAuthorization: CLAccuracyAuthorization { .fullAccuracy }

    open var location: CLLocation? {
        #if !canImport(ObjectiveC)
        return SimulatedLocation.current.isAllowed ? SimulatedLocation.current.location : nil
        #endif
    }

    open var heading: CLHeading? {
        #if !canImport(ObjectiveC)
        return isUpdatingHeading ? SimulatedLocation.current.heading : nil
        #endif
    }

    open class func locationServicesEnabled() -> Bool { true }

    open class func headingAvailable() -> Bool {
        #if !canImport(ObjectiveC)
        return SimulatedLocation.current.hasCompass
        #endif
    }

    open func requestWhenInUseAuthorization() {
        #if !canImport(ObjectiveC)
        SimulatedLocation.current.requestAuthorization()
        #endif
    }

    open func requestAlwaysAuthorization() {
        #if !canImport(ObjectiveC)
        SimulatedLocation.current.requestAuthorization()
        #endif
    }

    var isUpdatingLocation = false
    var isUpdatingHeading = false

    open func startUpdatingLocation() { isUpdatingLocation = true }
    open func stopUpdatingLocation() { isUpdatingLocation = false }
    open func startMonitoringSignificantLocationChanges() { isUpdatingLocation = true }
    open func stopMonitoringSignificantLocationChanges() { isUpdatingLocation = false }
    open func startUpdatingHeading() { isUpdatingHeading = true }
    open func stopUpdatingHeading() { isUpdatingHeading = false }
}

/*@objc*/ public protocol CLLocationManagerDelegate: NSObjectProtocol {
    /*@objc*/ /*optional*/ func locationManager(
        _ manager: CLLocationManager,
        didUpdateLocations locations: [CLLocation]
    )
    /*@objc*/ /*optional*/ func locationManager(_ manager: CLLocationManager, didUpdateHeading newHeading: CLHeading)
    /*@objc*/ /*optional*/ func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error)
    /*@objc*/ /*optional*/ func locationManagerDidChangeAuthorization(_ manager: CLLocationManager)
    /*@objc*/ /*optional*/ func locationManagerShouldDisplayHeadingCalibration(_ manager: CLLocationManager) -> Bool
}

#if !canImport(ObjectiveC)
extension CLLocationManagerDelegate {
    public func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {}
    public func locationManager(_ manager: CLLocationManager, didUpdateHeading newHeading: CLHeading) {}
    public func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error) {}
    public func locationManagerDidChangeAuthorization(_ manager: CLLocationManager) {}
    public func locationManagerShouldDisplayHeadingCalibration(_ manager: CLLocationManager) -> Bool { false }
}
#endif
