// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if canImport(CoreLocation) && !os(tvOS)
internal import Foundation
internal import TrackwayLifecycle
internal import TrackwayPlatform

#if canImport(ObjectiveC)
/// The class by which this product is found at run time.
@objc(TrackwayLocationProduct)
final class LocationProduct: NSObject, SnapshotProduct {
    static func add(to sources: inout SnapshotSources) { LocationSnapshots.add(to: &sources) }
}
#endif

/// Adds the device's location and heading to snapshots.
///
/// On systems with Objective-C, linking this product is enough: snapshots of `SnapshotSources.system` then contain
/// both. Neither requests permission nor starts location updates. The App Store requires
/// `NSLocationWhenInUseUsageDescription` in the app's Info.plist.
public enum LocationSnapshots {
    /// Adds the location to snapshots created from now on.
    ///
    /// Call this on systems where the product is not found automatically.
    public static func register() {
        SnapshotProducts.register("TrackwayLocation") { add(to: &$0) }
    }

    static func add(to sources: inout SnapshotSources) {
        if sources.location == nil { sources.location = DeviceLocation() }
        #if !os(macOS) && !os(visionOS) && !os(watchOS)
        if sources.heading == nil { sources.heading = DeviceCompass() }
        #endif
    }
}
#endif
