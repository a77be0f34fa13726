// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import TrackwayCore
import TrackwayLifecycle
import TrackwayPlatform
import UIKit

@MainActor
@Suite(.serialized)
struct AppNotificationsTests {
    @Test func everyChangeIsReported() {
        let phone = SimulatedPhone.new()
        let received = Locked<[LifecycleChange]>([])
        let notifications = AppNotifications { changes, _ in received.withLock { $0 += changes } }
        phone.launch()
        phone.pressHome()
        phone.openApp()
        phone.swipeAway()
        #expect(
            received.withLock { $0 } == [
                .didFinishLaunching, .didBecomeActive, .willResignActive, .didEnterBackground, .willEnterForeground,
                .didBecomeActive, .willResignActive, .didEnterBackground, .willTerminate,
            ]
        )
        _ = notifications
    }
}
