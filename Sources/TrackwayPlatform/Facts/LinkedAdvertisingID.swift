// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents

#if canImport(ObjectiveC)
internal import Foundation
#endif

/// A product beside the core that knows the identifier for advertisers, which the core must not so much as refer to.
package protocol AdvertisingIDProduct: AnyObject {
    /// The identifier; nil when the person does not allow tracking.
    static func advertisingID() -> String?
}

/// The identifier for advertisers, where the app links the product that knows it; see ``SnapshotProducts``.
package enum LinkedAdvertisingID {
    /// The closure stands in a struct: a bare one in a generic place is wrapped once more with every access.
    private struct Registration: Sendable {
        let read: @Sendable () -> String?
    }

    private static let registered = Locked<Registration?>(nil)

    /// Takes a product that cannot be found by its name.
    package static func register(_ read: @escaping @Sendable () -> String?) {
        let registration = Registration(read: read)
        registered.withLock { $0 = registration }
    }

    /// The identifier; nil without the product, or when the person does not allow tracking.
    package static func current() -> String? {
        if let registration = registered.withLock({ $0 }) { return registration.read() }
        #if canImport(ObjectiveC)
        return (NSClassFromString("TrackwayAdvertisingIDProduct") as? any AdvertisingIDProduct.Type)?.advertisingID()
        #else
        return nil
        #endif
    }
}
