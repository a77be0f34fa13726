// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors
//
// The part of AppTrackingTransparency that the SDK uses, as Apple documents it. Declarations: nothing runs.

@_exported import Foundation

open class ATTrackingManager: NSObject {
    public enum AuthorizationStatus: UInt, Sendable {
        case notDetermined
        case restricted
        case denied
        case authorized
    }

    open class var trackingAuthorizationStatus: AuthorizationStatus { fatalError() }
}
