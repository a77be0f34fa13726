// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayBehavior
internal import TrackwayDelivery
internal import TrackwayEvents

/// Reports which of several overlapping screens is shown.
///
/// Each scene has one stack for all kinds of interfaces. Events contain the screen when a call returns, unless the
/// return to the app has not been recorded yet: then the screen follows it. No call waits for the disk. Safe from any
/// thread, usually called on the main thread.
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
    private let behavior: LifecycleController
    private let clock: any EventClock
    private let sleeper: any DeliverySleeper
    private let reportMissingScreens: @Sendable () -> Void

    /// The time by which a first screen must be named or detected.
    ///
    /// It begins with the first activation.
    package static let grace = Duration.seconds(2)

    /// Creates a tracker.
    ///
    /// - Parameter reportMissingScreens: Called once if screens are captured but nothing reports any.
    init(
        _ behavior: LifecycleController,
        in dependencies: Dependencies,
        reportMissingScreens: @escaping @Sendable () -> Void
    ) {
        self.behavior = behavior
        clock = dependencies.clock
        sleeper = dependencies.pacer
        self.reportMissingScreens = reportMissingScreens
    }

    // MARK: Screens

    /// Handles a screen that the platform detects and that begins to appear.
    ///
    /// - Parameters:
    ///   - id: Identifies the screen until it disappears.
    ///   - uniqueID: The unique id of its views.
    ///   - scene: The scene of the screen; nil if unknown.
    package func willAppear(_ id: Int, uniqueID: String, in scene: Int? = nil) {
        state.withLock { $0.screens.willAppear(id, uniqueID: uniqueID, in: scene) }
    }

    /// Handles a screen that appeared.
    ///
    /// - Parameters:
    ///   - id: Identifies the screen until it disappears.
    ///   - scene: The scene of the screen; nil if unknown.
    package func appeared(_ id: Int, _ view: ScreenView, in scene: Int? = nil) {
        perform { state in
            state.hasSeen = true
            return state.screens.appeared(id, view, in: scene)
        }
    }

    /// Handles a visible screen whose name changed.
    package func changed(_ id: Int, to view: ScreenView) {
        perform { $0.screens.changed(id, to: view) }
    }

    /// Whether a screen appeared and has not disappeared since.
    package func isShowing(_ id: Int) -> Bool { state.withLock { $0.screens.isShowing(id) } }

    /// Handles a screen that disappeared.
    package func disappeared(_ id: Int) {
        perform { $0.screens.disappeared(id) }
    }

    /// Forgets these screens; the shown screen does not change.
    package func forget(_ ids: Set<Int>) {
        state.withLock { $0.screens.forget(ids) }
    }

    /// Handles a call in which the app names the shown screen.
    func named(_ view: ScreenView) {
        let view = state.withLock { state in
            state.hasSeen = true
            return state.screens.named(view)
        }
        behavior.screenShown(view)
    }

    // MARK: Scenes

    /// Handles a scene that became active, or that the user used.
    package func sceneActivated(_ scene: Int) { perform { $0.screens.activated(scene) } }
    /// Handles a scene that is already active, possibly since before the first report.
    package func found(activeScene scene: Int) { state.withLock { $0.screens.found(active: scene) } }
    /// Handles a scene that is no longer active.
    package func sceneDeactivated(_ scene: Int) { perform { $0.screens.deactivated(scene) } }
    /// Handles a closed scene.
    package func sceneClosed(_ scene: Int) { perform { $0.screens.closed(scene) } }

    // MARK: Detecting missing screens

    /// Registers an object that detects screens during its lifetime.
    package func found(by finder: any AnyObject & Sendable) {
        let finder = Finder(object: finder)
        state.withLock { state in
            state.finders.removeAll { $0.object == nil }
            state.finders.append(finder)
        }
    }

    /// Handles the first activation of the app.
    ///
    /// By now, or soon, its screens should be detected or named.
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
        if isUnseen { reportMissingScreens() }
    }

    // MARK: Actions

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
