// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// Turns what the system says of an app's scenes, each of which lives for itself, into changes of the whole app.
///
/// The app is active while one scene is, in front while one is, and in the background when none is any more. As long as
/// no scene was heard of, what the system says of the app counts; from then on only that it was launched and that it ends,
/// because the rest would come twice.
package struct SceneMachine: Sendable, Hashable {
    /// What happens to one scene.
    package enum Event: String, Sendable, Hashable, CaseIterable {
        /// It is about to be in front.
        case willEnterForeground
        /// It gets the person's touches.
        case didActivate
        /// Something comes over it, or the person is leaving it.
        case willDeactivate
        /// It is not seen any more.
        case didEnterBackground
        /// The system has put it away. It was in the background before, unless it was thrown out of the switcher.
        case didDisconnect
    }

    private enum Scene: Sendable, Hashable {
        case background
        case inactive
        case active
    }

    private var scenes: [Int: Scene] = [:]
    private var hasScenes = false
    private var last = Scene.background

    /// An app without scenes.
    package init() {}

    /// How many scenes are in front.
    package var inFront: Int { scenes.values.count { $0 != .background } }

    // MARK: Inputs

    /// This happened to a scene.
    ///
    /// - Parameter id: Which scene; the same one as long as it is connected.
    /// - Returns: What it means to the app, in order.
    package mutating func happened(_ event: Event, to id: Int) -> [LifeCycleChange] {
        hasScenes = true
        if scenes[id] == nil, last == .background {
            // Heard of for the first time as it leaves: it was in front before anybody listened.
            switch event {
            case .willDeactivate: last = .active
            case .didEnterBackground: last = .inactive
            case .willEnterForeground, .didActivate, .didDisconnect: break
            }
        }
        switch event {
        case .willEnterForeground: scenes[id] = .inactive
        case .didActivate: scenes[id] = .active
        case .willDeactivate: scenes[id] = scenes[id] == .background ? .background : .inactive
        case .didEnterBackground: scenes[id] = .background
        case .didDisconnect: scenes[id] = nil
        }
        return follow()
    }

    /// The system said something of the whole app.
    package mutating func happened(_ change: LifeCycleChange) -> [LifeCycleChange] {
        switch change {
        case .didFinishLaunching, .willSuspend, .willTerminate:
            return [change]
        case .didBecomeActive, .willResignActive, .didEnterBackground, .willEnterForeground:
            return hasScenes ? [] : [change]
        }
    }

    // MARK: Decisions

    private mutating func follow() -> [LifeCycleChange] {
        let now: Scene =
            scenes.values.contains(.active) ? .active : scenes.values.contains(.inactive) ? .inactive : .background
        defer { last = now }
        switch (last, now) {
        case (.background, .background), (.inactive, .inactive), (.active, .active): return []
        case (.background, .inactive): return [.willEnterForeground]
        case (.background, .active): return [.willEnterForeground, .didBecomeActive]
        case (.inactive, .active): return [.didBecomeActive]
        case (.active, .inactive): return [.willResignActive]
        case (.active, .background): return [.willResignActive, .didEnterBackground]
        case (.inactive, .background): return [.didEnterBackground]
        }
    }
}
