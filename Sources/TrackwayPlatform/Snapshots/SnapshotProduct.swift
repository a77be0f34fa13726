// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore
package import TrackwayLifecycle

#if canImport(ObjectiveC)
internal import Foundation
#endif

/// An optional product that adds snapshot sources, such as location and motion.
///
/// The core does not refer to frameworks that provide such data, because the App Store requires a purpose string from
/// every app that even mentions them. An app must link the product. On systems with Objective-C, nothing else is
/// needed, because the product's class is found by its name.
package protocol SnapshotProduct: AnyObject {
    /// Adds the product's sources, unless other sources are already set.
    static func add(to sources: inout SnapshotSources)
}

/// The products that the app links.
package enum SnapshotProducts {
    /// A registered closure, boxed in a struct to avoid reabstraction thunks.
    private struct Registration: Sendable {
        let add: @Sendable (inout SnapshotSources) -> Void
    }

    /// The class names of the products, on systems with Objective-C.
    package static let names = ["TrackwayLocationProduct", "TrackwayMotionProduct"]

    private static let registered = Locked<[String: Registration]>([:])

    /// Registers a product that cannot be found by its class name.
    ///
    /// A registration replaces an earlier one of the same name.
    package static func register(_ name: String, _ add: @escaping @Sendable (inout SnapshotSources) -> Void) {
        let registration = Registration(add: add)
        registered.withLock { $0[name] = registration }
    }

    /// Adds the sources of the linked products.
    package static func add(to sources: inout SnapshotSources) {
        #if canImport(ObjectiveC)
        for name in names {
            (NSClassFromString(name) as? any SnapshotProduct.Type)?.add(to: &sources)
        }
        #endif
        for (_, registration) in registered.withLock({ $0 }).ordered(by: { $0.key < $1.key }) {
            registration.add(&sources)
        }
    }
}
