// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors
// ios: refers to instance method 'handle' that is not exposed to Objective-C

import UIKit

final class Listener: NSObject {
    func handle(_ notification: Notification) {}
    func listen() {
        NotificationCenter.default.addObserver(self, selector: #selector(handle(_:)), name: nil, object: nil)
    }
}
