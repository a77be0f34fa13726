// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors
// tvos: 'batteryLevel' is unavailable in tvOS

import UIKit

@MainActor func level() -> Float {
    UIDevice.current.batteryLevel
}
