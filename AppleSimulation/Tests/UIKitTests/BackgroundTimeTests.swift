// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Dispatch
import Foundation
import Testing
import UIKit

/// What keeps an app awake in the background, and what happens when it does so for too long.
@MainActor
@Suite(.serialized)
struct BackgroundTimeTests {
    @Test func tasksAreKeptUntilTheyAreEnded() {
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

    @Test func tasksBeginAndEndOnAnyThread() async {
        let phone = SimulatedPhone.new()
        phone.launch()
        let app = phone.application
        await Task.detached {
            let task = app.beginBackgroundTask(withName: "elsewhere")
            app.endBackgroundTask(task)
        }.value
        #expect(phone.finishedBackgroundWork.count == 1)
    }

    @Test func anAppThatEndsItsTaskWhenTheTimeIsOverLivesOn() {
        let phone = SimulatedPhone.new()
        phone.launch()
        let app = phone.application
        var task = UIBackgroundTaskIdentifier.invalid
        task = app.beginBackgroundTask(withName: "upload") { [weak app] in
            MainActor.assumeIsolated { app?.endBackgroundTask(task) }
        }
        phone.pressHome()
        phone.expireBackgroundTime()
        #expect(phone.isRunning && !phone.isKilledForOverstaying)
        #expect(app.beginBackgroundTask(withName: "late") == .invalid)
    }

    @Test func anAppThatDoesNotIsKilled() {
        let phone = SimulatedPhone.new()
        phone.launch()
        _ = phone.application.beginBackgroundTask(withName: "upload")
        phone.pressHome()
        phone.expireBackgroundTime()
        #expect(!phone.isRunning && phone.isKilledForOverstaying)
    }

    @Test func anExpiringActivityIsCalledBesideItselfWhenTheTimeIsOver() {
        let phone = SimulatedPhone.new()
        phone.launch()
        let began = DispatchSemaphore(value: 0)
        let isOver = DispatchSemaphore(value: 0)
        let ended = DispatchSemaphore(value: 0)
        ProcessInfo.processInfo.performExpiringActivity(withReason: "leave") { isExpired in
            if isExpired {
                isOver.signal()
            } else {
                began.signal()
                isOver.wait()
                ended.signal()
            }
        }
        #expect(began.wait(timeout: .now() + 10) == .success)
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
