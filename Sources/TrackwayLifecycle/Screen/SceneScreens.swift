// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// A tracker for the current screen of an app with several scenes.
///
/// Scenes are, for example, windows side by side. Each scene has its own ``ScreenStack``. Events contain the screen of
/// the scene that the user used last. A screen that appears in another scene counts as shown when the user switches to
/// that scene.
package struct SceneScreens: Sendable, Equatable {
    /// An action for the caller.
    package enum Action: Sendable, Equatable {
        /// This screen is now shown.
        case show(ScreenView)
        /// Call ``SceneScreens/timerFired(for:in:)`` with these values after ``ScreenStack/delay``.
        case wait(number: Int, scene: Int)
    }

    private var stacks: [Int: ScreenStack] = [:]
    /// The scene of each screen.
    private var scenes: [Int: Int] = [:]
    /// The active scenes, in order of activation.
    private var active: [Int] = []
    /// The scene whose screen is recorded with events.
    private var current = Self.singleScene

    /// The id used where scenes are unknown.
    package static let singleScene = 0
    /// The maximum number of screens whose scene is stored.
    private static let maxScreens = 1024

    /// Creates a tracker without screens.
    package init() {}

    /// The number of stacked screens in all scenes.
    package var depth: Int { stacks.values.reduce(0) { $0 + $1.depth } }

    /// Returns whether a screen has appeared and not disappeared since.
    package func isShowing(_ id: Int) -> Bool {
        scenes[id].flatMap { stacks[$0]?.isShowing(id) } ?? false
    }

    // MARK: Screens

    /// Handles a detected screen that begins to appear; see ``ScreenStack/willAppear(_:uniqueID:)``.
    package mutating func willAppear(_ id: Int, uniqueID: String, in scene: Int? = nil) {
        let scene = assign(id, to: scene)
        stacks[scene, default: ScreenStack()].willAppear(id, uniqueID: uniqueID)
    }

    /// Handles a screen that appeared; see ``ScreenStack/screenAppeared(_:_:)``.
    ///
    /// - Parameter scene: The scene of the screen; nil if unknown.
    package mutating func screenAppeared(_ id: Int, _ view: ScreenView, in scene: Int? = nil) -> [Action] {
        let scene = assign(id, to: scene)
        // The first scene becomes active before its activation is reported.
        if active.isEmpty { current = scene }
        return actions(stacks[scene, default: ScreenStack()].screenAppeared(id, view), in: scene)
    }

    /// Handles a screen whose description changed; see ``ScreenStack/screenChanged(_:to:)``.
    package mutating func screenChanged(_ id: Int, to view: ScreenView) -> [Action] {
        guard let scene = scenes[id] else { return [] }
        return actions(stacks[scene]?.screenChanged(id, to: view) ?? [], in: scene)
    }

    /// Handles a screen that the app named; see ``ScreenStack/screenNamed(_:)``.
    package mutating func screenNamed(_ view: ScreenView) -> ScreenView {
        // A call during an appearance refers to the scene of that appearance.
        let scene = stacks[current]?.isChanging == true ? current : stacks.first { $0.value.isChanging }?.key ?? current
        return stacks[scene, default: ScreenStack()].screenNamed(view)
    }

    /// Handles a screen that disappeared.
    package mutating func screenDisappeared(_ id: Int) -> [Action] {
        guard let scene = scenes[id] else { return [] }
        return actions(stacks[scene]?.screenDisappeared(id) ?? [], in: scene)
    }

    /// Handles the end of the requested delay.
    package mutating func timerFired(for number: Int, in scene: Int) -> [Action] {
        actions(stacks[scene]?.timerFired(for: number) ?? [], in: scene)
    }

    /// Removes screens that are no longer reported.
    package mutating func forget(_ ids: Set<Int>) {
        for scene in stacks.keys { stacks[scene]?.forget(ids) }
        for id in ids { scenes[id] = nil }
    }

    // MARK: Scenes

    /// Handles a scene that became active or was used.
    package mutating func sceneActivated(_ scene: Int) -> [Action] {
        active.removeAll { $0 == scene }
        active.append(scene)
        return switchTo(scene)
    }

    /// Registers a scene found to be active.
    ///
    /// The scene may have become active before anything was reported.
    package mutating func noteActive(scene: Int) {
        if !active.contains(scene) { active.insert(scene, at: 0) }
        if !active.contains(current) { current = scene }
    }

    /// Handles a scene that is no longer active.
    package mutating func sceneDeactivated(_ scene: Int) -> [Action] {
        active.removeAll { $0 == scene }
        guard current == scene, let next = active.last else { return [] }
        return switchTo(next)
    }

    /// Handles a scene that was closed together with its screens.
    package mutating func sceneClosed(_ scene: Int) -> [Action] {
        let actions = sceneDeactivated(scene)
        stacks[scene] = nil
        scenes = scenes.filter { $0.value != scene }
        if current == scene { current = active.last ?? Self.singleScene }
        return actions
    }

    // MARK: Helpers

    private mutating func switchTo(_ scene: Int) -> [Action] {
        guard scene != current else { return [] }
        current = scene
        return stacks[scene]?.lastShown.map { [.show($0)] } ?? []
    }

    private mutating func assign(_ id: Int, to scene: Int?) -> Int {
        if scenes.count >= Self.maxScreens { scenes = scenes.filter { stacks[$0.value]?.has($0.key) ?? false } }
        let place = scene ?? scenes[id] ?? current
        if let former = scenes[id], former != place { stacks[former]?.forget([id]) }
        scenes[id] = place
        return place
    }

    private func actions(_ actions: [ScreenStack.Action], in scene: Int) -> [Action] {
        actions.compactMap { action in
            switch action {
            case .show(let view): scene == current ? .show(view) : nil
            case .wait(let number): .wait(number: number, scene: scene)
            }
        }
    }
}
