// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// The state machine that derives app changes from scene changes.
///
/// The app is active while any scene is active, in the foreground while any scene is, and otherwise in the background.
/// Until the first event of a scene, the system's reports about the app are used. After that, only its launch,
/// suspension, and termination are used, because the other changes would be reported twice.
package struct SceneMachine: Sendable, Equatable {
    /// An event of one scene.
    package enum Event: String, Sendable, Hashable, CaseIterable {
        /// The scene is about to enter the foreground.
        case willEnterForeground
        /// The scene now receives touches.
        case didActivate
        /// The scene is being covered, or the user is leaving it.
        case willDeactivate
        /// The scene is no longer visible.
        case didEnterBackground
        /// The system has removed the scene.
        ///
        /// The scene was in the background before, unless the user removed it in the app switcher.
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

    /// Creates a machine for an app without scenes.
    package init() {}

    /// The number of scenes in the foreground.
    package var foregroundCount: Int { scenes.values.count { $0 != .background } }

    // MARK: Inputs

    /// Handles an event of a scene.
    ///
    /// - Parameter id: The identifier of the scene while it is connected.
    /// - Returns: The resulting changes of the app, in order.
    package mutating func handle(_ event: Event, sceneID id: Int) -> [LifecycleChange] {
        hasScenes = true
        if scenes[id] == nil, last == .background {
            // If the scene's first event is that it leaves the foreground, it was in the foreground before observation
            // began.
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
        return updateAppState()
    }

    /// Handles a change of the whole app.
    package mutating func handle(_ change: LifecycleChange) -> [LifecycleChange] {
        switch change {
        case .didFinishLaunching, .willSuspend, .willTerminate:
            return [change]
        case .didBecomeActive, .willResignActive, .didEnterBackground, .willEnterForeground:
            return hasScenes ? [] : [change]
        }
    }

    // MARK: Decisions

    private mutating func updateAppState() -> [LifecycleChange] {
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
