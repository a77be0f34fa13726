// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors
//
// On watchOS there is a UIKit without applications, views and devices: whoever asks `canImport` alone is wrong there.

@_exported import Foundation

open class UIColor: NSObject {}
