// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors
//
// UIKit on watchOS, which has no applications, views or devices, so checking only `canImport` is not enough there.

@_exported import Foundation

open class UIColor: NSObject {}
