// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

@_exported public import Foundation

/// Rules modeled here:
/// - Until the user has decided, the status is `notDetermined`; reading it does not prompt the user (Apple, page of
///   `trackingAuthorizationStatus`).
open class ATTrackingManager: NSObject {
    public enum AuthorizationStatus: UInt, Sendable {
        case notDetermined
        case restricted
        case denied
        case authorized
    }

    open class var trackingAuthorizationStatus: AuthorizationStatus {
        #if !canImport(ObjectiveC)
        return SimulatedTracking.current.status
        #endif
    }
}

#if !canImport(ObjectiveC)
/// The user's tracking permission, controlled by tests.
public final class SimulatedTracking: @unchecked Sendable {
    /// The current instance.
    public static let current = SimulatedTracking()

    private let lock = NSLock()
    private var storedStatus = ATTrackingManager.AuthorizationStatus.notDetermined

    /// The user's decision.
    public var status: ATTrackingManager.AuthorizationStatus { lock.withLock { storedStatus } }

    /// Sets the user's decision.
    public func simulate(_ status: ATTrackingManager.AuthorizationStatus) {
        lock.withLock { storedStatus = status }
    }
}
#endif
