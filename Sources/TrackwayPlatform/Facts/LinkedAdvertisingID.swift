// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore

#if canImport(ObjectiveC)
internal import Foundation
#endif

/// An optional product that reads the advertising identifier.
///
/// The core must not even contain a reference to that identifier.
package protocol AdvertisingIDProduct: AnyObject {
    /// Returns the identifier, or nil if the user does not allow tracking.
    static func advertisingID() -> String?
}

/// The advertising identifier, if the app links the product that reads it.
///
/// See ``SnapshotProducts``.
package enum LinkedAdvertisingID {
    /// A registered closure, boxed in a struct to avoid reabstraction thunks.
    private struct Registration: Sendable {
        let read: @Sendable () -> String?
    }

    private static let registered = Locked<Registration?>(nil)

    /// Registers a product that cannot be found by its class name.
    package static func register(_ read: @escaping @Sendable () -> String?) {
        let registration = Registration(read: read)
        registered.withLock { $0 = registration }
    }

    /// Returns the advertising identifier.
    ///
    /// Returns nil if the app does not link the product, or if the user does not allow tracking.
    package static func current() -> String? {
        if let registration = registered.withLock({ $0 }) { return registration.read() }
        #if canImport(ObjectiveC)
        return (NSClassFromString("TrackwayAdvertisingIDProduct") as? any AdvertisingIDProduct.Type)?.advertisingID()
        #else
        return nil
        #endif
    }
}
