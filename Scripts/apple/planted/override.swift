// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors
// ios: method does not override any method from its superclass

import UIKit

final class Screen: UIViewController {
    override func viewDidAppeer(_ animated: Bool) {}
}
