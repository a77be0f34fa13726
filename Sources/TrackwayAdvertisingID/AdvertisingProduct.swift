// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if canImport(AdSupport) && canImport(AppTrackingTransparency) && !os(watchOS)
internal import AdSupport
internal import AppTrackingTransparency
internal import Foundation
internal import TrackwayPlatform

#if canImport(ObjectiveC)
/// Stands for this product where classes are found by their names.
@objc(TrackwayAdvertisingIDProduct)
final class AdvertisingProduct: NSObject, AdvertisingIDProduct {
    static func advertisingID() -> String? { AdvertisingID.current }
}
#endif

/// The identifier for advertisers, for the contexts of an app that links this product.
///
/// Linking it is enough where there is Objective-C: `device.advertising_id` of contexts is then the identifier, as long as the person
/// allows the app to track them. Nobody is asked for that: the app does, by `ATTrackingManager`, with a purpose string
/// (`NSUserTrackingUsageDescription`). An app for children must not link this product.
public enum AdvertisingID {
    /// The identifier, if the person allows tracking; nil otherwise. Any thread.
    public static var current: String? {
        guard ATTrackingManager.trackingAuthorizationStatus == .authorized else { return nil }
        let id = ASIdentifierManager.shared().advertisingIdentifier.uuidString
        // All zeros where the system has none to give.
        return id.contains { $0 != "0" && $0 != "-" } ? id : nil
    }

    /// Has contexts made from now on hold the identifier, where the product is not found by itself.
    public static func register() {
        LinkedAdvertisingID.register { current }
    }
}
#endif
