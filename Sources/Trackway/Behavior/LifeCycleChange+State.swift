// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayBehavior

extension LifeCycleChange {
    /// What the app does after the change.
    var state: AppState {
        switch self {
        case .didFinishLaunching, .willResignActive, .willEnterForeground: .inactive
        case .didBecomeActive: .active
        case .didEnterBackground: .background
        case .willSuspend: .suspended
        case .willTerminate: .notRunning
        }
    }

    /// Whether the person has the app before them again.
    var isReturn: Bool {
        switch self {
        case .willEnterForeground, .didBecomeActive: true
        case .didFinishLaunching, .willResignActive, .didEnterBackground, .willSuspend, .willTerminate: false
        }
    }
}

extension AppState {
    /// Whether the person has the app before them.
    var isForeground: Bool {
        switch self {
        case .inactive, .active: true
        case .notRunning, .background, .suspended: false
        }
    }
}
