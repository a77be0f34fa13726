// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayBehavior
internal import TrackwayPlatform

extension LifeCycleEvent {
    /// What it means to an app: a terminal's Ctrl-Z is a person who goes away, its `fg` one who comes back.
    var changes: [LifeCycleChange] {
        switch self {
        case .entersBackground: [.willResignActive, .didEnterBackground, .willSuspend]
        case .entersForeground: [.willEnterForeground, .didBecomeActive]
        case .terminates, .exits: [.willTerminate]
        }
    }
}
