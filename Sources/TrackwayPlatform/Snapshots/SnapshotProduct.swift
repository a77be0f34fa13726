// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayBehavior
internal import TrackwayEvents

#if canImport(ObjectiveC)
internal import Foundation
#endif

/// A product beside the core that brings sources of snapshots: where the device is, how it moves.
///
/// The core refers to no framework that finds such things out, because the App Store asks every app for a purpose string in which
/// they are so much as mentioned. An app links the product; where there is Objective-C nothing else is needed, because the class
/// that stands for the product is found by its name.
package protocol SnapshotProduct: AnyObject {
    /// Adds what the product knows, where nobody else does.
    static func add(to sources: inout SnapshotSources)
}

/// The products that the app links.
package enum SnapshotProducts {
    /// The closure stands in a struct: a bare one in a generic place is wrapped once more with every access.
    private struct Registration: Sendable {
        let add: @Sendable (inout SnapshotSources) -> Void
    }

    /// The names of the classes that stand for products, where there is Objective-C.
    package static let names = ["TrackwayLocationProduct", "TrackwayMotionProduct"]

    private static let registered = Locked<[String: Registration]>([:])

    /// Takes a product that cannot be found by its name. A second one of the same name takes the place of the first.
    package static func register(_ name: String, _ add: @escaping @Sendable (inout SnapshotSources) -> Void) {
        let registration = Registration(add: add)
        registered.withLock { $0[name] = registration }
    }

    /// Adds what linked products know.
    package static func add(to sources: inout SnapshotSources) {
        #if canImport(ObjectiveC)
        for name in names {
            (NSClassFromString(name) as? any SnapshotProduct.Type)?.add(to: &sources)
        }
        #endif
        for (_, registration) in registered.withLock({ $0 }).sorted(by: { $0.key < $1.key }) {
            registration.add(&sources)
        }
    }
}
