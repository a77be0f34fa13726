// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayBehavior
internal import TrackwayEvents
internal import TrackwayJournal
internal import TrackwayPlatform

extension BehaviorDriver {
    /// Begins to capture, if that is still to be done and events may be recorded.
    func begin(_ state: inout State, _ transaction: inout ContextTransaction, _ turn: Turn) {
        guard case .pending(let noted) = state.phase else { return }
        guard control.gate.state.contains(.isOpen) else {
            // Nothing may be watched yet. Should that change, the app begins then, for us.
            state.phase = .pending(since: nil)
            return
        }
        state.phase = .watching
        takeStage(&state, &transaction, turn, at: noted ?? turn.now, lastSign: state.lastSign)
        state.lastSign = nil
        guard case .watching = state.phase else { return }
        // Another process captures: what this one records belongs to that session.
        if case .kept(let behavior, _) = try? file.read() { transaction.context.session = behavior.session }
    }

    /// Takes the place of a process that captured and is gone, or one's own again.
    func stepOn(_ state: inout State, _ transaction: inout ContextTransaction, _ turn: Turn) {
        guard case .watching = state.phase else { return }
        takeStage(&state, &transaction, turn, at: turn.now)
    }

    /// Gives the lock back: whoever is stopped by the system must not hold one.
    func stepAside(_ state: inout State) {
        guard case .acting(let lock) = state.phase else { return }
        lock.release()
        state.phase = .watching
    }

    /// The installation was erased: nothing of what was known is true any more.
    func forget() throws(StorageError) {
        // With the lock, if somebody gives it: what is removed here must not be written again by another process.
        change { state in
            stepAside(&state)
            state.phase = .off
            state.behavior = AppBehavior()
            state.kept = nil
        }
        contextStore.perform { transaction in
            transaction.context.session = nil
            transaction.context.screen = nil
        }
        try file.remove()
        try crashes.removeAll()
    }

    /// A new installation has begun; its first event brings its start about.
    func beginAnew() {
        change { state in
            if case .off = state.phase, state.settings.capture.isCapturing, !state.isOver {
                state.phase = .pending(since: nil)
            }
        }
    }

    /// - Parameter lastSign: when the process before recorded last, as far as it was read before anything of its journal
    ///   could be removed.
    private func takeStage(
        _ state: inout State,
        _ transaction: inout ContextTransaction,
        _ turn: Turn,
        at start: DeviceTime,
        lastSign: DeviceTime? = nil
    ) {
        do throws(StorageError) {
            guard let lock = try file.lock() else { return }
            let content = try file.read()
            state.phase = .acting(lock)
            if case .kept(_, let bytes) = content, bytes == state.kept { return }  // Nobody was here meanwhile.
            state.behavior = behavior(content, &state, &transaction)
            if case .kept(_, let bytes) = content {
                outlive(&state.behavior, lastSign ?? file.lastSign(in: bytes), before: start)
            }
            startProcess(content, &state, &transaction, turn, at: start)
        } catch {
            // Nothing is made up while what is known cannot be read: the next change tries again.
            report(error, &state, &transaction)
        }
    }

    /// The process before lived at least until it recorded last, which may be long after the heartbeat that it kept.
    private func outlive(_ behavior: inout AppBehavior, _ sign: DeviceTime?, before start: DeviceTime) {
        guard let sign, start.elapsed(since: sign) != nil else { return }
        // What it orders is kept with the start.
        _ = behavior.heartbeat(at: sign)
    }

    private func behavior(
        _ content: BehaviorFile.Content,
        _ state: inout State,
        _ transaction: inout ContextTransaction
    ) -> AppBehavior {
        switch content {
        case .nothing:
            return AppBehavior()
        case .kept(let behavior, let bytes):
            state.kept = bytes
            return behavior
        case .damaged(let what):
            transaction.report(
                Diagnostic(
                    code: .behaviorDamaged,
                    field: "behavior",
                    value: what,
                    remedy: "Nothing is to be done: sessions are counted from 1 again, and no event is lost."
                )
            )
            return AppBehavior()
        }
    }

    private func startProcess(
        _ content: BehaviorFile.Content,
        _ state: inout State,
        _ transaction: inout ContextTransaction,
        _ turn: Turn,
        at start: DeviceTime
    ) {
        let process = ProcessStart(
            state: state.app,
            appVersion: transaction.context.app["version"]?.string,
            systemVersion: transaction.context.device["os_version"]?.string,
            sessionPrefix: transaction.context.user.uniqueID ?? installation().description.uppercased(),
            settings: state.settings
        )
        let former = SessionAndScreen(session: state.behavior.session, screen: state.behavior.screen)
        if state.settings.capture.contains(.crashes) {
            let last = recordCrashes(in: former, &state, &transaction, turn)
            // The process lived until then; what it orders is kept with the start.
            if let last { _ = state.behavior.heartbeat(at: last) }
        } else {
            // Somebody may yet want to know.
            state.former = former
        }
        var actions = state.behavior.processStarted(process, at: start)
        // What was known is lost; that the installation existed is not.
        if case .damaged = content { actions = actions.compactMap(\.ofKnownInstallation) }
        carryOut(actions, &state, &transaction, turn)
    }
}

extension BehaviorAction {
    /// The same for an installation that ran before; nil when it would not have been ordered.
    fileprivate var ofKnownInstallation: BehaviorAction? {
        guard case .record(let name, var attributes, let time) = self else { return self }
        if name == CapturedName.firstOpen { return nil }
        if attributes[CapturedKey.isFirstStart] != nil { attributes[CapturedKey.isFirstStart] = false }
        return .record(name: name, attributes: attributes, at: time)
    }
}
