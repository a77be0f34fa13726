// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

@_exported public import Foundation

/// Rules modelled here:
/// - Until the person has decided, the status is `notDetermined`; reading it asks nobody anything (Apple, page of
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
/// Whether the person lets the app track them: what a test drives.
public final class SimulatedTracking: @unchecked Sendable {
    /// The one in use.
    public static let current = SimulatedTracking()

    private let lock = NSLock()
    private var held = ATTrackingManager.AuthorizationStatus.notDetermined

    /// What the person has decided.
    public var status: ATTrackingManager.AuthorizationStatus { lock.withLock { held } }

    /// The person decides.
    public func simulate(_ status: ATTrackingManager.AuthorizationStatus) {
        lock.withLock { held = status }
    }
}
#endif
