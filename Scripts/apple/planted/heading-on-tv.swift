// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors
// tvos: 'startUpdatingHeading()' is unavailable in tvOS

import CoreLocation

func watch(_ manager: CLLocationManager) {
    manager.startUpdatingHeading()
}
