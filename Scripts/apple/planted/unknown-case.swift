// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors
// ios: may have additional unknown values

import UIKit

func isOver(_ phase: UITouch.Phase) -> Bool {
    switch phase {
    case .began, .moved, .stationary, .regionEntered, .regionMoved, .regionExited: false
    case .ended, .cancelled: true
    }
}
