// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayBehavior
internal import TrackwayEvents
internal import TrackwayJournal
internal import TrackwayPlatform

/// One input of the ``BehaviorDriver``, while the driver and the context store are held: asks the machines and carries out
/// what they order, in order.
struct BehaviorTurn {
    /// Who looks for the place of a process that captured and is gone.
    enum Search: Sendable {
        /// The turn does, should it need one.
        case open
        /// Whoever took the turn did, and held no lock yet; nil while another process captures.
        case sought(BehaviorResources.Place?)
    }

    /// What is to be done once no lock is held any more.
    struct Outcome: Sendable {
        /// What must be kept before any of this happens: the turn has come to nothing, and is to be taken again afterwards.
        var isPutOff = false
        /// Whether what waits is to be sent.
        var wantsFlush = false
        /// The lock to give back once everything is kept.
        var lockToRelease: (any StorageLock)?
        /// What was found where the state is kept, unless this turn took it.
        var place: Search
    }

    /// How many attributes of the app's closure a captured event takes; the limits on an event see to the rest.
    private static let maxDynamic = 1_000

    private(set) var state: BehaviorState
    private(set) var transaction: ContextTransaction
    /// What is to be done afterwards.
    private(set) var outcome: Outcome
    /// Whether the turn may be put off until what must be kept first has been.
    private let mayBePutOff: Bool
    /// True once something was done that cannot be taken back.
    private var hasActed = false
    private let now: DeviceTime
    /// Whether this is to be taken again.
    var isPutOff: Bool { outcome.isPutOff }
    /// What the app's closure adds to events now.
    private let dynamic: Attributes
    private let resources: BehaviorResources

    init(
        _ state: BehaviorState,
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

    /// Begins to capture, if that is still to be done and events may be recorded.
    mutating func begin() {
        guard case .pending(let noted) = state.phase, !resources.journal.isAwaitingStorage else { return }
        guard resources.gate.state.contains(.isOpen) else {
            // Nothing may be watched yet. Should that change, the app begins then, for us.
            state.phase = .pending(since: nil)
            return
        }
        state.phase = .watching
        takePlace(at: noted ?? now, lastSign: state.lastSign)
        state.lastSign = nil
        guard case .watching = state.phase else { return }
        // Another process captures: what this one records belongs to that session.
        if let kept = resources.file.readable { transaction.context.session = kept.behavior.session }
    }

    /// See ``BehaviorDriver/lifeCycleChanged(_:facts:stepsAside:)``.
    mutating func lifeCycleChanged(_ changes: [LifeCycleChange], facts: ContextFacts?, stepsAside: Bool) {
        if let facts {
            transaction.context.app = facts.app
            transaction.context.device = facts.device
        }
        for change in changes {
            stepOn()
            state.app = state.app.after(change)
            if change == .didBecomeActive { state.undecided = nil }
            guard state.isActing, !state.isOver else { continue }
            carryOut(state.behavior.lifeCycleChanged(change, at: now))
        }
        guard stepsAside, !isPutOff, let lock = state.steppedAside() else { return }
        if resources.keeper.isDeferring { outcome.lockToRelease = lock } else { lock.release() }
    }

    /// The user did something at this time, which an event of the app tells of.
    mutating func noteActivity(at time: DeviceTime) {
        if state.isBeating { state.behavior.noteActivity(at: time) }
    }

    /// The user does something: a session that is over by the settings gives way to the next one.
    mutating func userActed() {
        if state.isBeating { carryOut(state.behavior.userActed(at: now)) }
    }

    /// Nobody opened the app while it could have been for a person.
    mutating func launchTimedOut() {
        guard state.undecided != nil else { return }
        state.undecided = nil
        guard state.isActing else { return }
        carryOut(state.behavior.startedUnseen(began: state.began ?? now))
    }

    /// A screen was shown.
    mutating func screenShown(_ view: ScreenView) {
        stepOn()
        guard !state.isActing else { return carryOut(state.behavior.screenShown(view, at: now)) }
        // Nobody here knows what was shown before. What the app says itself counts all the same.
        guard view.isManual else { return }
        transaction.context.screen = view.screen
        record(CapturedName.screenView, view.attributes.merging(Attributes(screen: view.screen)), at: now)
    }

    /// Some time in the foreground went by, which is worth keeping.
    mutating func heartbeat() {
        guard state.isBeating else { return }
        carryOut(state.behavior.heartbeat(at: now))
    }

    /// The system told of a crash or a hang. What comes while another process captures is told by that one's next start.
    mutating func systemReportsArrived() {
        guard state.isActing, state.settings.capture.tellsOfCrashes else { return }
        _ = recordCrashes(in: BehaviorState.SessionAndScreen())
    }

    /// The app, or a back-end, chose what is captured.
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

    /// Sessions that begin from now on are named after another person.
    mutating func uniqueIDChanged(to uniqueID: String) {
        guard state.isActing else { return }
        carryOut(state.behavior.uniqueIDChanged(to: uniqueID))
    }

    /// The person who used the app left.
    mutating func personChanged() {
        guard state.isActing else { return }
        carryOut(state.behavior.personChanged())
    }

    // MARK: Which process captures

    /// Takes the place of a process that captured and is gone, or one's own again.
    private mutating func stepOn() {
        guard case .watching = state.phase else { return }
        takePlace(at: now)
    }

    /// - Parameter lastSign: when the process before recorded last, as far as it was read before anything of its journal
    ///   could be removed.
    private mutating func takePlace(at start: DeviceTime, lastSign: DeviceTime? = nil) {
        do throws(StorageError) {
            let found: BehaviorResources.Place?
            switch outcome.place {
            case .open:
                found = try resources.place()
                hasActed = true
            case .sought(let place):
                // Should the turn be put off, the next one finds it again.
                found = place
                outcome.place = .sought(nil)
            }
            // Its lock is the state's from here on.
            guard let place = found else { return }
            let content = place.content
            state.phase = .acting(place.lock)
            switch content {
            case .nothing:
                state.behavior = resources.beginning
            case .kept(let kept, let bytes):
                if bytes == resources.keeper.written { return }  // Nobody was here meanwhile.
                resources.keeper.found(bytes)
                state.behavior = kept.behavior
                outlive(lastSign ?? resources.lastSign(kept), before: start)
            case .damaged(let what):
                transaction.report(Diagnostic(behaviorDamaged: what))
                state.behavior = AppBehavior()
            }
            startProcess(content, at: start)
        } catch {
            // Nothing is made up while what is known cannot be read: the next change tries again.
            report(error)
        }
    }

    /// The process before lived at least until it recorded last, which may be long after the heartbeat that it kept.
    private mutating func outlive(_ sign: DeviceTime?, before start: DeviceTime) {
        guard let sign, start.elapsed(since: sign) != nil else { return }
        // What it orders is kept with the start.
        _ = state.behavior.heartbeat(at: sign)
        state.behavior.noteActivity(at: sign)
    }

    private mutating func startProcess(_ content: StateFile<KeptBehavior>.Content, at start: DeviceTime) {
        let process = ProcessStart(
            state: state.app,
            isPending: state.undecided != nil,
            appVersion: transaction.context.app["version"]?.string,
            systemVersion: transaction.context.device["os_version"]?.string,
            sessionPrefix: transaction.context.user.uniqueID ?? resources.journal.installation.description.uppercased(),
            settings: state.settings
        )
        let former = BehaviorState.SessionAndScreen(session: state.behavior.session, screen: state.behavior.screen)
        if state.settings.capture.tellsOfCrashes {
            // The process lived until then; what it orders is kept with the start.
            if let last = recordCrashes(in: former) { _ = state.behavior.heartbeat(at: last) }
        } else {
            // Somebody may yet want to know.
            state.former = former
        }
        var actions = state.behavior.processStarted(process, at: start)
        // What was known is lost; that the installation existed is not.
        if case .damaged = content { actions = actions.compactMap(\.ofKnownInstallation) }
        carryOut(actions)
    }

    /// Tells of the crashes that ended earlier processes, under the session and the screen they died in. Their exit, which
    /// is told next, was not before the crash.
    ///
    /// A report is removed once its event is in the journal. A process killed between the two has it told again, under the
    /// same identity, which every receiver counts once.
    ///
    /// What the system tells of them has no session and no screen: it says only roughly when.
    ///
    /// - Returns: when the last of them died by its own account; nil when none did.
    private mutating func recordCrashes(in former: BehaviorState.SessionAndScreen) -> DeviceTime? {
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

    // MARK: Carrying out

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
                // The moment came with the input, from whoever can give one, and ends when the flush is over.
                continue
            case .background:
                // Timers are told by the input itself, because they run in processes that do not capture, too.
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
        // What is recovered may have happened in an earlier boot, and its monotonic time means nothing in this one.
        if time.boot != now.boot { transaction.context.boot = time.boot }
        return transaction.record(
            name,
            attributes.adding(shared: dynamic, toRecord: name, most: Self.maxDynamic),
            at: time.moment,
            id: id
        )
    }

    /// Keeps the state.
    ///
    /// Where the app's threads may wait for the disk, it is with the kernel when this returns, so a kill right afterwards finds
    /// it. Elsewhere it is handed in, and so it is only before events that must not be told twice.
    private mutating func save(beforeEvents: Bool) {
        let keeper = resources.keeper
        do throws(StorageError) {
            let bytes = try resources.file.bytes(of: KeptBehavior(state.behavior, by: resources.journal.writer))
            guard !keeper.holds(bytes) else { return }
            keeper.handIn(bytes)
            guard beforeEvents || !keeper.isDeferring else { return }
            // Nobody else should have to wait for the file because of the locks that are held here.
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
    /// A screen as the event of its being shown says it.
    init(screen: RecordedContext.Screen) {
        self = [CapturedKey.screenName: .string(screen.name)]
        if let id = screen.id { self[CapturedKey.screenID] = .string(id) }
        if let uniqueID = screen.uniqueID { self[CapturedKey.screenUniqueID] = .string(uniqueID) }
    }
}
