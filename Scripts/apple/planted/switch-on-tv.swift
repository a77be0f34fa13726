// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors
// tvos: 'UISwitch' is unavailable in tvOS

import UIKit

@MainActor func isOn(_ control: UISwitch) -> Bool {
    control.isOn
}
