// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if canImport(CoreMotion) && !os(macOS) && !os(tvOS)
internal import Foundation
internal import TrackwayLifecycle
internal import TrackwayCore
internal import TrackwayPlatform

#if canImport(ObjectiveC)
/// The class by which this product is found at run time.
@objc(TrackwayMotionProduct)
final class MotionProduct: NSObject, SnapshotProduct {
    static func add(to sources: inout SnapshotSources) { MotionSnapshots.add(to: &sources) }
}
#endif

/// Adds device motion to snapshots, if the app allows it (`SnapshotOptions.allowsMotion`).
///
/// On systems with Objective-C, linking this product is enough. The sensors run only while a snapshot is taken.
public enum MotionSnapshots {
    /// The reference frame of the attitude in device motion.
    public enum ReferenceFrame: String, Sendable, Hashable, CaseIterable {
        /// An arbitrary direction, which needs neither permission nor a compass. The default.
        case arbitrary
        /// An arbitrary direction, with drift corrected by the magnetometer.
        case corrected
        /// Magnetic north. The system may ask the user to move the device for calibration.
        case magneticNorth
        /// True north, which needs permission to use the location.
        case trueNorth
    }

    private static let chosen = Locked(ReferenceFrame.arbitrary)

    /// The reference frame of the attitude.
    ///
    /// A change takes effect when the sensors next start. An arbitrary frame is used if the device does not have this
    /// one, or if the system rejects it while the sensors run.
    public static var referenceFrame: ReferenceFrame {
        get { chosen.withLock { $0 } }
        set { chosen.withLock { $0 = newValue } }
    }

    /// Adds motion to snapshots created from now on.
    ///
    /// Call this on systems where the product is not found automatically.
    public static func register() {
        SnapshotProducts.register("TrackwayMotion") { add(to: &$0) }
    }

    static func add(to sources: inout SnapshotSources) {
        #if !os(watchOS) && !os(visionOS)
        if sources.motion == nil { sources.motion = DeviceMotionSensors() }
        #endif
    }
}
#endif
