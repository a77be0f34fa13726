// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayBehavior
internal import TrackwayDelivery
internal import TrackwayEvents

/// Reports which screen is shown, of those that lie over one another: one stack for every kind of interface, in each scene.
///
/// The screen is the one that events carry when a call returns, except while the return to the app is still to be recorded, which it
/// then follows. The disk is waited for elsewhere. Any thread, though usually the main one.
package final class ScreenTracker: Sendable {
    private struct Finder: Sendable {
        weak var object: (any AnyObject & Sendable)?
    }

    private struct State: Sendable {
        var screens = SceneScreens()
        var finders: [Finder] = []
        var hasSeen = false
        var isWatched = false
    }

    private let state = Locked(State())
    private let behavior: BehaviorDriver
    private let clock: any EventClock
    private let sleeper: any DeliverySleeper
    private let reportUnseen: @Sendable () -> Void

    /// How long after the first activation screens may be named or found for the first time.
    package static let grace = Duration.seconds(2)

    /// Makes a tracker.
    ///
    /// - Parameter reportUnseen: Called once if screens are wanted and nothing reports any.
    init(_ behavior: BehaviorDriver, in dependencies: Dependencies, reportUnseen: @escaping @Sendable () -> Void) {
        self.behavior = behavior
        clock = dependencies.clock
        sleeper = dependencies.pacer
        self.reportUnseen = reportUnseen
    }

    // MARK: Screens

    /// A screen that the platform finds begins to appear.
    ///
    /// - Parameters:
    ///   - id: Identifies it until it disappears.
    ///   - uniqueID: The unique id of its views.
    ///   - scene: Where; nil when that is not known.
    package func willAppear(_ id: Int, uniqueID: String, in scene: Int? = nil) {
        state.withLock { $0.screens.willAppear(id, uniqueID: uniqueID, in: scene) }
    }

    /// A screen appeared.
    ///
    /// - Parameters:
    ///   - id: Identifies it until it disappears.
    ///   - scene: Where; nil when that is not known.
    package func appeared(_ id: Int, _ view: ScreenView, in scene: Int? = nil) {
        perform { state in
            state.hasSeen = true
            return state.screens.appeared(id, view, in: scene)
        }
    }

    /// What a screen is called changed while it is visible.
    package func changed(_ id: Int, to view: ScreenView) {
        perform { $0.screens.changed(id, to: view) }
    }

    /// Whether a screen appeared and did not disappear since.
    package func isShowing(_ id: Int) -> Bool { state.withLock { $0.screens.isShowing(id) } }

    /// A screen disappeared.
    package func disappeared(_ id: Int) {
        perform { $0.screens.disappeared(id) }
    }

    /// Nothing is known of these screens any more; what is shown stays what it is.
    package func forget(_ ids: Set<Int>) {
        state.withLock { $0.screens.forget(ids) }
    }

    /// The app named the screen that is shown, by a call.
    func named(_ view: ScreenView) {
        let view = state.withLock { state in
            state.hasSeen = true
            return state.screens.named(view)
        }
        behavior.screenShown(view)
    }

    // MARK: Scenes

    /// A scene became active, or the person used it.
    package func sceneActivated(_ scene: Int) { perform { $0.screens.activated(scene) } }
    /// A scene is found to be active, which may have become so before anything was reported.
    package func found(activeScene scene: Int) { state.withLock { $0.screens.found(active: scene) } }
    /// A scene is not active any more.
    package func sceneDeactivated(_ scene: Int) { perform { $0.screens.deactivated(scene) } }
    /// A scene was closed.
    package func sceneClosed(_ scene: Int) { perform { $0.screens.closed(scene) } }

    // MARK: Whether anything reports screens

    /// Something finds screens from now on, for as long as it exists.
    package func found(by finder: any AnyObject & Sendable) {
        let finder = Finder(object: finder)
        state.withLock { state in
            state.finders.removeAll { $0.object == nil }
            state.finders.append(finder)
        }
    }

    /// The app is active for the first time: by now, or soon, something finds its screens or names them.
    func appBecameActive() {
        let isFirst = state.withLock { state in
            defer { state.isWatched = true }
            return !state.isWatched
        }
        guard isFirst else { return }
        let (sleeper, due) = (sleeper, clock.now().monotonic.advanced(by: Self.grace))
        Task { [weak self] in
            await sleeper.sleep(until: due)
            self?.reportIfUnseen()
        }
    }

    private func reportIfUnseen() {
        let isUnseen = state.withLock { state in
            !state.hasSeen && !state.finders.contains { $0.object != nil }
        }
        if isUnseen { reportUnseen() }
    }

    // MARK: Inside

    private func perform(_ change: (inout sending State) -> sending [SceneScreens.Action]) {
        for action in state.withLock(change) {
            switch action {
            case .show(let view):
                behavior.screenShown(view, mayComeLater: true)
            case .wait(let number, let scene):
                let (sleeper, due) = (sleeper, clock.now().monotonic.advanced(by: ScreenStack.delay))
                Task { [weak self] in
                    await sleeper.sleep(until: due)
                    self?.perform { $0.screens.timeCame(for: number, in: scene) }
                }
            }
        }
    }
}
