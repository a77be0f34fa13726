// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if !canImport(ObjectiveC)
public import Foundation

/// The phone that the simulated frameworks belong to, and the person who holds it: what a test drives.
///
/// ```swift
/// let phone = SimulatedPhone.new()
/// phone.launch(delegate: AppDelegate(), sceneDelegate: { SceneDelegate() })
/// phone.tap(button)
/// phone.pressHome()
/// phone.openApp()
/// ```
///
/// There is one, so tests that use it run one after the other, on the main thread.
@MainActor public final class SimulatedPhone {
    /// The phone in use.
    public private(set) static var current = SimulatedPhone()

    /// Why an app is started.
    public enum LaunchReason: Sendable {
        /// A person opens it.
        case person
        /// The system wants it to do something: a push, a place, a download.
        case background
        /// The system expects that a person will open it soon. `ActivePrewarm` stands in the environment while `main` runs, and is
        /// gone when the launch is told (firebase-ios-sdk 9362).
        case prewarmed
    }

    /// The running app's object. Each start of the app has its own.
    public internal(set) var application = UIApplication()
    /// The device's facts and sensors.
    public let device = UIDevice()
    let screen = UIScreen()

    /// How many times `UIScreen.main` was asked for: early, it costs a SwiftUI app its accent colour (posthog-ios 237).
    public internal(set) var mainScreenReadings = 0
    /// Whether the app runs: started, and neither ended nor killed.
    public internal(set) var isRunning = false
    /// Whether the system holds the app still, in the background.
    public internal(set) var isSuspended = false
    /// Whether the screen is locked.
    public internal(set) var isLocked = false
    /// Whether files of the class that waits for the first unlocking after a restart can be read.
    public internal(set) var isUnlockedSinceRestart = true
    /// Whether the system ended the app because it held on to its time in the background.
    public internal(set) var isKilledForOverstaying = false

    /// The order in which screens are told that they come and go.
    public var order = SimulatedOrder()

    var isProtectedDataAvailable: Bool { !isLocked && isUnlockedSinceRestart }
    var hasScenes = false
    var makeSceneDelegate: (@MainActor () -> any UIWindowSceneDelegate)?
    /// The app's own object has no other owner.
    var applicationDelegate: (any UIApplicationDelegate)?
    var sceneNumber = 0
    var shownWindows: [UIWindow] = []
    weak var firstResponder: UIResponder?
    var wasInFrontWhenLocked = false
    var seconds: TimeInterval = 1_000

    init() {}

    /// Puts the phone away and takes a new one, on which nothing runs. What the tested code keeps in the process stays.
    @discardableResult
    public static func new(idiom: UIUserInterfaceIdiom = .phone) -> SimulatedPhone {
        SimulatedBackgroundTime.process.reset()
        unsetenv("ActivePrewarm")
        current = SimulatedPhone()
        current.device.facts.idiom = idiom
        return current
    }

    /// Puts back every exchanged method, as a new process would find it.
    public static func restoreMethods() {
        UIViewController.simulatedViewWillAppear.restore()
        UIViewController.simulatedViewDidAppear.restore()
        UIViewController.simulatedViewWillDisappear.restore()
        UIViewController.simulatedViewDidDisappear.restore()
        UIApplication.simulatedSendEvent.restore()
        UIApplication.simulatedSendAction.restore()
    }

    /// Says whether the process is an app's extension, in which there is no `UIApplication.shared`.
    public var isExtension: Bool {
        get { SimulatedBackgroundTime.process.isInExtension }
        set { SimulatedBackgroundTime.process.isInExtension = newValue }
    }

    // MARK: Time in the background

    /// What keeps the process awake now: named tasks and expiring activities, the oldest first.
    public var backgroundWork: [SimulatedBackgroundTime.Work] { SimulatedBackgroundTime.process.underWay }
    /// What kept the process awake and is over.
    public var finishedBackgroundWork: [SimulatedBackgroundTime.Work] { SimulatedBackgroundTime.process.over }

    /// The system's patience is at its end: expiration handlers run. An app that does not end its tasks in them is killed.
    public func expireBackgroundTime() {
        if !SimulatedBackgroundTime.process.expire().isEmpty {
            isKilledForOverstaying = true
            kill()
        }
    }

    // MARK: Keyboard and windows

    func become(_ responder: UIResponder) -> Bool {
        guard responder.canBecomeFirstResponder else { return false }
        if let held = firstResponder, held !== responder, !held.resignFirstResponder() { return false }
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
        let siblings = window.windowScene?.windows ?? shownWindows
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
