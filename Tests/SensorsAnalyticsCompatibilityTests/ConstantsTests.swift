// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import SensorsAnalyticsCompatibility
import SensorsAnalyticsConstants
import Testing

@Suite("Constants for Objective-C and C")
struct ConstantsTests {
    @Test(arguments: [
        (
            String(cString: SensorsAnalyticsConstants.SA_EVENT_NAME_APP_START),
            SensorsAnalyticsCompatibility.SA_EVENT_NAME_APP_START
        ),
        (
            String(cString: SensorsAnalyticsConstants.SA_EVENT_NAME_APP_START_PASSIVELY),
            SensorsAnalyticsCompatibility.SA_EVENT_NAME_APP_START_PASSIVELY
        ),
        (
            String(cString: SensorsAnalyticsConstants.SA_EVENT_NAME_APP_END),
            SensorsAnalyticsCompatibility.SA_EVENT_NAME_APP_END
        ),
        (
            String(cString: SensorsAnalyticsConstants.SA_EVENT_NAME_APP_VIEW_SCREEN),
            SensorsAnalyticsCompatibility.SA_EVENT_NAME_APP_VIEW_SCREEN
        ),
        (
            String(cString: SensorsAnalyticsConstants.SA_EVENT_NAME_APP_CLICK),
            SensorsAnalyticsCompatibility.SA_EVENT_NAME_APP_CLICK
        ),
        (
            String(cString: SensorsAnalyticsConstants.SA_EVENT_NAME_APP_SIGN_UP),
            SensorsAnalyticsCompatibility.SA_EVENT_NAME_APP_SIGN_UP
        ),
        (
            String(cString: SensorsAnalyticsConstants.SA_EVENT_NAME_APP_CRASHED),
            SensorsAnalyticsCompatibility.SA_EVENT_NAME_APP_CRASHED
        ),
        (
            String(cString: SensorsAnalyticsConstants.SA_EVENT_NAME_APP_REMOTE_CONFIG_CHANGED),
            SensorsAnalyticsCompatibility.SA_EVENT_NAME_APP_REMOTE_CONFIG_CHANGED
        ),
        (
            String(cString: SensorsAnalyticsConstants.SA_EVENT_NAME_APP_DATA_TRACKING_CLOSE),
            SensorsAnalyticsCompatibility.SA_EVENT_NAME_APP_DATA_TRACKING_CLOSE
        ),
        (
            String(cString: SensorsAnalyticsConstants.SA_EVENT_PROPERTY_APP_FIRST_START),
            SensorsAnalyticsCompatibility.SA_EVENT_PROPERTY_APP_FIRST_START
        ),
        (
            String(cString: SensorsAnalyticsConstants.SA_EVENT_PROPERTY_RESUME_FROM_BACKGROUND),
            SensorsAnalyticsCompatibility.SA_EVENT_PROPERTY_RESUME_FROM_BACKGROUND
        ),
        (
            String(cString: SensorsAnalyticsConstants.SA_EVENT_PROPERTY_EVENT_DURATION),
            SensorsAnalyticsCompatibility.SA_EVENT_PROPERTY_EVENT_DURATION
        ),
        (
            String(cString: SensorsAnalyticsConstants.SA_EVENT_PROPERTY_SCREEN_NAME),
            SensorsAnalyticsCompatibility.SA_EVENT_PROPERTY_SCREEN_NAME
        ),
        (
            String(cString: SensorsAnalyticsConstants.SA_EVENT_PROPERTY_TITLE),
            SensorsAnalyticsCompatibility.SA_EVENT_PROPERTY_TITLE
        ),
        (
            String(cString: SensorsAnalyticsConstants.SA_EVENT_PROPERTY_SCREEN_URL),
            SensorsAnalyticsCompatibility.SA_EVENT_PROPERTY_SCREEN_URL
        ),
        (
            String(cString: SensorsAnalyticsConstants.SA_EVENT_PROPERTY_SCREEN_REFERRER_URL),
            SensorsAnalyticsCompatibility.SA_EVENT_PROPERTY_SCREEN_REFERRER_URL
        ),
        (
            String(cString: SensorsAnalyticsConstants.SA_EVENT_PROPERTY_APP_REMOTE_CONFIG),
            SensorsAnalyticsCompatibility.SA_EVENT_PROPERTY_APP_REMOTE_CONFIG
        ),
        (
            String(cString: SensorsAnalyticsConstants.SA_HAS_LAUNCHED_ONCE),
            SensorsAnalyticsCompatibility.SA_HAS_LAUNCHED_ONCE
        ),
    ])
    func `each C constant equals its Swift counterpart`(_ c: String, _ swift: String) {
        #expect(c == swift)
        #expect(!swift.isEmpty)
    }
}
