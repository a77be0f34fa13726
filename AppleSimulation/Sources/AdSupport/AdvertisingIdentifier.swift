// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

@_exported public import Foundation

/// Rules modeled here:
/// - The identifier is all zeros unless the user permits tracking (Apple, page of `advertisingIdentifier`). Tests set
///   the identifier themselves, because the permission belongs to another framework.
open class ASIdentifierManager: NSObject {
    private static let only = ASIdentifierManager()

    open class func shared() -> ASIdentifierManager { only }

    open var advertisingIdentifier: UUID {
        #if !canImport(ObjectiveC)
        return SimulatedAdvertising.current.identifier
        #endif
    }
}

#if !canImport(ObjectiveC)
/// The phone's advertising identifier, controlled by tests.
public final class SimulatedAdvertising: @unchecked Sendable {
    /// The current instance.
    public static let current = SimulatedAdvertising()
    /// The identifier that a system without one returns.
    public static let none = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))

    private let lock = NSLock()
    private var storedIdentifier = SimulatedAdvertising.none

    /// The identifier that apps get.
    public var identifier: UUID { lock.withLock { storedIdentifier } }

    /// Sets the phone's identifier; nil for none.
    public func simulate(identifier: UUID?) {
        lock.withLock { storedIdentifier = identifier ?? Self.none }
    }
}
#endif
