// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors
// ios: 'required' initializer 'init(coder:)' must be provided by subclass of 'UIViewController'

import UIKit

final class Screen: UIViewController {
    let number: Int
    init(_ number: Int) {
        self.number = number
        super.init(nibName: nil, bundle: nil)
    }
}
