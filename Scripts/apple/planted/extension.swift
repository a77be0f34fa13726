// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors
// ios: is unavailable in application extensions for iOS

import UIKit

@MainActor func app() -> UIApplication {
    UIApplication.shared
}
