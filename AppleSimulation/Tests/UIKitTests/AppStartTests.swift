// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Foundation
import Testing
import UIKit

/// The notifications at launch and at transitions, with the app state at each.
@MainActor
@Suite(.serialized)
struct AppStartTests {
    /// Records each notification with the state while it was posted.
    @MainActor
    private final class Log {
        var lines: [String] = []
        private var observers: [any NSObjectProtocol] = []

        func listen() {
            let names: [(NSNotification.Name, String)] = [
                (UIApplication.didFinishLaunchingNotification, "didFinishLaunching"),
                (UIApplication.didBecomeActiveNotification, "didBecomeActive"),
                (UIApplication.willResignActiveNotification, "willResignActive"),
                (UIApplication.didEnterBackgroundNotification, "didEnterBackground"),
                (UIApplication.willEnterForegroundNotification, "willEnterForeground"),
                (UIApplication.willTerminateNotification, "willTerminate"),
                (UIApplication.protectedDataDidBecomeAvailableNotification, "dataAvailable"),
                (UIApplication.protectedDataWillBecomeUnavailableNotification, "dataUnavailable"),
                (UIScene.willConnectNotification, "scene willConnect"),
                (UIScene.willEnterForegroundNotification, "scene willEnterForeground"),
                (UIScene.didActivateNotification, "scene didActivate"),
                (UIScene.willDeactivateNotification, "scene willDeactivate"),
                (UIScene.didEnterBackgroundNotification, "scene didEnterBackground"),
                (UIScene.didDisconnectNotification, "scene didDisconnect"),
            ]
            for (name, text) in names {
                observers.append(
                    NotificationCenter.default.addObserver(forName: name, object: nil, queue: nil) { [weak self] _ in
                        MainActor.assumeIsolated {
                            let state: String
                            switch UIApplication.shared.applicationState {
                            case .active: state = "active"
                            case .inactive: state = "inactive"
                            case .background: state = "background"
                            @unknown default: state = "?"
                            }
                            self?.lines.append("\(text) (\(state))")
                        }
                    }
                )
            }
        }

        func stop() {
            for observer in observers { NotificationCenter.default.removeObserver(observer) }
            observers = []
        }
    }

    private final class SceneDelegate: UIResponder, UIWindowSceneDelegate {
        var window: UIWindow?

        func scene(_ scene: UIScene, willConnectTo session: UISceneSession, options: UIScene.ConnectionOptions) {
            guard let scene = scene as? UIWindowScene else { return }
            let window = UIWindow(windowScene: scene)
            window.rootViewController = UIViewController()
            window.makeKeyAndVisible()
            self.window = window
        }
    }

    private func record(_ actions: (SimulatedPhone) -> Void, on phone: SimulatedPhone = .new()) -> [String] {
        let log = Log()
        log.listen()
        defer { log.stop() }
        actions(phone)
        return log.lines
    }

    @Test func anAppWithoutScenesIsInactiveDuringLaunch() {
        let notifications = record {
            $0.launch()
            $0.pressHome()
            $0.openApp()
        }
        #expect(
            notifications == [
                "didFinishLaunching (inactive)", "didBecomeActive (active)", "willResignActive (active)",
                "didEnterBackground (background)", "willEnterForeground (background)", "didBecomeActive (active)",
            ]
        )
    }

    @Test func anAppWithScenesIsInTheBackgroundUntilASceneActivates() {
        let notifications = record { $0.launch(sceneDelegate: { SceneDelegate() }) }
        #expect(
            notifications == [
                "didFinishLaunching (background)", "scene willConnect (background)",
                "scene willEnterForeground (background)", "willEnterForeground (background)",
                "scene didActivate (active)", "didBecomeActive (active)",
            ]
        )
    }

    @Test func aBackgroundLaunchReportsOnlyTheLaunch() {
        let notifications = record { $0.launch(.background, sceneDelegate: { SceneDelegate() }) }
        #expect(notifications == ["didFinishLaunching (background)"])
        #expect(UIApplication.shared.connectedScenes.isEmpty)
    }

    @Test func openingAfterABackgroundLaunchConnectsTheScene() {
        let phone = SimulatedPhone.new()
        phone.launch(.background, sceneDelegate: { SceneDelegate() })
        let notifications = record({ $0.openApp() }, on: phone)
        #expect(notifications.first == "scene willConnect (background)")
        #expect(notifications.last == "didBecomeActive (active)")
    }

    @Test func activePrewarmIsSetOnlyWhileMainRuns() {
        let phone = SimulatedPhone.new()
        var during: String?
        phone.launch(.prewarmed, main: { during = ProcessInfo.processInfo.environment["ActivePrewarm"] })
        #expect(during == "1")
        #expect(ProcessInfo.processInfo.environment["ActivePrewarm"] == nil)
        #expect(UIApplication.shared.applicationState == .background)
    }

    @Test func anInterruptionDoesNotBackgroundTheApp() {
        let phone = SimulatedPhone.new()
        phone.launch(sceneDelegate: { SceneDelegate() })
        let notifications = record(
            {
                $0.interrupt()
                $0.endInterruption()
            },
            on: phone
        )
        #expect(
            notifications == [
                "scene willDeactivate (active)", "willResignActive (active)", "scene didActivate (active)",
                "didBecomeActive (active)",
            ]
        )
    }

    @Test func theAppIsForegroundFromTheFirstToTheLastScene() {
        let phone = SimulatedPhone.new(idiom: .pad)
        phone.launch(sceneDelegate: { SceneDelegate() })
        let first = phone.scenes[0]
        let notifications = record(
            {
                let second = $0.openWindow()
                $0.sendToBackground(first)
                $0.sendToBackground(second)
                $0.disconnect(second)
            },
            on: phone
        )
        #expect(
            notifications == [
                "scene willConnect (active)", "scene willEnterForeground (active)", "scene didActivate (active)",
                "scene willDeactivate (active)", "scene didEnterBackground (active)",
                "scene willDeactivate (active)", "willResignActive (active)",
                "scene didEnterBackground (background)", "didEnterBackground (background)",
                "scene didDisconnect (background)",
            ]
        )
    }

    @Test func lockingProtectsFilesAndUnlockingResumesTheApp() {
        let phone = SimulatedPhone.new()
        phone.launch()
        let notifications = record(
            {
                $0.lock()
                #expect(!UIApplication.shared.isProtectedDataAvailable)
                $0.unlock()
                #expect(UIApplication.shared.isProtectedDataAvailable)
            },
            on: phone
        )
        #expect(
            notifications == [
                "willResignActive (active)", "didEnterBackground (background)", "dataUnavailable (background)",
                "dataAvailable (background)", "willEnterForeground (background)", "didBecomeActive (active)",
            ]
        )
    }

    @Test func afterARestartFilesAreLockedUntilTheFirstUnlock() {
        let phone = SimulatedPhone.new()
        phone.restart()
        phone.launch(.background)
        #expect(!UIApplication.shared.isProtectedDataAvailable)
        let notifications = record({ $0.unlock() }, on: phone)
        #expect(notifications == ["dataAvailable (background)"])
        #expect(UIApplication.shared.isProtectedDataAvailable)
    }

    @Test func aSuspendedAppIsNotNotifiedOfTermination() {
        let phone = SimulatedPhone.new()
        phone.launch()
        phone.pressHome()
        phone.suspend()
        #expect(record({ $0.swipeAway() }, on: phone).isEmpty)
        #expect(!phone.isRunning)
        let other = SimulatedPhone.new()
        other.launch()
        #expect(record({ $0.swipeAway() }, on: other).last == "willTerminate (background)")
    }

    @Test func aBackgroundLaunchMakesTheRootControllerAppear() {
        final class Root: UIViewController {
            var appeared = 0
            override func viewDidAppear(_ animated: Bool) {
                super.viewDidAppear(animated)
                appeared += 1
            }
        }
        final class Delegate: NSObject, UIApplicationDelegate {
            let window = UIWindow(frame: CGRect(x: 0, y: 0, width: 393, height: 852))
            let root = Root()
            func application(
                _ application: UIApplication,
                didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
            ) -> Bool {
                window.rootViewController = root
                window.makeKeyAndVisible()
                return true
            }
        }
        let delegate = Delegate()
        SimulatedPhone.new().launch(.background, delegate: delegate)
        #expect(delegate.root.appeared == 1)
    }
}
