// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if !canImport(ObjectiveC)
public import Foundation

/// Rules modelled here:
/// - Without scenes an app that a person opens is inactive while its launch is told, then active; `willEnterForeground` does not
///   come at a cold launch (Apple, "Managing your app's life cycle").
/// - With scenes the state is background while the launch is told and scenes connect, and `willEnterForeground` comes at a cold
///   launch too (bugsnag-cocoa 1307, dd-sdk-ios 2321; TN3187).
/// - While `willEnterForeground` is told the state is still background, and while `willResignActive` is told still active (pages
///   of both notifications).
/// - A launch in the background tells the launch and nothing else; scenes connect when a person comes.
/// - The app's own notifications come with the first scene that comes and the last one that goes.
/// - An object's delegate hears before its notification is posted, scenes before the app. This order is our own reading.
extension SimulatedPhone {
    /// Starts the app, unless it runs.
    ///
    /// - Parameters:
    ///   - reason: Why.
    ///   - delegate: The app's delegate.
    ///   - sceneDelegate: Makes the delegate of each scene; nil is an app whose windows are not scenes.
    ///   - main: What the app does before UIKit runs.
    public func launch(
        _ reason: LaunchReason = .person,
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
        let isInFront = reason == .person
        application.applicationState = isInFront && !hasScenes ? .inactive : .background
        SimulatedBackgroundTime.process.giveTime()
        if reason == .prewarmed { setenv("ActivePrewarm", "1", 1) }
        main()
        unsetenv("ActivePrewarm")
        _ = delegate?.application(application, willFinishLaunchingWithOptions: nil)
        _ = delegate?.application(application, didFinishLaunchingWithOptions: nil)
        post(UIApplication.didFinishLaunchingNotification, application)
        guard isInFront else { return }
        if hasScenes { showScenes() } else { becomeActive() }
    }

    /// The person opens the app that runs already, from the home screen or the app switcher.
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

    /// The person leaves the app, which is not suspended yet: see ``suspend()``.
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

    /// Something covers the app for a moment: a call, the control centre, the app switcher.
    public func interrupt() {
        if hasScenes {
            for scene in foregroundScenes where scene.activationState == .foregroundActive { deactivate(scene) }
        } else if application.applicationState == .active {
            applicationDelegate?.applicationWillResignActive(application)
            post(UIApplication.willResignActiveNotification, application)
            application.applicationState = .inactive
        }
    }

    /// What covered the app is gone.
    public func endInterruption() {
        if hasScenes {
            for scene in foregroundScenes { activate(scene) }
        } else if application.applicationState == .inactive {
            becomeActive()
        }
    }

    /// The system holds an app in the background still.
    public func suspend() {
        if application.applicationState == .background { isSuspended = true }
    }

    /// The process is gone, and was told nothing.
    public func kill() {
        isRunning = false
        isSuspended = false
        shownWindows = []
        firstResponder = nil
        application.connectedScenes = []
        applicationDelegate = nil
        SimulatedBackgroundTime.process.reset()
    }

    /// The person throws the app out of the app switcher. It is told so unless it is suspended (Apple, page of
    /// `applicationWillTerminate(_:)`).
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

    /// The system is short of memory.
    public func warnOfMemory() {
        applicationDelegate?.applicationDidReceiveMemoryWarning(application)
        post(UIApplication.didReceiveMemoryWarningNotification, application)
    }

    // MARK: Locking

    /// The person locks the phone: an app in front goes to the background, then protected files become unreadable.
    public func lock() {
        guard !isLocked else { return }
        wasInFrontWhenLocked = isRunning && application.applicationState != .background
        pressHome()
        if isRunning, isProtectedDataAvailable {
            applicationDelegate?.applicationProtectedDataWillBecomeUnavailable(application)
            post(UIApplication.protectedDataWillBecomeUnavailableNotification, application)
        }
        isLocked = true
    }

    /// The person unlocks the phone: protected files can be read, and the app that was in front comes back.
    public func unlock() {
        let wasUnreadable = !isProtectedDataAvailable
        isLocked = false
        isUnlockedSinceRestart = true
        guard isRunning else { return }
        if wasUnreadable {
            post(UIApplication.protectedDataDidBecomeAvailableNotification, application)
            applicationDelegate?.applicationProtectedDataDidBecomeAvailable(application)
        }
        if wasInFrontWhenLocked { openApp() }
        wasInFrontWhenLocked = false
    }

    /// The phone starts anew: nothing runs, and no protected file can be read before it is unlocked.
    public func restart() {
        kill()
        isLocked = true
        isUnlockedSinceRestart = false
        wasInFrontWhenLocked = false
    }

    private func becomeActive() {
        application.applicationState = .active
        applicationDelegate?.applicationDidBecomeActive(application)
        post(UIApplication.didBecomeActiveNotification, application)
    }
}
#endif
