// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayBehavior
internal import TrackwayEvents

extension BehaviorDriver {
    /// Records the start, if it has not been recorded yet and may be.
    package func begin() {
        guard control.gate.state.isSuperset(of: [.isOpen, .startPending]) else { return }
        step { _, _, _ in }
    }

    /// The system, or the app in its place, changed the app's life in this order.
    ///
    /// - Parameters:
    ///   - facts: the facts as read anew, when the app comes back; nil when they are as before.
    ///   - stepsAside: whether the process may be stopped now, and must not take the lock with it.
    func lifeCycleChanged(_ changes: [LifeCycleChange], facts: ContextFacts?, stepsAside: Bool) {
        step { state, transaction, turn in
            if let facts {
                transaction.context.app = facts.app
                transaction.context.device = facts.device
            }
            for change in changes {
                stepOn(&state, &transaction, turn)
                state.app = state.app.after(change)
                guard state.isActing else { continue }
                carryOut(state.behavior.lifeCycleChanged(change, at: turn.now), &state, &transaction, turn)
            }
            if stepsAside { stepAside(&state) }
        }
    }

    /// A screen was shown.
    package func screenShown(_ view: ScreenView) {
        step { state, transaction, turn in
            stepOn(&state, &transaction, turn)
            guard !state.isActing else {
                return carryOut(state.behavior.screenShown(view, at: turn.now), &state, &transaction, turn)
            }
            // Nobody here knows what was shown before. What the app says itself counts all the same.
            guard view.isManual else { return }
            transaction.context.screen = view.screen
            let attributes = view.attributes.merging(Attributes(screen: view.screen))
            transaction.record(
                CapturedName.screenView,
                attributes.adding(shared: turn.dynamic, toRecord: CapturedName.screenView, most: Self.maxDynamic),
                at: turn.now.moment
            )
        }
        told(of: view.screen)
    }

    /// Half a minute in the foreground went by.
    package func heartbeat() {
        step(records: false) { state, transaction, turn in
            guard state.isBeating else { return }
            carryOut(state.behavior.heartbeat(at: turn.now), &state, &transaction, turn)
        }
    }

    /// The app, or a back-end, chose what is captured.
    package func settingsChanged(to settings: BehaviorSettings) {
        var isDone = false
        change { state in
            isDone = settings == state.settings
            guard !isDone, case .pending = state.phase else { return }
            // What is chosen before the start was recorded says how the app begins, and does not bring the start about.
            state.settings = settings
            if !settings.capture.isCapturing { state.phase = .off }
            isDone = true
        }
        guard !isDone else { return }
        step { state, transaction, turn in
            guard settings != state.settings else { return }
            state.settings = settings
            switch state.phase {
            case .off where settings.capture.isCapturing:
                state.phase = .pending(since: turn.now)
                begin(&state, &transaction, turn)
            case .acting:
                carryOut(state.behavior.settingsChanged(settings, at: turn.now), &state, &transaction, turn)
                if let former = state.former, settings.capture.contains(.crashes) {
                    recordCrashes(in: former, &state, &transaction, turn)
                }
            case .off, .pending, .watching:
                break
            }
        }
    }

    /// Another person is signed in: sessions that begin from now on are named after them.
    package func uniqueIDChanged(to uniqueID: String) {
        step(records: false) { state, transaction, turn in
            guard state.isActing else { return }
            carryOut(state.behavior.uniqueIDChanged(to: uniqueID), &state, &transaction, turn)
        }
    }

    /// The app is done: from now on nothing happens by itself.
    package func end() {
        begin()
        change { $0.isOver = true }
    }

    /// The front door is gone: another one may capture.
    package func abandon() {
        change { state in
            stepAside(&state)
            state.phase = .off
            state.isOver = true
        }
    }
}

extension CaptureOptions {
    /// Whether anything is captured that the behaviour machines know about.
    var isCapturing: Bool { !isEmpty }
}

extension Attributes {
    /// A screen as the event of its being shown says it.
    init(screen: RecordedContext.Screen) {
        self = [CapturedKey.screenName: .string(screen.name)]
        if let id = screen.id { self[CapturedKey.screenID] = .string(id) }
        if let uniqueID = screen.uniqueID { self[CapturedKey.screenUniqueID] = .string(uniqueID) }
    }
}
