// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors
// ios: cannot be represented in Objective-C

import Foundation

struct Place {}

final class Map: NSObject {
    @objc func show(_ place: Place) {}
}
