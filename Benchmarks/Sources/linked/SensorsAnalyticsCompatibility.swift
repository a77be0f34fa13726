// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import SensorsAnalyticsCompatibility

/// Uses Sensors Analytics' calls.
@main
struct LinkedSensors {
    static func main() {
        let options = SAConfigOptions(serverURL: "https://example.com/sa?project=default", launchOptions: nil)
        options.autoTrackEventType = [.eventTypeAppStart, .eventTypeAppEnd]
        SensorsAnalyticsSDK.start(configOptions: options)
        SensorsAnalyticsSDK.sharedInstance()?.track("started", withProperties: ["value": 1])
        SensorsAnalyticsSDK.sharedInstance()?.flush()
    }
}
