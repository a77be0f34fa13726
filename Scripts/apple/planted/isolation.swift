// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors
// ios: main actor-isolated property 'applicationState' can not be referenced from a nonisolated context

import UIKit

func isActive(_ app: UIApplication) -> Bool {
    app.applicationState == .active
}
