// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if canImport(CoreMotion) && !os(macOS) && !os(tvOS)
internal import Foundation
internal import TrackwayBehavior
internal import TrackwayEvents
internal import TrackwayPlatform

#if canImport(ObjectiveC)
/// Stands for this product where classes are found by their names.
@objc(TrackwayMotionProduct)
final class MotionProduct: NSObject, SnapshotProduct {
    static func add(to sources: inout SnapshotSources) { MotionSnapshots.add(to: &sources) }
}
#endif

/// How the device moves, for snapshots of an app that links this product and allows motion (`SnapshotOptions.allowsMotion`).
///
/// Linking it is enough where there is Objective-C. Nothing runs but while a snapshot is taken.
public enum MotionSnapshots {
    /// What the attitude in motion is measured from.
    public enum ReferenceFrame: String, Sendable, Hashable, CaseIterable {
        /// An arbitrary direction, which needs neither leave nor a compass. The default.
        case arbitrary
        /// An arbitrary direction that the magnetometer keeps from drifting.
        case corrected
        /// Magnetic north. The system may ask the person to wave the device about.
        case magneticNorth
        /// True north, which needs leave to know the place.
        case trueNorth
    }

    private static let chosen = Locked(ReferenceFrame.arbitrary)

    /// What the attitude is measured from, from the next start of the sensors on. Where the device has no such frame, or the system
    /// refuses it while the sensors run, an arbitrary one takes its place.
    public static var referenceFrame: ReferenceFrame {
        get { chosen.withLock { $0 } }
        set { chosen.withLock { $0 = newValue } }
    }

    /// Has snapshots made from now on know how the device moves, where the product is not found by itself.
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
