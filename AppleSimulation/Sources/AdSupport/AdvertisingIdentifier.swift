// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

@_exported public import Foundation

/// Rules modelled here:
/// - The identifier is all zeros unless the person allows tracking (Apple, page of `advertisingIdentifier`): a test says which it
///   is, since who allows what is another framework's.
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
/// The phone's identifier for advertisers: what a test drives.
public final class SimulatedAdvertising: @unchecked Sendable {
    /// The one in use.
    public static let current = SimulatedAdvertising()
    /// What a system answers that has none to give.
    public static let none = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))

    private let lock = NSLock()
    private var held = SimulatedAdvertising.none

    /// What apps are told.
    public var identifier: UUID { lock.withLock { held } }

    /// The phone has this identifier now, or none to give.
    public func simulate(identifier: UUID?) {
        lock.withLock { held = identifier ?? Self.none }
    }
}
#endif
