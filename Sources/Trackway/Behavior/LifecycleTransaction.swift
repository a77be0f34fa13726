// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayBehavior
internal import TrackwayEvents
internal import TrackwayJournal
internal import TrackwayPlatform

/// Handles one input of the ``LifecycleController``.
///
/// The controller and the context store are locked in the meantime. It passes the input to the machines, and carries
/// out their orders in order.
struct LifecycleTransaction {
    /// The search for the place of a process that captured and has ended.
    enum Search: Sendable {
        /// The turn searches for a place if it needs one.
        case open
        /// The caller searched before acquiring a lock; nil if another process captures.
        case sought(BehaviorResources.Place?)
    }

    /// The work to do once no lock is held.
    struct Outcome: Sendable {
        /// Whether state must be stored first.
        ///
        /// If so, the turn had no effect and is to be repeated afterwards.
        var isPutOff = false
        /// Whether pending events are to be sent.
        var wantsFlush = false
        /// The lock to release once the state is stored.
        var lockToRelease: (any StorageLock)?
        /// The result of the search for a place, unless this turn took the place.
        var place: Search
    }

    /// The maximum number of the provider's attributes in a captured event.
    ///
    /// The event limits apply in addition.
    private static let maxDynamic = 1_000

    private(set) var state: CaptureState
    private(set) var transaction: ContextTransaction
    /// The work to do afterwards.
    private(set) var outcome: Outcome
    /// Whether the turn may be put off until state has been stored.
    private let mayBePutOff: Bool
    /// Whether the turn has done something that cannot be undone.
    private var hasActed = false
    private let now: DeviceTime
    /// Whether the turn is to be repeated.
    var isPutOff: Bool { outcome.isPutOff }
    /// The attributes that the app's closure adds to events now.
    private let dynamic: Attributes
    private let resources: BehaviorResources

    init(
        _ state: CaptureState,
        _ transaction: ContextTransaction,
        at now: DeviceTime,
        adding dynamic: Attributes,
        with resources: BehaviorResources,
        mayBePutOff: Bool = false,
        place: Search = .open
    ) {
        self.mayBePutOff = mayBePutOff
        outcome = Outcome(place: place)
        self.state = state
        self.transaction = transaction
        self.now = now
        self.dynamic = dynamic
        self.resources = resources
    }

    // MARK: Inputs

    /// Starts capturing, if that has not happened yet and events may be recorded.
    mutating func begin() {
        guard case .pending(let noted) = state.phase, !resources.journal.isAwaitingStorage else { return }
        guard resources.gate.state.contains(.isOpen) else {
            // Observation is not permitted yet. If that changes, the SDK uses that time as the app's start.
            state.phase = .pending(since: nil)
            return
        }
        state.phase = .watching
        acquireCapture(at: noted ?? now, lastSign: state.lastSign)
        state.lastSign = nil
        guard case .watching = state.phase else { return }
        // Another process captures: this process's events belong to that session.
        if let kept = resources.file.readable { transaction.context.session = kept.behavior.session }
    }

    /// See ``LifecycleController/lifeCycleChanged(_:facts:stepsAside:)``.
    mutating func lifeCycleChanged(_ changes: [LifeCycleChange], facts: ContextFacts?, stepsAside: Bool) {
        if let facts {
            transaction.context.app = facts.app
            transaction.context.device = facts.device
        }
        for change in changes {
            takeOverCapture()
            state.app = state.app.after(change)
            if change == .didBecomeActive { state.undecided = nil }
            guard state.isActing, !state.isOver else { continue }
            carryOut(state.behavior.lifeCycleChanged(change, at: now))
        }
        guard stepsAside, !isPutOff, let lock = state.releaseCapture() else { return }
        if resources.keeper.isDeferring { outcome.lockToRelease = lock } else { lock.release() }
    }

    /// Notes activity at the time of an event of the app.
    mutating func noteActivity(at time: DeviceTime) {
        if state.isBeating { state.behavior.noteActivity(at: time) }
    }

    /// Handles user activity: replaces a session that has ended.
    ///
    /// The settings determine when a session ends.
    mutating func userActed() {
        if state.isBeating { carryOut(state.behavior.userActed(at: now)) }
    }

    /// Handles a launch that timed out without a foreground transition.
    mutating func launchTimedOut() {
        guard state.undecided != nil else { return }
        state.undecided = nil
        guard state.isActing else { return }
        carryOut(state.behavior.startedInBackground(began: state.began ?? now))
    }

    /// Handles a screen that was shown.
    mutating func screenShown(_ view: ScreenView) {
        takeOverCapture()
        guard !state.isActing else { return carryOut(state.behavior.screenShown(view, at: now)) }
        // The previous screen is unknown here. A screen that the app reports itself is recorded anyway.
        guard view.isManual else { return }
        transaction.context.screen = view.screen
        record(CapturedName.screenView, view.attributes.merging(Attributes(screen: view.screen)), at: now)
    }

    /// Stores the time of a heartbeat that is due.
    mutating func heartbeat() {
        guard state.isBeating else { return }
        carryOut(state.behavior.heartbeat(at: now))
    }

    /// Records crashes and hangs that the system reported.
    ///
    /// A report that arrives while another process captures is recorded at that process's next start.
    mutating func systemReportsArrived() {
        guard state.isActing, state.settings.capture.tellsOfCrashes else { return }
        _ = recordCrashes(in: CaptureState.SessionAndScreen())
    }

    /// Changes the settings for what is captured.
    mutating func settingsChanged(to settings: BehaviorSettings) {
        guard settings != state.settings else { return }
        state.settings = settings
        switch state.phase {
        case .off where settings.capture.isCapturing:
            state.phase = .pending(since: now)
            begin()
        case .acting:
            carryOut(state.behavior.settingsChanged(settings, at: now))
            if let former = state.former, settings.capture.tellsOfCrashes { _ = recordCrashes(in: former) }
        case .off, .pending, .watching:
            break
        }
    }

    /// Names new sessions after another user.
    mutating func uniqueIDChanged(to uniqueID: String) {
        guard state.isActing else { return }
        carryOut(state.behavior.uniqueIDChanged(to: uniqueID))
    }

    /// Discards the screens of the user who left.
    mutating func personChanged() {
        guard state.isActing else { return }
        carryOut(state.behavior.personChanged())
    }

    // MARK: Which process captures

    /// Takes over from a process that captured and has ended, or resumes capturing.
    private mutating func takeOverCapture() {
        guard case .watching = state.phase else { return }
        acquireCapture(at: now)
    }

    /// - Parameter lastSign: The time of the previous process's last record, if it was read before any of its journal
    ///   could be removed.
    private mutating func acquireCapture(at start: DeviceTime, lastSign: DeviceTime? = nil) {
        do throws(StorageError) {
            let found: BehaviorResources.Place?
            switch outcome.place {
            case .open:
                found = try resources.place()
                hasActed = true
            case .sought(let place):
                // If the turn is postponed, the next one finds the place again.
                found = place
                outcome.place = .sought(nil)
            }
            // The state owns the lock from here on.
            guard let place = found else { return }
            let content = place.content
            state.phase = .acting(place.lock)
            switch content {
            case .nothing:
                state.behavior = resources.beginning
            case .kept(let kept, let bytes):
                if bytes == resources.keeper.written { return }  // Unchanged since the last access here.
                resources.keeper.found(bytes)
                state.behavior = kept.behavior
                outlive(lastSign ?? resources.lastSign(kept), before: start)
            case .damaged(let what):
                transaction.report(Diagnostic(behaviorDamaged: what))
                state.behavior = LifecycleStateMachine()
            }
            startProcess(content, at: start)
        } catch {
            // Do not create new state while the stored one cannot be read: the next change tries again.
            report(error)
        }
    }

    /// Extends the previous process's life to its last record.
    ///
    /// That record may be long after the stored heartbeat.
    private mutating func outlive(_ sign: DeviceTime?, before start: DeviceTime) {
        guard let sign, start.elapsed(since: sign) != nil else { return }
        // These actions are ignored; the start stores their result.
        _ = state.behavior.heartbeat(at: sign)
        state.behavior.noteActivity(at: sign)
    }

    private mutating func startProcess(_ content: StateFile<PersistedLifecycle>.Content, at start: DeviceTime) {
        let process = ProcessStart(
            state: state.app,
            isPending: state.undecided != nil,
            appVersion: transaction.context.app["version"]?.string,
            systemVersion: transaction.context.device["os_version"]?.string,
            sessionPrefix: transaction.context.user.uniqueID ?? resources.journal.installation.description.uppercased(),
            settings: state.settings
        )
        let former = CaptureState.SessionAndScreen(session: state.behavior.session, screen: state.behavior.screen)
        if state.settings.capture.tellsOfCrashes {
            // The process lived at least until its crash. The actions are ignored; the start stores their result.
            if let last = recordCrashes(in: former) { _ = state.behavior.heartbeat(at: last) }
        } else {
            // The settings may include crashes later.
            state.former = former
        }
        var actions = state.behavior.processStarted(process, at: start)
        // The stored state is lost, but the installation is known to have existed.
        if case .damaged = content { actions = actions.compactMap(\.ofKnownInstallation) }
        carryOut(actions)
    }

    /// Records the crashes that ended earlier processes.
    ///
    /// Each event has the session and screen in which the crash happened. This comes before the processes' exit, which
    /// did not happen before the crash. A report is removed once its event is in the journal. If the process is killed
    /// in between, the event is recorded again with the same id, and every receiver counts it once.
    ///
    /// Crash reports of the system have no session and no screen, because their times are only approximate.
    ///
    /// - Returns: The time of the last crash that a process reported itself; nil if none did.
    private mutating func recordCrashes(in former: CaptureState.SessionAndScreen) -> DeviceTime? {
        state.former = nil
        var last: DeviceTime?
        do throws(StorageError) {
            let reports = try resources.crashes.pending()
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
                if receipt.durability != .none { try resources.crashes.remove(report, remembering: remembers) }
            }
        } catch {
            report(error)
        }
        return last
    }

    // MARK: Actions

    private mutating func carryOut(_ actions: [BehaviorAction]) {
        if actions.contains(where: \.isRecord) { state.isUnflushed = true }
        for (index, action) in actions.enumerated() where !isPutOff {
            switch action {
            case .record(let name, let attributes, let time):
                record(name, attributes, at: time)
            case .context(let session, let screen):
                transaction.context.session = session
                transaction.context.screen = screen
            case .flush:
                outcome.wantsFlush = true
            case .save:
                save(beforeEvents: actions[index...].contains { $0.isRecord })
            case .openWindow, .closeWindow:
                // The source of the input grants the time for this, if any; it ends with the flush.
                continue
            case .background:
                // Timers receive the input directly, because they also run in processes that do not capture.
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
        hasActed = true
        let boot = transaction.context.boot
        defer { transaction.context.boot = boot }
        // A recovered event may be from an earlier boot, whose monotonic times are meaningless in this one.
        if time.boot != now.boot { transaction.context.boot = time.boot }
        return transaction.record(
            name,
            attributes.adding(shared: dynamic, toRecord: name, most: Self.maxDynamic),
            at: time.moment,
            id: id
        )
    }

    /// Stores the state.
    ///
    /// If the app's threads may wait for the disk, the state has reached the kernel when this returns, so that it
    /// survives a kill right afterwards. Otherwise the state is only submitted. It is written immediately only before
    /// events that must not be recorded twice.
    private mutating func save(beforeEvents: Bool) {
        let keeper = resources.keeper
        do throws(StorageError) {
            let bytes = try resources.file.bytes(of: PersistedLifecycle(state.behavior, by: resources.journal.writer))
            guard !keeper.holds(bytes) else { return }
            keeper.handIn(bytes)
            guard beforeEvents || !keeper.isDeferring else { return }
            // Other threads must not be blocked on the file by the locks that are held here.
            if mayBePutOff, !hasActed { return outcome.isPutOff = true }
            try keeper.settle()
            state.failure.worked()
        } catch {
            report(error)
        }
    }

    private mutating func report(_ error: StorageError) {
        if state.failure.failed() { transaction.report(Diagnostic(behaviorNotKept: error)) }
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
