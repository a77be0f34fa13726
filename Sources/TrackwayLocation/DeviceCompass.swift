// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if canImport(CoreLocation) && !os(tvOS) && !os(macOS) && !os(visionOS) && !os(watchOS)
public import CoreLocation
internal import Dispatch
public import TrackwayLifecycle
public import TrackwayCore

/// The system's compass.
///
/// Readings are delivered on the main thread, which the system requires for starting them.
public final class DeviceCompass: NSObject, HeadingSource, CLLocationManagerDelegate, Sendable {
    private struct Listener: Sendable {
        var report: @Sendable (Heading) -> Void
    }

    private let listener = Locked<Listener?>(nil)
    @MainActor private var manager: CLLocationManager?

    /// Creates a stopped compass.
    public override init() {
        super.init()
    }

    /// Whether the device has a compass.
    public var isAvailable: Bool { CLLocationManager.headingAvailable() }

    /// Starts readings.
    public func start(_ report: @escaping @Sendable (Heading) -> Void) {
        let listener = Listener(report: report)
        self.listener.withLock { $0 = listener }
        DispatchQueue.main.async { MainActor.assumeIsolated { self.run() } }
    }

    /// Stops readings.
    public func stop() {
        listener.withLock { $0 = nil }
        DispatchQueue.main.async { MainActor.assumeIsolated { self.stopIfUnused() } }
    }

    /// Called by the system.
    public func locationManager(_ manager: CLLocationManager, didUpdateHeading reading: CLHeading) {
        let heading = Heading(
            time: Timestamp(reading.timestamp),
            magnetic: reading.magneticHeading,
            geographic: reading.trueHeading,
            accuracy: reading.headingAccuracy,
            field: Vector3(x: reading.x, y: reading.y, z: reading.z)
        )
        listener.withLock { $0 }?.report(heading)
    }

    @MainActor
    private func run() {
        // `stop()` may have been called before this ran.
        guard listener.withLock({ $0 != nil }) else { return }
        let manager = manager ?? CLLocationManager()
        manager.delegate = self
        manager.startUpdatingHeading()
        self.manager = manager
    }

    @MainActor
    private func stopIfUnused() {
        guard listener.withLock({ $0 == nil }) else { return }
        manager?.stopUpdatingHeading()
        manager = nil
    }
}
#endif
