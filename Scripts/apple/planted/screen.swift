// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors
// visionos: is unavailable in visionOS

import UIKit

@MainActor func width() -> CGFloat {
    UIScreen.main.nativeBounds.width
}
