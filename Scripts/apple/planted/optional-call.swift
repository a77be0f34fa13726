// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors
// ios: must be unwrapped

import CoreLocation

func notify(_ delegate: any CLLocationManagerDelegate, _ manager: CLLocationManager) {
    delegate.locationManager(manager, didUpdateLocations: [])
}
