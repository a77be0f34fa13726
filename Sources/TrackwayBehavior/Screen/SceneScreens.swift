// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// Which screen is shown, in an app whose interface may have several scenes, such as windows side by side.
///
/// Each scene has its own ``ScreenStack``. The screen that events carry is that of the scene the person used last. What appears in
/// another scene is shown when the person turns to it.
package struct SceneScreens: Sendable, Hashable {
    /// An order to the caller.
    package enum Action: Sendable, Hashable {
        /// This screen is shown now.
        case show(ScreenView)
        /// Call ``SceneScreens/timeCame(for:in:)`` with these after ``ScreenStack/delay``.
        case wait(number: Int, scene: Int)
    }

    private var stacks: [Int: ScreenStack] = [:]
    /// In which scene a screen is.
    private var scenes: [Int: Int] = [:]
    /// The scenes that are active, the one that became so last at the end.
    private var active: [Int] = []
    /// The scene whose screen events carry.
    private var current = Self.only

    /// Stands for the scene where scenes are not known.
    package static let only = 0
    /// The maximum number of screens whose scene is remembered.
    private static let maxScreens = 1024

    /// Nothing is shown.
    package init() {}

    /// The number of screens over one another in all scenes.
    package var depth: Int { stacks.values.reduce(0) { $0 + $1.depth } }

    /// Whether a screen appeared and did not disappear since.
    package func isShowing(_ id: Int) -> Bool {
        scenes[id].flatMap { stacks[$0]?.isShowing(id) } ?? false
    }

    // MARK: Screens

    /// A screen that the platform finds begins to appear; see ``ScreenStack/willAppear(_:uniqueID:)``.
    package mutating func willAppear(_ id: Int, uniqueID: String, in scene: Int? = nil) {
        let scene = place(id, in: scene)
        stacks[scene, default: ScreenStack()].willAppear(id, uniqueID: uniqueID)
    }

    /// A screen appeared; see ``ScreenStack/appeared(_:_:)``.
    ///
    /// - Parameter scene: Where; nil when that is not known.
    package mutating func appeared(_ id: Int, _ view: ScreenView, in scene: Int? = nil) -> [Action] {
        let scene = place(id, in: scene)
        // The first scene is active before it is reported to be.
        if active.isEmpty { current = scene }
        return actions(stacks[scene, default: ScreenStack()].appeared(id, view), in: scene)
    }

    /// What a screen is called changed; see ``ScreenStack/changed(_:to:)``.
    package mutating func changed(_ id: Int, to view: ScreenView) -> [Action] {
        guard let scene = scenes[id] else { return [] }
        return actions(stacks[scene]?.changed(id, to: view) ?? [], in: scene)
    }

    /// The app named a screen by a call; see ``ScreenStack/named(_:)``.
    package mutating func named(_ view: ScreenView) -> ScreenView {
        // A call from within an appearance is about the scene of that.
        let scene = stacks[current]?.isChanging == true ? current : stacks.first { $0.value.isChanging }?.key ?? current
        return stacks[scene, default: ScreenStack()].named(view)
    }

    /// A screen disappeared.
    package mutating func disappeared(_ id: Int) -> [Action] {
        guard let scene = scenes[id] else { return [] }
        return actions(stacks[scene]?.disappeared(id) ?? [], in: scene)
    }

    /// The time is over that was asked for.
    package mutating func timeCame(for number: Int, in scene: Int) -> [Action] {
        actions(stacks[scene]?.timeCame(for: number) ?? [], in: scene)
    }

    /// Nothing reports these screens any more.
    package mutating func forget(_ ids: Set<Int>) {
        for scene in stacks.keys { stacks[scene]?.forget(ids) }
        for id in ids { scenes[id] = nil }
    }

    // MARK: Scenes

    /// A scene became active, or the person used it.
    package mutating func activated(_ scene: Int) -> [Action] {
        active.removeAll { $0 == scene }
        active.append(scene)
        return turn(to: scene)
    }

    /// A scene is found to be active, which may have become so before anything was reported.
    package mutating func found(active scene: Int) {
        if !active.contains(scene) { active.insert(scene, at: 0) }
        if !active.contains(current) { current = scene }
    }

    /// A scene is not active any more.
    package mutating func deactivated(_ scene: Int) -> [Action] {
        active.removeAll { $0 == scene }
        guard current == scene, let next = active.last else { return [] }
        return turn(to: next)
    }

    /// A scene was closed, and its screens with it.
    package mutating func closed(_ scene: Int) -> [Action] {
        let actions = deactivated(scene)
        stacks[scene] = nil
        scenes = scenes.filter { $0.value != scene }
        if current == scene { current = active.last ?? Self.only }
        return actions
    }

    // MARK: Inside

    private mutating func turn(to scene: Int) -> [Action] {
        guard scene != current else { return [] }
        current = scene
        return stacks[scene]?.lastShown.map { [.show($0)] } ?? []
    }

    private mutating func place(_ id: Int, in scene: Int?) -> Int {
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
