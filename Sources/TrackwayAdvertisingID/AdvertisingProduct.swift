// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if canImport(AdSupport) && canImport(AppTrackingTransparency) && !os(watchOS)
internal import AdSupport
internal import AppTrackingTransparency
internal import Foundation
internal import TrackwayPlatform

#if canImport(ObjectiveC)
/// The class by which this product is found at run time.
@objc(TrackwayAdvertisingIDProduct)
final class AdvertisingProduct: NSObject, AdvertisingIDProduct {
    static func advertisingID() -> String? { AdvertisingID.current }
}
#endif

/// Adds the advertising identifier to event contexts.
///
/// On systems with Objective-C, linking this product is enough: contexts contain the identifier as
/// `device.advertising_id` while the user allows the app to track them. The product does not ask the user: the app
/// does, through `ATTrackingManager`, with a purpose string (`NSUserTrackingUsageDescription`). An app for children
/// must not link this product.
public enum AdvertisingID {
    /// The identifier; nil if the user does not allow tracking. Callable from any thread.
    public static var current: String? {
        guard ATTrackingManager.trackingAuthorizationStatus == .authorized else { return nil }
        let id = ASIdentifierManager.shared().advertisingIdentifier.uuidString
        // All zeros if the system does not provide one.
        return id.contains { $0 != "0" && $0 != "-" } ? id : nil
    }

    /// Adds the identifier to contexts created from now on.
    ///
    /// Call this on systems where the product is not found automatically.
    public static func register() {
        LinkedAdvertisingID.register { current }
    }
}
#endif
