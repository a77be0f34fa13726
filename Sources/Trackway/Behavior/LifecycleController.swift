// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayBehavior
internal import TrackwayDelivery
internal import TrackwayEvents
internal import TrackwayJournal
internal import TrackwayPlatform

/// Runs ``LifecycleStateMachine``, one input at a time.
///
/// The orders of one input are carried out before the next input. Only one process of an installation captures: the one
/// that holds the lock next to the state file. The others record their app's events in the session that is stored in
/// that file. Locks are acquired in the order places, controller, context store, journal. No code calls the app, the
/// settings or the control machine while holding one of them. Safe from any thread.
///
/// On systems whose main thread must not wait for a disk, the state is written with no lock held, on
/// ``LifecyclePersister``'s queue or on the queue that handles lifecycle notifications. Only the start of the process
/// reads and writes files under the controller's lock.
package final class LifecycleController: Sendable {
    /// Boxed in a struct to avoid reabstraction thunks.
    private struct ScreenWatcher: Sendable {
        var report: @Sendable (RecordedContext.Screen) -> Void = { _ in }
    }

    /// The time by which the start is delayed.
    ///
    /// In this time, the app can change settings. The SDK's own events wait for the start; see ``afterLaunch(_:)``.
    package static let startDelay = Duration.milliseconds(100)
    private let contextStore: ContextStore
    private let control: PipelineController
    private let dynamic: DynamicAttributes
    private let clock: any EventClock
    private let boot: String
    private let resources: BehaviorResources
    private let lifeCycleQueue: StorageQueue?
    private let state: Locked<CaptureState>
    /// Held while the lock next to the file is acquired.
    ///
    /// The controller's lock is not held then. Threads of this process therefore do not mistake each other for another
    /// process.
    private let places = Locked(())
    private let watcher = Locked(ScreenWatcher())
    /// Its holder may read the state, and acquires no other lock.
    private let heartbeats = Locked(HeartbeatMachine())
    private let heartbeatMoved = WakeSignal()
    /// The user's latest activity, while sessions can end in the foreground.
    ///
    /// The holder of its lock may read the state, and acquires no other lock.
    let activity = ActivityWatch()
    // Announcements carry no data, so one buffered announcement stands for any number.
    private let (flushes, announceFlush) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))

    /// Creates a controller, and notes the start.
    ///
    /// The start is recorded with the first event or other input.
    init(
        _ settings: BehaviorSettings,
        in dependencies: Dependencies,
        contextStore: ContextStore,
        control: PipelineController,
        dynamic: DynamicAttributes,
        journal: Journal,
        takingOver: LegacyMigrator
    ) {
        self.contextStore = contextStore
        self.control = control
        self.dynamic = dynamic
        clock = dependencies.clock
        boot = dependencies.facts.boot
        lifeCycleQueue = dependencies.lifeCycleQueue
        resources = BehaviorResources(in: dependencies, gate: control.gate, journal: journal, takingOver)
        var state = CaptureState(dependencies.launch, settings: settings)
        if settings.capture.isCapturing {
            state.noteStart(at: DeviceTime(clock.now(), boot: boot), lastSign: resources.lastSign())
        }
        self.state = Locked(state)
        setGate()
    }

    /// Whether the app is in the foreground, regardless of which process captures.
    var isForeground: Bool { state.withLock { $0.app.isForeground } }

    // MARK: Inputs

    /// Records the start, if it has not been recorded yet and may be.
    package func begin() {
        guard control.gate.state.isSuperset(of: [.isOpen, .startPending]) else { return }
        step { _ in }
    }

    /// Runs SDK work that may record events, after the launch if necessary.
    ///
    /// Work may also trigger the start. During the launch, it is deferred until after the start. The launch lasts until
    /// the start is recorded, by the app's first event or a lifecycle change, and for ``startDelay`` at most. Settings
    /// that the app changes right after it creates the SDK, such as global attributes, are therefore always part of the
    /// start.
    ///
    /// - Parameter work: Runs on this thread or on the one that records the start, with no lock held, in the order of
    ///   the calls. It is dropped if the process ends first, so the next process must also know what it records.
    package func afterLaunch(_ work: @escaping @Sendable () -> Void) {
        // A forked child acquires no lock; anything that the work records is refused there.
        guard !control.gate.isForked else { return work() }
        let now = clock.now().monotonic
        if state.withLock({ $0.postpone(work, at: now, for: Self.startDelay) }) { return }
        performDeferred()
        work()
    }

    /// Whether the app is still launching; see ``afterLaunch(_:)``.
    var isLaunching: Bool {
        let now = clock.now().monotonic
        return state.withLock { $0.isLaunching(at: now, for: Self.startDelay) }
    }

    /// Records the start like ``begin()``, but not before the launch ends.
    func beginAfterLaunch() {
        guard control.gate.state.isSuperset(of: [.isOpen, .startPending]), !isLaunching else { return }
        begin()
    }

    /// Ends the launch: records the start if permitted, then runs deferred work.
    package func launchEnded() {
        begin()
        performDeferred()
    }

    private func performDeferred() {
        let now = clock.now().monotonic
        for work in state.withLock({ $0.takeDeferred(at: now, for: Self.startDelay) }) { work() }
    }

    /// Reads the state of earlier processes, which could not be read at the start.
    func storageArrived() {
        let lastSign = resources.lastSign()
        change { if $0.isPending { $0.lastSign = lastSign } }
        beginAfterLaunch()
    }

    /// Handles lifecycle changes, in order, from the system or from the app.
    ///
    /// - Parameters:
    ///   - facts: The facts, read again when the app returns; nil if they are unchanged.
    ///   - stepsAside: Whether the process may be stopped now, and must release the lock.
    ///   - time: The time of the changes; nil for now.
    func lifeCycleChanged(
        _ changes: [LifeCycleChange],
        facts: ContextFacts?,
        stepsAside: Bool,
        at time: DualTimestamp? = nil
    ) {
        step(at: time) { $0.lifeCycleChanged(changes, facts: facts, stepsAside: stepsAside) }
        if changes.contains(.didBecomeActive) { activity.note(time ?? clock.now()) }
        changeHeartbeat { $0.lifeCycleChanged(at: $1, recorded: $2) }
    }

    /// Handles a screen that was shown.
    ///
    /// - Parameter mayComeLater: Whether the screen may be handled on the lifecycle queue, if there is one, because the
    ///   caller's thread must not wait for the disk. Events contain the screen when this returns, unless the return to
    ///   the app has not been recorded yet: then the screen is recorded after that, with the time of the call.
    package func screenShown(_ view: ScreenView, mayComeLater: Bool = false) {
        if mayComeLater, let lifeCycleQueue, state.withLock({ $0.isWatching }) {
            let time = clock.now()
            lifeCycleQueue.order { [weak self] in self?.show(view, at: time) }
        } else {
            show(view)
        }
    }

    private func show(_ view: ScreenView, at time: DualTimestamp? = nil) {
        step(at: time) { $0.screenShown(view) }
        activity.note(time ?? clock.now())
        wakeHeartbeats()
        watcher.withLock { $0 }.report(view.screen)
    }

    /// Calls `report` for every screen that is shown, captured or not.
    ///
    /// The call follows the recording of the screen. No lock is held.
    func reportScreens(_ report: @escaping @Sendable (RecordedContext.Screen) -> Void) {
        watcher.withLock { $0.report = report }
    }

    /// Handles a launch that timed out without a foreground transition.
    package func launchTimedOut() {
        step { $0.launchTimedOut() }
    }

    /// The time of the next ``heartbeat()``; nil if none is due.
    ///
    /// See ``HeartbeatMachine``.
    package var heartbeatDue: MonotonicTime? { heartbeats.withLock { $0.due } }

    /// Handles a heartbeat that is due.
    package func heartbeat() {
        step(records: false) { $0.heartbeat() }
        changeHeartbeat { $0.beaten(at: $1, recorded: $2) }
    }

    /// Notes user activity that is not otherwise recorded.
    ///
    /// For example, a touch that is not a click. Does not wait for files if there is a queue for that.
    package func noteUse() {
        wakeHeartbeats()
        guard control.gate.state.isSuperset(of: [.isOpen, .watchesActivity]) else { return }
        let time = clock.now()
        guard !activity.covers(time.monotonic) else { return }
        guard let lifeCycleQueue else { return userActs(at: time) }
        lifeCycleQueue.order { [weak self] in self?.userActs(at: time) }
    }

    /// Handles user activity that is about to be recorded.
    ///
    /// A session that has ended according to the settings is replaced first. Changes nothing if sessions end only in
    /// the background.
    ///
    /// - Parameter time: The time of the activity; nil for now.
    func userActs(at time: DualTimestamp? = nil) {
        // Activity counts only while events may be recorded.
        guard control.gate.state.isSuperset(of: [.isOpen, .watchesActivity]) else { return }
        let time = time ?? clock.now()
        guard !activity.covers(time.monotonic) else { return }
        let (now, last) = (DeviceTime(time, boot: boot), activity.last.map { DeviceTime($0, boot: boot) })
        let isOver = state.withLock { $0.watchedLimits != nil && $0.behavior.endsSession(at: now, after: last) }
        if isOver { step(at: time) { $0.userActed() } }
        // Noted only now, so that concurrent callers also find that the session has ended.
        activity.note(time)
    }

    /// Resumes heartbeats after any sign that the process is alive.
    ///
    /// Does not wait for files.
    func wakeHeartbeats() {
        changeHeartbeat { $0.noteUse(at: $1, recorded: $2) }
    }

    /// Checks the gate after events that may have been recorded internally.
    ///
    /// The app made no call for them. Only calls from the app check the gate themselves.
    func eventsRecorded() {
        if control.gate.state.contains(.heartbeatRests) { wakeHeartbeats() }
    }

    /// Handles the system's crash or hang reports that were just stored.
    ///
    /// A report that arrives before the start is recorded with it and does not trigger it.
    package func systemReportsArrived() {
        guard !state.withLock({ $0.isPending }) else { return }
        step { $0.systemReportsArrived() }
    }

    /// Changes the settings for what is captured.
    ///
    /// The app or a back end changed them.
    package func settingsChanged(to settings: BehaviorSettings) {
        if change({ $0.settingsChosen(settings) }) { return }
        step { $0.settingsChanged(to: settings) }
        wakeHeartbeats()
    }

    /// Names new sessions after the user who signed in.
    package func uniqueIDChanged(to uniqueID: String) {
        step(records: false) { $0.uniqueIDChanged(to: uniqueID) }
        wakeHeartbeats()
    }

    /// Discards what the app reported about the screens of the user who left.
    package func personChanged() {
        step(records: false) { $0.personChanged() }
    }

    /// Removes all state, because the installation was erased.
    func forget() throws(StorageError) {
        change { $0.forgotten() }?.release()
        contextStore.perform { transaction in
            transaction.context.session = nil
            transaction.context.screen = nil
        }
        try resources.removeAll()
    }

    /// Begins a new installation.
    ///
    /// Its first event triggers its start.
    func beginAnew() {
        change { $0.beganAnew() }
    }

    /// Records the exit, and ends automatic recording.
    ///
    /// Called when the app shuts the SDK down.
    package func end() {
        begin()
        recordExit()
        change { $0.ended() }
        performDeferred()
    }

    /// Records the exit, and lets another process capture once the state is stored.
    ///
    /// Called when the ``Analytics`` is released.
    package func abandon() {
        recordExit()
        guard let lock = change({ $0.abandoned() }) else { return }
        resources.keeper.whenSettled { lock.release() }
    }

    /// Flushes state to stable storage before certain events are sent.
    ///
    /// Those events must not be recorded again. Such events are a first start, the number of a session, and an exit.
    /// Waits for the disk.
    ///
    /// - Parameter writer: The writer of the events that are about to be sent.
    func flush(before writer: WriterID) {
        // The lock waits for a turn that has recorded events but has not stored its state yet.
        let isOwn = writer == resources.journal.writer
        let isNeeded = state.withLock { state in
            defer { state.isUnflushed = false }
            return state.isUnflushed || !isOwn
        }
        guard isNeeded else { return }
        do throws(StorageError) {
            try resources.keeper.settle()
            try resources.file.synchronize()
        } catch {
            // A process that captured nothing has no file.
            guard error.code != .missing else { return }
            // Send the events anyway: a fault of this file must not delay them. The next request tries again.
            let isNews = state.withLock { state in
                state.isUnflushed = true
                return state.failure.failed()
            }
            if isNews { reportNotStored(error) }
        }
    }

    /// Records an orderly exit if this process captures and is in the foreground.
    ///
    /// The caller decides whether pending events are sent.
    private func recordExit() {
        guard state.withLock({ $0.isActing && $0.app.isForeground }) else { return }
        step(flushes: false) { turn in
            turn.lifeCycleChanged([.willTerminate], facts: nil, stepsAside: false)
        }
    }

    /// Returns when all earlier state has been stored.
    package func untilSaved() async {
        await withCheckedContinuation { kept in resources.keeper.whenSettled { kept.resume() } }
    }

    // MARK: Turns

    /// Maximum retries of a turn when state changes during persistence.
    private static let putOffLimit = 3

    /// Handles one input, after recording the start if necessary.
    ///
    /// Inputs are handled one at a time.
    ///
    /// - Parameters:
    ///   - records: Whether the input may record events, so that the app's closure is called for attributes before any
    ///     lock is acquired.
    ///   - flushes: Whether pending events are sent if the input requests it.
    ///   - time: The time of the input; nil for now.
    private func step(
        records: Bool = true,
        flushes: Bool = true,
        at time: DualTimestamp? = nil,
        _ input: (inout LifecycleTransaction) -> Void
    ) {
        // A forked child must not store states in place of its parent.
        guard !control.gate.isForked else { return }
        // Work that is deferred until the start comes before the input that triggers it.
        if state.withLock({ $0.hasDeferred }) { acquireTurnLock { _ in } }
        acquireTurnLock(records: records, flushes: flushes, at: time, input)
    }

    private func acquireTurnLock(
        records: Bool = true,
        flushes: Bool = true,
        at time: DualTimestamp? = nil,
        _ input: (inout LifecycleTransaction) -> Void
    ) {
        let now = time.map { DeviceTime($0, boot: boot) } ?? now
        let dynamic = records ? dynamic.current() : [:]
        // No lock is held below, because the app may call back.
        finish(
            flushes,
            resources.keeper.isDeferring && state.withLock { $0.isWatching }
                ? places.withLock { _ in performInPlace(at: now, adding: dynamic, input) }
                : perform(at: now, adding: dynamic, .open, input)
        )
    }

    /// Performs a step while the lock of ``places`` is held.
    private func performInPlace(
        at now: DeviceTime,
        adding dynamic: Attributes,
        _ input: (inout LifecycleTransaction) -> Void
    ) -> TurnResult {
        guard state.withLock({ $0.isWatching }) else { return perform(at: now, adding: dynamic, .open, input) }
        do throws(StorageError) {
            let place = try resources.place()
            return perform(at: now, adding: dynamic, .sought(place), input)
        } catch {
            // The turn tries again, and reports the error.
            return perform(at: now, adding: dynamic, .open, input)
        }
    }

    /// The result of a turn, to be processed while no lock is held.
    private struct TurnResult: Sendable {
        let outcome: LifecycleTransaction.Outcome
        let sideEffects: ContextTransaction.SideEffects
    }

    /// Repeats a turn until it is not postponed.
    private func perform(
        at now: DeviceTime,
        adding dynamic: Attributes,
        _ place: LifecycleTransaction.Search,
        _ input: (inout LifecycleTransaction) -> Void
    ) -> TurnResult {
        var attempts = resources.keeper.isDeferring ? Self.putOffLimit : 0
        while true {
            if let turnResult = take(at: now, adding: dynamic, place, mayBePutOff: attempts > 0, input) {
                // The turn did not need the place.
                if case .sought(let unused?) = turnResult.outcome.place { unused.lock.release() }
                return turnResult
            }
            do throws(StorageError) {
                try resources.keeper.settle()
                attempts -= 1
            } catch {
                // The turn continues without stored state, as on any system with a full disk, and reports the error.
                attempts = 0
            }
        }
    }

    /// Takes one turn, with the locks held.
    ///
    /// - Returns: nil if state must be stored first and the turn is to be repeated.
    private func take(
        at now: DeviceTime,
        adding dynamic: Attributes,
        _ place: LifecycleTransaction.Search,
        mayBePutOff: Bool,
        _ input: (inout LifecycleTransaction) -> Void
    ) -> TurnResult? {
        let resources = resources
        let active = activity.last.map { DeviceTime($0, boot: boot) }
        let (outcome, sideEffects) = state.withLock { state in
            contextStore.performUnreported { transaction in
                var turn = LifecycleTransaction(
                    state,
                    transaction,
                    at: now,
                    adding: dynamic,
                    with: resources,
                    mayBePutOff: mayBePutOff,
                    place: place
                )
                turn.begin()
                // The machines do not receive the app's own events.
                if let active { turn.noteActivity(at: active) }
                input(&turn)
                if !turn.isPutOff { (state, transaction) = (turn.state, turn.transaction) }
                return turn.outcome
            }
        }
        if outcome.isPutOff { return nil }
        followState()
        return TurnResult(outcome: outcome, sideEffects: sideEffects)
    }

    /// Reports the results, and writes or submits the state.
    ///
    /// Holds no lock: the app may call back.
    private func finish(_ flushes: Bool, _ turnResult: TurnResult) {
        contextStore.report(turnResult.sideEffects)
        if let lock = turnResult.outcome.lockToRelease {
            keepNow()
            lock.release()
        } else {
            keepLater()
        }
        if flushes, turnResult.outcome.wantsFlush { announceFlush.yield() }
        performDeferred()
    }

    /// Returns when the submitted state has reached the kernel.
    private func keepNow() {
        do throws(StorageError) {
            try resources.keeper.settle()
        } catch {
            reportNotStored(error)
        }
    }

    private func keepLater() {
        resources.keeper.settleLater { [weak self] in self?.reportNotStored($0) }
    }

    private func reportNotStored(_ error: StorageError) {
        contextStore.report(Diagnostic(behaviorNotKept: error))
    }

    /// Changes only the state.
    @discardableResult
    private func change<Answer: Sendable>(_ input: (inout CaptureState) -> Answer) -> Answer {
        let answer = state.withLock { input(&$0) }
        followState()
        return answer
    }

    /// Updates heartbeats and recording according to the state.
    ///
    /// The state is read under the heartbeats' lock, so that the later of two concurrent changes applies.
    private func followState() {
        changeHeartbeat { machine, now, recorded in
            machine.follow(isBeating: state.withLock { $0.isBeating }, at: now, recorded: recorded)
        }
        activity.follow { state.withLock { $0.watchedLimits } }
        setGate()
    }

    /// Passes an input to the heartbeats.
    ///
    /// The input gets the current time and the number of this process's events.
    private func changeHeartbeat(
        _ input: (inout HeartbeatMachine, _ now: MonotonicTime, _ recorded: UInt64) -> Void
    ) {
        let (now, recorded) = (clock.now().monotonic, resources.journal.lastSequence)
        let (isMoved, isGateMoved) = heartbeats.withLock { machine in
            let before = machine
            input(&machine, now, recorded)
            return (machine.due != before.due, machine.isResting != before.isResting)
        }
        if isGateMoved { setGate() }
        if isMoved { heartbeatMoved.signal() }
    }

    /// Updates the recording gate.
    ///
    /// While the start is pending, the first event triggers it; while heartbeats rest, an event wakes them; while
    /// sessions can end in the foreground, an event is noted as activity. The state is read under the gate's lock, so
    /// that the later of two concurrent changes applies.
    private func setGate() {
        control.setGate(.startPending) { state.withLock { $0.isPending } }
        control.setGate(.heartbeatRests) { heartbeats.withLock { $0.isResting } }
        control.setGate(.watchesActivity) { state.withLock { $0.watchedLimits != nil } }
    }

    private var now: DeviceTime { DeviceTime(clock.now(), boot: boot) }

    // MARK: Time

    /// Runs everything that depends on time, and returns when canceled.
    ///
    /// These are the start, if nothing else triggers it; heartbeats in the foreground; and sending when the app leaves
    /// the foreground.
    func run(_ sleeper: any DeliverySleeper, flush: @escaping @Sendable () async -> Void) async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                await self.beginLater(sleeper)
                await self.beat(sleeper)
            }
            group.addTask {
                for await _ in self.flushes { await flush() }
            }
            group.addTask { await self.decideLater(sleeper) }
        }
    }

    private func decideLater(_ sleeper: any DeliverySleeper) async {
        guard state.withLock({ $0.undecided?.isDecidedByTime }) == true else { return }
        await sleeper.sleep(until: now.monotonic.advanced(by: LaunchReason.limit))
        if !Task.isCancelled { launchTimedOut() }
    }

    private func beginLater(_ sleeper: any DeliverySleeper) async {
        guard let began = state.withLock({ $0.isPending ? $0.began : nil }) else { return }
        await sleeper.sleep(until: began.monotonic.advanced(by: Self.startDelay))
        if !Task.isCancelled { launchEnded() }
    }

    private func beat(_ sleeper: any DeliverySleeper) async {
        while !Task.isCancelled {
            // No timer runs while heartbeats are suspended or while the app is not in the foreground.
            await sleeper.sleep(until: heartbeatDue, or: heartbeatMoved)
            if Task.isCancelled { return }
            if let due = heartbeatDue, clock.now().monotonic >= due { heartbeat() }
        }
    }
}
