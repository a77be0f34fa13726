// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors
// ios:

import ObjectiveC
import UIKit

final class Listener: NSObject {
    @objc func handle(_ notification: Notification) {}
    func listen() {
        NotificationCenter.default.addObserver(self, selector: #selector(handle(_:)), name: nil, object: nil)
    }
}

func appearing() -> Method? {
    class_getInstanceMethod(UIViewController.self, #selector(UIViewController.viewDidAppear(_:)))
}
