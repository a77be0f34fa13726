// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if !canImport(ObjectiveC)
public import Foundation

/// The phone of the simulated frameworks and its user, controlled by tests.
///
/// ```swift
/// let phone = SimulatedPhone.new()
/// phone.launch(delegate: AppDelegate(), sceneDelegate: { SceneDelegate() })
/// phone.tap(button)
/// phone.pressHome()
/// phone.openApp()
/// ```
///
/// There is one phone per process, so its tests run serially on the main thread.
@MainActor public final class SimulatedPhone {
    /// The current phone.
    public private(set) static var current = SimulatedPhone()

    /// The reason of a launch.
    public enum LaunchReason: Sendable {
        /// The user opens the app.
        case user
        /// The system has work for the app: a push notification, a location, a download.
        case background
        /// The system expects the user to open the app soon.
        ///
        /// `ActivePrewarm` is in the environment while `main` runs and has been removed when the launch is reported
        /// (firebase-ios-sdk 9362).
        case prewarmed
    }

    /// The running app's object.
    ///
    /// Each launch has a new one.
    public internal(set) var application = UIApplication()
    /// The device's properties and sensors.
    public let device = UIDevice()
    let screen = UIScreen()

    /// The number of reads of `UIScreen.main`.
    ///
    /// An early read makes a SwiftUI app lose its accent color (posthog-ios 237).
    public internal(set) var mainScreenReadCount = 0
    /// Whether the app is running: launched, and neither terminated nor killed.
    public internal(set) var isRunning = false
    /// Whether the app is suspended.
    public internal(set) var isSuspended = false
    /// Whether the screen is locked.
    public internal(set) var isLocked = false
    /// Whether files that are protected until the first unlock after a restart can be read.
    public internal(set) var isUnlockedSinceRestart = true
    /// Whether the system killed the app because it exceeded its background time.
    public internal(set) var wasKilledForBackgroundTimeout = false

    /// The order of appearance notifications.
    public var order = SimulatedOrder()

    var isProtectedDataAvailable: Bool { !isLocked && isUnlockedSinceRestart }
    var hasScenes = false
    var makeSceneDelegate: (@MainActor () -> any UIWindowSceneDelegate)?
    /// The application object has no other strong reference to its delegate.
    var applicationDelegate: (any UIApplicationDelegate)?
    var sceneNumber = 0
    var visibleWindows: [UIWindow] = []
    weak var firstResponder: UIResponder?
    var wasForegroundWhenLocked = false
    var seconds: TimeInterval = 1_000

    init() {}

    /// Replaces the phone with a new one on which no app runs.
    ///
    /// State that the tested code keeps in the process remains.
    @discardableResult
    public static func new(idiom: UIUserInterfaceIdiom = .phone) -> SimulatedPhone {
        SimulatedBackgroundTime.process.reset()
        unsetenv("ActivePrewarm")
        current = SimulatedPhone()
        current.device.facts.idiom = idiom
        return current
    }

    /// Restores every exchanged method, as in a new process.
    public static func restoreMethods() {
        UIViewController.simulatedViewWillAppear.restore()
        UIViewController.simulatedViewDidAppear.restore()
        UIViewController.simulatedViewWillDisappear.restore()
        UIViewController.simulatedViewDidDisappear.restore()
        UIApplication.simulatedSendEvent.restore()
        UIApplication.simulatedSendAction.restore()
    }

    /// Whether the process is an app extension, which has no `UIApplication.shared`.
    public var isExtension: Bool {
        get { SimulatedBackgroundTime.process.isInExtension }
        set { SimulatedBackgroundTime.process.isInExtension = newValue }
    }

    // MARK: Background time

    /// The work that currently keeps the process awake: named tasks and expiring activities, oldest first.
    public var backgroundWork: [SimulatedBackgroundTime.Work] { SimulatedBackgroundTime.process.active }
    /// The completed background work.
    public var finishedBackgroundWork: [SimulatedBackgroundTime.Work] { SimulatedBackgroundTime.process.finished }

    /// Ends the background time: expiration handlers run.
    ///
    /// An app that does not end its tasks in them is killed.
    public func expireBackgroundTime() {
        if !SimulatedBackgroundTime.process.expire().isEmpty {
            wasKilledForBackgroundTimeout = true
            kill()
        }
    }

    // MARK: Keyboard and windows

    func become(_ responder: UIResponder) -> Bool {
        guard responder.canBecomeFirstResponder else { return false }
        if let current = firstResponder, current !== responder, !current.resignFirstResponder() { return false }
        firstResponder = responder
        return true
    }

    func resign(_ responder: UIResponder) -> Bool {
        guard firstResponder === responder else { return true }
        guard responder.canResignFirstResponder else { return false }
        firstResponder = nil
        return true
    }

    func makeKey(_ window: UIWindow) {
        let siblings = window.windowScene?.windows ?? visibleWindows
        for other in siblings where other !== window && other.isKeyWindow {
            other.isKeyWindow = false
            NotificationCenter.default.post(name: UIWindow.didResignKeyNotification, object: other)
        }
        guard !window.isKeyWindow else { return }
        window.isKeyWindow = true
        NotificationCenter.default.post(name: UIWindow.didBecomeKeyNotification, object: window)
    }

    func post(_ name: NSNotification.Name, _ object: Any) {
        NotificationCenter.default.post(name: name, object: object)
    }
}
#endif
