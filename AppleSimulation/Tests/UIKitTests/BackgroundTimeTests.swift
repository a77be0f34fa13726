// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Dispatch
import Foundation
import Testing
import UIKit

/// The work that keeps an app awake in the background, and the consequences of exceeding the background time.
@MainActor
@Suite(.serialized)
struct BackgroundTimeTests {
    @Test func tasksRemainUntilTheyEnd() {
        let phone = SimulatedPhone.new()
        phone.launch()
        let task = phone.application.beginBackgroundTask(withName: "save")
        #expect(task != .invalid)
        #expect(phone.backgroundWork.map(\.name) == ["save"])
        phone.application.endBackgroundTask(task)
        phone.application.endBackgroundTask(task)
        #expect(phone.backgroundWork.isEmpty)
        #expect(phone.finishedBackgroundWork.map(\.name) == ["save"])
    }

    @Test func tasksStartAndEndOnAnyThread() async {
        let phone = SimulatedPhone.new()
        phone.launch()
        let app = phone.application
        await Task.detached {
            let task = app.beginBackgroundTask(withName: "elsewhere")
            app.endBackgroundTask(task)
        }.value
        #expect(phone.finishedBackgroundWork.count == 1)
    }

    @Test func anAppThatEndsItsTaskOnExpirationSurvives() {
        let phone = SimulatedPhone.new()
        phone.launch()
        let app = phone.application
        var task = UIBackgroundTaskIdentifier.invalid
        task = app.beginBackgroundTask(withName: "upload") { [weak app] in
            MainActor.assumeIsolated { app?.endBackgroundTask(task) }
        }
        phone.pressHome()
        phone.expireBackgroundTime()
        #expect(phone.isRunning && !phone.wasKilledForBackgroundTimeout)
        #expect(app.beginBackgroundTask(withName: "late") == .invalid)
    }

    @Test func anAppThatDoesNotEndItsTaskIsKilled() {
        let phone = SimulatedPhone.new()
        phone.launch()
        _ = phone.application.beginBackgroundTask(withName: "upload")
        phone.pressHome()
        phone.expireBackgroundTime()
        #expect(!phone.isRunning && phone.wasKilledForBackgroundTimeout)
    }

    @Test func anExpiringActivityIsCalledConcurrentlyOnExpiration() {
        let phone = SimulatedPhone.new()
        phone.launch()
        let started = DispatchSemaphore(value: 0)
        let isOver = DispatchSemaphore(value: 0)
        let ended = DispatchSemaphore(value: 0)
        ProcessInfo.processInfo.performExpiringActivity(withReason: "leave") { isExpired in
            if isExpired {
                isOver.signal()
            } else {
                started.signal()
                isOver.wait()
                ended.signal()
            }
        }
        #expect(started.wait(timeout: .now() + 10) == .success)
        #expect(phone.backgroundWork.map(\.isTask) == [false])
        phone.expireBackgroundTime()
        #expect(ended.wait(timeout: .now() + 10) == .success)
        #expect(phone.isRunning)
    }

    @Test func anExtensionHasNoApplication() {
        let phone = SimulatedPhone.new()
        let shared = NSSelectorFromString("sharedApplication")
        #expect(UIApplication.responds(to: shared))
        #expect(UIApplication.perform(shared)?.takeUnretainedValue() === UIApplication.shared)
        phone.isExtension = true
        #expect(!UIApplication.responds(to: shared))
    }
}
