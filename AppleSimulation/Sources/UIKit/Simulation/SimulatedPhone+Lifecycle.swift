// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if !canImport(ObjectiveC)
public import Foundation

/// Rules modeled here:
/// - Without scenes, an app that the user opens is inactive while its launch is reported, then active;
///   `willEnterForeground` is not sent at a cold launch (Apple, "Managing your app's life cycle").
/// - With scenes, the state is background while the launch is reported and scenes connect, and `willEnterForeground` is
///   also sent at a cold launch (bugsnag-cocoa 1307, dd-sdk-ios 2321; TN3187).
/// - During `willEnterForeground` the state is still background, and during `willResignActive` it is still active
///   (pages of both notifications).
/// - A background launch reports only the launch; scenes connect when the user opens the app.
/// - The app's own notifications are sent for the first scene that enters the foreground and the last one that leaves
///   it.
/// - An object's delegate is notified before its notification is posted, and scenes before the app. This order is our
///   own interpretation.
extension SimulatedPhone {
    /// Launches the app, unless it is running.
    ///
    /// - Parameters:
    ///   - reason: The launch reason.
    ///   - delegate: The app's delegate.
    ///   - sceneDelegate: Creates the delegate of each scene; nil for an app without scenes.
    ///   - main: The app's code that runs before UIKit.
    public func launch(
        _ reason: LaunchReason = .user,
        delegate: (any UIApplicationDelegate)? = nil,
        sceneDelegate: (@MainActor () -> any UIWindowSceneDelegate)? = nil,
        main: @MainActor () -> Void = {}
    ) {
        guard !isRunning else { return }
        application = UIApplication()
        isRunning = true
        isSuspended = false
        hasScenes = sceneDelegate != nil
        makeSceneDelegate = sceneDelegate
        applicationDelegate = delegate
        application.delegate = delegate
        let isInFront = reason == .user
        application.applicationState = isInFront && !hasScenes ? .inactive : .background
        SimulatedBackgroundTime.process.grantTime()
        if reason == .prewarmed { setenv("ActivePrewarm", "1", 1) }
        main()
        unsetenv("ActivePrewarm")
        _ = delegate?.application(application, willFinishLaunchingWithOptions: nil)
        _ = delegate?.application(application, didFinishLaunchingWithOptions: nil)
        post(UIApplication.didFinishLaunchingNotification, application)
        guard isInFront else { return }
        if hasScenes { showScenes() } else { becomeActive() }
    }

    /// The user opens the running app, from the home screen or the app switcher.
    public func openApp() {
        guard isRunning, application.applicationState != .active else { return }
        isSuspended = false
        if hasScenes {
            showScenes()
        } else {
            if application.applicationState == .background {
                applicationDelegate?.applicationWillEnterForeground(application)
                post(UIApplication.willEnterForegroundNotification, application)
                application.applicationState = .inactive
            }
            becomeActive()
        }
    }

    /// The user leaves the app, which is not suspended yet: see ``suspend()``.
    public func pressHome() {
        guard isRunning else { return }
        interrupt()
        if hasScenes {
            for scene in foregroundScenes { sendToBackground(scene) }
        } else if application.applicationState == .inactive {
            application.applicationState = .background
            applicationDelegate?.applicationDidEnterBackground(application)
            post(UIApplication.didEnterBackgroundNotification, application)
        }
    }

    /// Something temporarily covers the app: a call, the control center, the app switcher.
    public func interrupt() {
        if hasScenes {
            for scene in foregroundScenes where scene.activationState == .foregroundActive { deactivate(scene) }
        } else if application.applicationState == .active {
            applicationDelegate?.applicationWillResignActive(application)
            post(UIApplication.willResignActiveNotification, application)
            application.applicationState = .inactive
        }
    }

    /// Ends the interruption.
    public func endInterruption() {
        if hasScenes {
            for scene in foregroundScenes { activate(scene) }
        } else if application.applicationState == .inactive {
            becomeActive()
        }
    }

    /// The system suspends a backgrounded app.
    public func suspend() {
        if application.applicationState == .background { isSuspended = true }
    }

    /// Kills the process without notifying the app.
    public func kill() {
        isRunning = false
        isSuspended = false
        visibleWindows = []
        firstResponder = nil
        application.connectedScenes = []
        applicationDelegate = nil
        SimulatedBackgroundTime.process.reset()
    }

    /// The user swipes the app away in the app switcher.
    ///
    /// The app is notified unless it is suspended (Apple, page of `applicationWillTerminate(_:)`).
    public func swipeAway() {
        guard isRunning else { return }
        if !isSuspended {
            pressHome()
            for scene in application.connectedScenes { disconnect(scene) }
            applicationDelegate?.applicationWillTerminate(application)
            post(UIApplication.willTerminateNotification, application)
        }
        kill()
    }

    /// The system is low on memory.
    public func sendMemoryWarning() {
        applicationDelegate?.applicationDidReceiveMemoryWarning(application)
        post(UIApplication.didReceiveMemoryWarningNotification, application)
    }

    // MARK: Locking

    /// The user locks the phone: a foreground app goes to the background, then protected files become inaccessible.
    public func lock() {
        guard !isLocked else { return }
        wasForegroundWhenLocked = isRunning && application.applicationState != .background
        pressHome()
        if isRunning, isProtectedDataAvailable {
            applicationDelegate?.applicationProtectedDataWillBecomeUnavailable(application)
            post(UIApplication.protectedDataWillBecomeUnavailableNotification, application)
        }
        isLocked = true
    }

    /// The user unlocks the phone: protected files become accessible, and the app that was in the foreground returns.
    public func unlock() {
        let wasUnreadable = !isProtectedDataAvailable
        isLocked = false
        isUnlockedSinceRestart = true
        guard isRunning else { return }
        if wasUnreadable {
            post(UIApplication.protectedDataDidBecomeAvailableNotification, application)
            applicationDelegate?.applicationProtectedDataDidBecomeAvailable(application)
        }
        if wasForegroundWhenLocked { openApp() }
        wasForegroundWhenLocked = false
    }

    /// Restarts the phone: no process runs, and protected files are inaccessible until the first unlock.
    public func restart() {
        kill()
        isLocked = true
        isUnlockedSinceRestart = false
        wasForegroundWhenLocked = false
    }

    private func becomeActive() {
        application.applicationState = .active
        applicationDelegate?.applicationDidBecomeActive(application)
        post(UIApplication.didBecomeActiveNotification, application)
    }
}
#endif
