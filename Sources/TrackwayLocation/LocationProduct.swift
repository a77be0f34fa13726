// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if canImport(CoreLocation) && !os(tvOS)
internal import Foundation
internal import TrackwayBehavior
internal import TrackwayPlatform

#if canImport(ObjectiveC)
/// Stands for this product where classes are found by their names.
@objc(TrackwayLocationProduct)
final class LocationProduct: NSObject, SnapshotProduct {
    static func add(to sources: inout SnapshotSources) { LocationSnapshots.add(to: &sources) }
}
#endif

/// Where the device is and points, for snapshots of an app that links this product.
///
/// Linking it is enough where there is Objective-C: snapshots of `SnapshotSources.system` then have both. Neither asks for leave,
/// nor begins to look. The App Store asks for `NSLocationWhenInUseUsageDescription` in the app's information.
public enum LocationSnapshots {
    /// Has snapshots made from now on know the place, where the product is not found by itself.
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
