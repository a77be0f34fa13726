// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayBehavior

extension LifeCycleChange {
    /// Whether the person has the app before them again.
    var isReturn: Bool {
        switch self {
        case .willEnterForeground, .didBecomeActive: true
        case .didFinishLaunching, .willResignActive, .didEnterBackground, .willSuspend, .willTerminate: false
        }
    }
}

extension AppState {
    /// What the app does after the change.
    func after(_ change: LifeCycleChange) -> AppState {
        switch change {
        case .didFinishLaunching: self  // In the foreground or unseen: the start of the process told which.
        case .willResignActive: isForeground ? .inactive : self  // Some say it once more on their way to sleep.
        case .willEnterForeground: .inactive
        case .didBecomeActive: .active
        case .didEnterBackground: .background
        case .willSuspend: .suspended
        case .willTerminate: .notRunning
        }
    }

    /// Whether the person has the app before them.
    var isForeground: Bool {
        switch self {
        case .inactive, .active: true
        case .notRunning, .background, .suspended: false
        }
    }
}
