// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors
// ios: risks causing data races

import UIKit

final class Box {
    var count = 0
}

@MainActor func count() {
    let box = Box()
    Task.detached { box.count += 1 }
    box.count += 1
}
