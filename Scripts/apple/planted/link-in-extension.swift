// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors
// ios tvos visionos: is unavailable in application extensions for

import Foundation
import UIKit

@MainActor func show(_ url: URL, in app: UIApplication) {
    app.open(url)
}
