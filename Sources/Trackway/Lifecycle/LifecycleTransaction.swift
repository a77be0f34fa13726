// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore
internal import TrackwayJournal
internal import TrackwayLifecycle
internal import TrackwayPlatform

/// Handles one input of the ``LifecycleController``.
///
/// The controller and the context store are locked during the transaction. The transaction passes the input to the
/// machines and performs their actions in order.
struct LifecycleTransaction: ~Copyable {
    /// The way in which the lock of the capturing process is acquired.
    enum Acquisition: Sendable {
        /// The transaction acquires the lock if necessary.
        case onDemand
        /// The caller already tried; nil if another process captures.
        ///
        /// The caller tried before acquiring its own lock.
        case attempted(LifecycleResources.Acquired?)
    }

    /// The work to do once no lock is held.
    struct Outcome: Sendable {
        /// Whether state must be stored before the transaction can run.
        ///
        /// If so, the transaction had no effect and must be repeated afterward.
        var isPostponed = false
        /// Whether pending events should be sent.
        var wantsFlush = false
        /// The lock to release once the state is stored.
        var lockToRelease: (any StorageLock)?
        /// The result of the lock acquisition, unless this transaction used it.
        var acquisition: Acquisition
    }

    /// The maximum number of the provider's attributes in a captured event.
    ///
    /// The event limits also apply.
    private static let maxDynamic = 1_000

    private(set) var state: CaptureState
    private(set) var transaction: ContextTransaction
    /// The work to do afterward.
    private(set) var outcome: Outcome
    /// Whether the transaction may be postponed until state has been stored.
    private let canPostpone: Bool
    /// Whether the transaction has done something that cannot be undone.
    private var hasSideEffects = false
    private let now: DeviceTime
    /// Whether the transaction must be repeated.
    var isPostponed: Bool { outcome.isPostponed }
    /// The attributes that the app's closure adds to the transaction's events.
    private let dynamic: Attributes
    private let resources: LifecycleResources

    init(
        _ state: CaptureState,
        _ transaction: ContextTransaction,
        at now: DeviceTime,
        adding dynamic: Attributes,
        with resources: LifecycleResources,
        canPostpone: Bool = false,
        acquisition: Acquisition = .onDemand
    ) {
        self.canPostpone = canPostpone
        outcome = Outcome(acquisition: acquisition)
        self.state = state
        self.transaction = transaction
        self.now = now
        self.dynamic = dynamic
        self.resources = resources
    }

    // MARK: Inputs

    /// Starts capturing if events may be recorded, unless already started.
    mutating func begin() {
        guard case .pending(let startTime) = state.phase, !resources.journal.isAwaitingStorage else { return }
        guard resources.gate.state.contains(.isOpen) else {
            // Observation is not permitted yet. If it becomes permitted, the time of that change counts as the app's
            // start.
            state.phase = .pending(since: nil)
            return
        }
        state.phase = .standby
        acquireCapture(at: startTime ?? now, lastRecordTime: state.lastRecordTime)
        state.lastRecordTime = nil
        guard case .standby = state.phase else { return }
        // Another process captures: this process's events belong to the session of that process.
        if let persisted = resources.file.storedValue { transaction.context.session = persisted.behavior.session }
    }

    /// See ``LifecycleController/lifecycleChanged(_:facts:stepsAside:)``.
    mutating func lifecycleChanged(_ changes: [LifecycleChange], facts: ContextFacts?, stepsAside: Bool) {
        if let facts {
            transaction.context.app = facts.app
            transaction.context.device = facts.device
        }
        for change in changes {
            takeOverCapture()
            state.app = state.app.after(change)
            if change == .didBecomeActive { state.undecidedReason = nil }
            guard state.isCapturing, !state.hasEnded else { continue }
            carryOut(state.machine.lifecycleChanged(change, at: now))
        }
        guard stepsAside, !isPostponed, let lock = state.releaseCapture() else { return }
        if resources.persister.isAsynchronous { outcome.lockToRelease = lock } else { lock.release() }
    }

    /// Notes activity at the time of one of the app's events.
    mutating func noteActivity(at time: DeviceTime) {
        if state.needsHeartbeats { state.machine.noteActivity(at: time) }
    }

    /// Handles user activity: replaces a session that has ended.
    ///
    /// The settings determine when a session ends.
    mutating func userActed() {
        if state.needsHeartbeats { carryOut(state.machine.userActed(at: now)) }
    }

    /// Handles a launch that timed out without a foreground transition.
    mutating func launchTimedOut() {
        guard state.undecidedReason != nil else { return }
        state.undecidedReason = nil
        guard state.isCapturing else { return }
        carryOut(state.machine.startedInBackground(began: state.startTime ?? now))
    }

    /// Handles a screen that was shown.
    mutating func screenShown(_ view: ScreenView) {
        takeOverCapture()
        guard !state.isCapturing else { return carryOut(state.machine.screenShown(view, at: now)) }
        // The previous screen is unknown here. A screen that the app reports itself is recorded anyway.
        guard view.isManual else { return }
        transaction.context.screen = view.screen
        record(CapturedName.screenView, view.attributes.merging(Attributes(screen: view.screen)), at: now)
    }

    /// Stores the time of a heartbeat that is due.
    mutating func heartbeat() {
        guard state.needsHeartbeats else { return }
        carryOut(state.machine.noteHeartbeat(at: now))
    }

    /// Records crashes and hangs that the system reported.
    ///
    /// A report that arrives while another process captures is recorded at that process's next start.
    mutating func systemReportsArrived() {
        guard state.isCapturing, state.settings.capture.includesCrashes else { return }
        _ = recordCrashes(in: CaptureState.SessionAndScreen())
    }

    /// Changes the capture settings.
    mutating func settingsChanged(to settings: LifecycleSettings) {
        guard settings != state.settings else { return }
        state.settings = settings
        switch state.phase {
        case .off where settings.capture.isCapturing:
            state.phase = .pending(since: now)
            begin()
        case .capturing:
            carryOut(state.machine.settingsChanged(settings, at: now))
            if let former = state.previousProcess, settings.capture.includesCrashes { _ = recordCrashes(in: former) }
        case .off, .pending, .standby:
            break
        }
    }

    /// Bases the ids of new sessions on another user.
    mutating func uniqueIDChanged(to uniqueID: String) {
        guard state.isCapturing else { return }
        carryOut(state.machine.uniqueIDChanged(to: uniqueID))
    }

    /// Discards the screens of the previous user.
    mutating func personChanged() {
        guard state.isCapturing else { return }
        carryOut(state.machine.personChanged())
    }

    // MARK: Which process captures

    /// Takes over from a process that captured and has ended, or resumes capturing.
    private mutating func takeOverCapture() {
        guard case .standby = state.phase else { return }
        acquireCapture(at: now)
    }

    /// - Parameter lastRecordTime: The time of the previous process's last record, if it was read before any part of
    ///   that process's journal could be removed.
    private mutating func acquireCapture(at start: DeviceTime, lastRecordTime: DeviceTime? = nil) {
        do throws(StorageError) {
            let found: LifecycleResources.Acquired?
            switch outcome.acquisition {
            case .onDemand:
                found = try resources.acquire()
                hasSideEffects = true
            case .attempted(let acquired):
                // If the transaction is postponed, the next one gets the result again.
                found = acquired
                outcome.acquisition = .attempted(nil)
            }
            // The state owns the lock from here on.
            guard let acquired = found else { return }
            let content = acquired.content
            state.phase = .capturing(acquired.lock)
            switch content {
            case .missing:
                state.machine = resources.initialState
            case .stored(let persisted, let bytes):
                if bytes == resources.persister.written { return }  // Unchanged since our last access.
                resources.persister.noteStored(bytes)
                state.machine = persisted.behavior
                extendPreviousProcess(lastRecordTime ?? resources.lastRecordTime(persisted), before: start)
            case .damaged(let what):
                transaction.report(Diagnostic(behaviorDamaged: what))
                state.machine = LifecycleStateMachine()
            }
            startProcess(content, at: start)
        } catch {
            // Do not create new state while the stored one cannot be read: the next change retries.
            report(error)
        }
    }

    /// Extends the previous process's lifetime to its last record.
    ///
    /// The last record may be much later than the stored heartbeat.
    private mutating func extendPreviousProcess(_ lastRecord: DeviceTime?, before start: DeviceTime) {
        guard let lastRecord, start.elapsed(since: lastRecord) != nil else { return }
        // The returned actions are ignored, because the start stores their result.
        _ = state.machine.noteHeartbeat(at: lastRecord)
        state.machine.noteActivity(at: lastRecord)
    }

    private mutating func startProcess(_ content: StateFile<PersistedLifecycle>.Content, at start: DeviceTime) {
        let process = ProcessStart(
            state: state.app,
            isPending: state.undecidedReason != nil,
            appVersion: transaction.context.app["version"]?.string,
            systemVersion: transaction.context.device["os_version"]?.string,
            sessionPrefix: transaction.context.user.uniqueID ?? resources.journal.installation.description.uppercased(),
            settings: state.settings
        )
        let former = CaptureState.SessionAndScreen(session: state.machine.session, screen: state.machine.screen)
        if state.settings.capture.includesCrashes {
            // The process lived at least until its crash. The returned actions are ignored, because the start stores
            // their result.
            if let last = recordCrashes(in: former) { _ = state.machine.noteHeartbeat(at: last) }
        } else {
            // A later settings change may include crashes.
            state.previousProcess = former
        }
        var actions = state.machine.processStarted(process, at: start)
        // The stored state is lost, but the installation is known to have existed.
        if case .damaged = content { actions = actions.compactMap(\.forExistingInstallation) }
        carryOut(actions)
    }

    /// Records the crashes that ended earlier processes.
    ///
    /// Each event has the session and screen in which the crash happened. Crashes are recorded before the exit of their
    /// process, because the exit did not precede the crash. A report is removed once its event is in the journal. If
    /// this process is killed between the two, the event is recorded again with the same id, and every receiver counts
    /// it once.
    ///
    /// Crash reports from the system have no session and no screen, because their times are only approximate.
    ///
    /// - Returns: The time of the last crash that a process reported itself; nil if there is none.
    private mutating func recordCrashes(in former: CaptureState.SessionAndScreen) -> DeviceTime? {
        state.previousProcess = nil
        var last: DeviceTime?
        do throws(StorageError) {
            let reports = try resources.crashReports.pending()
            guard !reports.isEmpty else { return nil }
            let before = transaction.context
            defer {
                (transaction.context.session, transaction.context.screen) = (before.session, before.screen)
                transaction.context.boot = before.boot
            }
            for report in reports {
                if report.isOwn { last = report.at }
                transaction.context.session = report.isOwn ? former.session : nil
                transaction.context.screen = report.isOwn ? former.screen : nil
                let receipt = record(CapturedName.appException, report.attributes, at: report.at, id: report.id)
                let remembers = state.settings.capture.contains(.systemReports)
                if receipt.durability != .none { try resources.crashReports.remove(report, remembering: remembers) }
            }
        } catch {
            report(error)
        }
        return last
    }

    // MARK: Actions

    private mutating func carryOut(_ actions: [LifecycleAction]) {
        if actions.contains(where: \.recordsEvent) { state.isUnflushed = true }
        for (index, action) in actions.enumerated() where !isPostponed {
            switch action {
            case .record(let name, let attributes, let time):
                record(name, attributes, at: time)
            case .context(let session, let screen):
                transaction.context.session = session
                transaction.context.screen = screen
            case .flush:
                outcome.wantsFlush = true
            case .save:
                save(beforeEvents: actions[index...].contains { $0.recordsEvent })
            case .openWindow, .closeWindow:
                // Any background time for the flush comes from the source of the input, and ends with the flush.
                continue
            case .background:
                // Timers receive the input directly, because timers also run in processes that do not capture.
                continue
            }
        }
    }

    @discardableResult
    private mutating func record(
        _ name: String,
        _ attributes: Attributes,
        at time: DeviceTime,
        id: EventID? = nil
    ) -> Receipt {
        hasSideEffects = true
        let boot = transaction.context.boot
        defer { transaction.context.boot = boot }
        // A recovered event may be from an earlier boot, whose monotonic times are meaningless in this one.
        if time.boot != now.boot { transaction.context.boot = time.boot }
        return transaction.record(
            name,
            attributes.adding(shared: dynamic, toRecord: name, limit: Self.maxDynamic),
            at: time.moment,
            id: id
        )
    }

    /// Stores the state.
    ///
    /// If the app's threads may wait for the disk, the state has reached the kernel when this returns, so that it
    /// survives a kill right afterward. Otherwise, the state is only submitted, and is written immediately only before
    /// events that must not be recorded twice.
    private mutating func save(beforeEvents: Bool) {
        let persister = resources.persister
        do throws(StorageError) {
            let bytes = try resources.file.bytes(of: PersistedLifecycle(state.machine, by: resources.journal.writer))
            guard !persister.contains(bytes) else { return }
            persister.submit(bytes)
            guard beforeEvents || !persister.isAsynchronous else { return }
            // Writing here would make other threads wait for the file, because locks are held.
            if canPostpone, !hasSideEffects { return outcome.isPostponed = true }
            try persister.writePending()
            state.failure.noteSuccess()
        } catch {
            report(error)
        }
    }

    private mutating func report(_ error: StorageError) {
        if state.failure.noteFailure() { transaction.report(Diagnostic(behaviorNotKept: error)) }
    }
}

extension Attributes {
    /// Creates the attributes of a screen's view event.
    init(screen: RecordedContext.Screen) {
        self = [CapturedKey.screenName: .string(screen.name)]
        if let id = screen.id { self[CapturedKey.screenID] = .string(id) }
        if let uniqueID = screen.uniqueID { self[CapturedKey.screenUniqueID] = .string(uniqueID) }
    }
}
