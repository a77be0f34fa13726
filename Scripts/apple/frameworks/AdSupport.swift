// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors
//
// The part of AdSupport that the SDK uses, as Apple documents it. Declarations: nothing runs.

@_exported import Foundation

open class ASIdentifierManager: NSObject {
    open class func shared() -> ASIdentifierManager { fatalError() }
    open var advertisingIdentifier: UUID { fatalError() }
}
