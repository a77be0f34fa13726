// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore
internal import TrackwayDelivery
package import TrackwayLifecycle

/// Determines which of several overlapping screens counts as shown.
///
/// Each scene has one stack for all kinds of interfaces. Events contain the screen when a call returns, unless the
/// return to the app has not been recorded yet: then the screen is recorded after the return. No call waits for the
/// disk. Safe from any thread, usually called on the main thread.
package final class ScreenTracker: Sendable {
    private struct Detector: Sendable {
        weak var object: (any AnyObject & Sendable)?
    }

    private struct State: Sendable {
        var screens = SceneScreens()
        var detectors: [Detector] = []
        var hasSeenScreen = false
        var isWaitingForScreen = false
    }

    private let state = Locked(State())
    private let lifecycle: LifecycleController
    private let clock: any EventClock
    private let sleeper: any DeliverySleeper
    private let reportMissingScreens: @Sendable () -> Void

    /// The time limit for naming or detecting a first screen.
    ///
    /// The time begins with the app's first activation.
    package static let gracePeriod = Duration.seconds(2)

    /// Creates a tracker.
    ///
    /// - Parameter reportMissingScreens: A closure that is called once if screens are to be captured but nothing
    ///   reports any.
    init(
        _ lifecycle: LifecycleController,
        in dependencies: Dependencies,
        reportMissingScreens: @escaping @Sendable () -> Void
    ) {
        self.lifecycle = lifecycle
        clock = dependencies.clock
        sleeper = dependencies.pacer
        self.reportMissingScreens = reportMissingScreens
    }

    // MARK: Screens

    /// Handles a detected screen that begins to appear.
    ///
    /// - Parameters:
    ///   - id: The screen's identifier until the screen disappears.
    ///   - uniqueID: The unique id of the screen's views.
    ///   - scene: The scene of the screen; nil if unknown.
    package func screenWillAppear(_ id: Int, uniqueID: String, in scene: Int? = nil) {
        state.withLock { $0.screens.willAppear(id, uniqueID: uniqueID, in: scene) }
    }

    /// Handles a screen that appeared.
    ///
    /// - Parameters:
    ///   - id: The screen's identifier until the screen disappears.
    ///   - scene: The scene of the screen; nil if unknown.
    package func screenAppeared(_ id: Int, _ view: ScreenView, in scene: Int? = nil) {
        perform { state in
            state.hasSeenScreen = true
            return state.screens.screenAppeared(id, view, in: scene)
        }
    }

    /// Handles a name change of a visible screen.
    package func screenChanged(_ id: Int, to view: ScreenView) {
        perform { $0.screens.screenChanged(id, to: view) }
    }

    /// Whether a screen appeared and has not disappeared since.
    package func isShowing(_ id: Int) -> Bool { state.withLock { $0.screens.isShowing(id) } }

    /// Handles a screen that disappeared.
    package func screenDisappeared(_ id: Int) {
        perform { $0.screens.screenDisappeared(id) }
    }

    /// Removes screens from the stacks without changing the shown screen.
    package func forget(_ ids: Set<Int>) {
        state.withLock { $0.screens.forget(ids) }
    }

    /// Handles a call in which the app names the shown screen.
    func screenNamed(_ view: ScreenView) {
        let view = state.withLock { state in
            state.hasSeenScreen = true
            return state.screens.screenNamed(view)
        }
        lifecycle.screenShown(view)
    }

    // MARK: Scenes

    /// Handles a scene that became active, or that the user interacted with.
    package func sceneActivated(_ scene: Int) { perform { $0.screens.sceneActivated(scene) } }
    /// Handles a scene that may have been active before the first report.
    package func noteActiveScene(_ scene: Int) { state.withLock { $0.screens.noteActive(scene: scene) } }
    /// Handles a scene that is no longer active.
    package func sceneDeactivated(_ scene: Int) { perform { $0.screens.sceneDeactivated(scene) } }
    /// Handles a closed scene.
    package func sceneClosed(_ scene: Int) { perform { $0.screens.sceneClosed(scene) } }

    // MARK: Detecting missing screens

    /// Registers an object that detects screens during its lifetime.
    package func register(detector: any AnyObject & Sendable) {
        let detector = Detector(object: detector)
        state.withLock { state in
            state.detectors.removeAll { $0.object == nil }
            state.detectors.append(detector)
        }
    }

    /// Handles the first activation of the app.
    ///
    /// From this point, the app's screens should be detected or named within ``gracePeriod``.
    func appBecameActive() {
        let isFirst = state.withLock { state in
            defer { state.isWaitingForScreen = true }
            return !state.isWaitingForScreen
        }
        guard isFirst else { return }
        let (sleeper, due) = (sleeper, clock.now().monotonic.advanced(by: Self.gracePeriod))
        Task { [weak self] in
            await sleeper.sleep(until: due)
            self?.reportMissingScreensIfNeeded()
        }
    }

    private func reportMissingScreensIfNeeded() {
        let isUnseen = state.withLock { state in
            !state.hasSeenScreen && !state.detectors.contains { $0.object != nil }
        }
        if isUnseen { reportMissingScreens() }
    }

    // MARK: Actions

    private func perform(_ change: (inout sending State) -> sending [SceneScreens.Action]) {
        for action in state.withLock(change) {
            switch action {
            case .show(let view):
                lifecycle.screenShown(view, mayComeLater: true)
            case .wait(let number, let scene):
                let (sleeper, due) = (sleeper, clock.now().monotonic.advanced(by: ScreenStack.delay))
                Task { [weak self] in
                    await sleeper.sleep(until: due)
                    self?.perform { $0.screens.timerFired(for: number, in: scene) }
                }
            }
        }
    }
}
