// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors
// ios: call to main actor-isolated initializer 'init()' in a synchronous nonisolated context

import UIKit

func view() -> UIView {
    UIView()
}
