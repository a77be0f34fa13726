// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore
internal import TrackwayDelivery
internal import TrackwayJournal
internal import TrackwayLifecycle
internal import TrackwayPlatform

/// Runs ``LifecycleStateMachine``, one input at a time.
///
/// The actions of one input are performed before the next input. Only one process of an installation captures: the one
/// that holds the lock next to the state file. The other processes record their events in the session that is stored in
/// that file. Locks are acquired in the order `acquisitionLock`, controller, context store, journal. No code calls the
/// app, the settings or the pipeline state machine while holding one of these locks. Safe from any thread.
///
/// On systems whose main thread must not wait for a disk, the state is written with no lock held, on
/// ``LifecyclePersister``'s queue or on the queue that handles lifecycle notifications. Only the start of the process
/// reads and writes files under the controller's lock.
package final class LifecycleController: Sendable {
    /// Boxed in a struct to avoid reabstraction thunks.
    private struct ScreenObserver: Sendable {
        var report: @Sendable (RecordedContext.Screen) -> Void = { _ in }
    }

    /// The maximum delay of the start.
    ///
    /// During the delay, the app can change settings. The SDK's own events wait for the start; see ``afterLaunch(_:)``.
    package static let startDelay = Duration.milliseconds(100)
    private let contextStore: ContextStore
    private let control: PipelineController
    private let dynamic: DynamicAttributes
    private let clock: any EventClock
    private let boot: String
    private let resources: LifecycleResources
    private let lifecycleQueue: StorageQueue?
    private let state: Locked<CaptureState>
    /// Held while the lock next to the file is acquired.
    ///
    /// The controller's lock is not held during that time. This lock prevents threads of this process from mistaking
    /// each other for another process.
    private let acquisitionLock = Locked(())
    private let screenObserver = Locked(ScreenObserver())
    /// The heartbeats.
    ///
    /// Code that holds this lock may read the state, but must acquire no other lock.
    private let heartbeats = Locked(HeartbeatMachine())
    private let heartbeatRescheduled = WakeSignal()
    /// The user's latest activity, while sessions can end in the foreground.
    ///
    /// Code that holds the tracker's lock may read the state, but must acquire no other lock.
    let activity = ActivityTracker()
    // Notifications carry no data, so one buffered notification represents any number of them.
    private let (flushRequests, flushContinuation) = AsyncStream.makeStream(
        of: Void.self,
        bufferingPolicy: .bufferingNewest(1)
    )

    /// Creates a controller and notes the process start.
    ///
    /// The start is recorded with the first event or other input.
    init(
        _ settings: LifecycleSettings,
        in dependencies: Dependencies,
        contextStore: ContextStore,
        control: PipelineController,
        dynamic: DynamicAttributes,
        journal: Journal,
        migrator: any InstallationMigrator
    ) {
        self.contextStore = contextStore
        self.control = control
        self.dynamic = dynamic
        clock = dependencies.clock
        boot = dependencies.facts.boot
        lifecycleQueue = dependencies.lifecycleQueue
        resources = LifecycleResources(in: dependencies, gate: control.gate, journal: journal, migrator)
        var state = CaptureState(dependencies.launch, settings: settings)
        if settings.capture.isCapturing {
            state.noteStart(at: DeviceTime(clock.now(), boot: boot), lastRecordTime: resources.lastRecordTime())
        }
        self.state = Locked(state)
        setGate()
    }

    /// Whether the app is in the foreground, regardless of which process captures.
    var isForeground: Bool { state.withLock { $0.app.isForeground } }

    // MARK: Inputs

    /// Records the start if it is still pending and recording is allowed.
    package func begin() {
        guard control.gate.state.isSuperset(of: [.isOpen, .startPending]) else { return }
        step { _ in }
    }

    /// Runs SDK work that may record events, after the launch if necessary.
    ///
    /// The work may also trigger the start. During the launch, the work is deferred until after the start. The launch
    /// lasts until the start is recorded, by the app's first event or a lifecycle change, and for ``startDelay`` at
    /// most. Settings that the app changes right after it creates the SDK, such as global attributes, are therefore
    /// always part of the start.
    ///
    /// - Parameter work: Runs on this thread or on the one that records the start, with no lock held, in the order of
    ///   the calls. The work is dropped if the process ends first, so the next process must be able to record the same
    ///   events.
    package func afterLaunch(_ work: @escaping @Sendable () -> Void) {
        // A forked child acquires no lock; events that the work records are rejected in the child.
        guard !control.gate.isForked else { return work() }
        let now = clock.now().monotonic
        if state.withLock({ $0.postpone(work, at: now, for: Self.startDelay) }) { return }
        performDeferredWork()
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
        performDeferredWork()
    }

    private func performDeferredWork() {
        let now = clock.now().monotonic
        for work in state.withLock({ $0.dequeueDeferredWork(at: now, for: Self.startDelay) }) { work() }
    }

    /// Reads the state of earlier processes, which was unreadable at the start.
    func storageArrived() {
        let lastRecordTime = resources.lastRecordTime()
        change { if $0.isPending { $0.lastRecordTime = lastRecordTime } }
        beginAfterLaunch()
    }

    /// Handles lifecycle changes, in order, from the system or from the app.
    ///
    /// - Parameters:
    ///   - facts: The context facts, read again when the app returns; nil if unchanged.
    ///   - stepsAside: Whether the process may be suspended at any time from now on, and must release the lock.
    ///   - time: The time of the changes; nil for now.
    func lifecycleChanged(
        _ changes: [LifecycleChange],
        facts: ContextFacts?,
        stepsAside: Bool,
        at time: DualTimestamp? = nil
    ) {
        step(at: time) { $0.lifecycleChanged(changes, facts: facts, stepsAside: stepsAside) }
        if changes.contains(.didBecomeActive) { activity.note(time ?? clock.now()) }
        updateHeartbeats { $0.lifecycleChanged(at: $1, recorded: $2) }
    }

    /// Handles a screen that was shown.
    ///
    /// - Parameter mayComeLater: Whether the screen may be handled on the lifecycle queue, if there is one, because the
    ///   caller's thread must not wait for the disk. Events contain the screen when this returns, unless the return to
    ///   the app has not been recorded yet: then the screen is recorded after that, with the time of the call.
    package func screenShown(_ view: ScreenView, mayComeLater: Bool = false) {
        if mayComeLater, let lifecycleQueue, state.withLock({ $0.isStandby }) {
            let time = clock.now()
            lifecycleQueue.enqueue { [weak self] in self?.show(view, at: time) }
        } else {
            show(view)
        }
    }

    private func show(_ view: ScreenView, at time: DualTimestamp? = nil) {
        step(at: time) { $0.screenShown(view) }
        activity.note(time ?? clock.now())
        resumeHeartbeats()
        screenObserver.withLock { $0 }.report(view.screen)
    }

    /// Sets a handler for every screen that is shown, captured or not.
    ///
    /// The handler is called after the screen is recorded, with no lock held.
    func observeScreens(_ report: @escaping @Sendable (RecordedContext.Screen) -> Void) {
        screenObserver.withLock { $0.report = report }
    }

    /// Handles a launch that timed out without a foreground transition.
    package func launchTimedOut() {
        step { $0.launchTimedOut() }
    }

    /// The time of the next ``heartbeat()``; nil if none is scheduled.
    ///
    /// See ``HeartbeatMachine``.
    package var heartbeatDue: MonotonicTime? { heartbeats.withLock { $0.due } }

    /// Handles a heartbeat that is due.
    package func heartbeat() {
        step(records: false) { $0.heartbeat() }
        updateHeartbeats { $0.heartbeatPersisted(at: $1, recorded: $2) }
    }

    /// Notes user activity that is not recorded as an event.
    ///
    /// An example is a touch that is not a click. Does not wait for files if there is a lifecycle queue.
    package func noteUserActivity() {
        resumeHeartbeats()
        guard control.gate.state.isSuperset(of: [.isOpen, .tracksActivity]) else { return }
        let time = clock.now()
        guard !activity.isThrottled(time.monotonic) else { return }
        guard let lifecycleQueue else { return handleUserActivity(at: time) }
        lifecycleQueue.enqueue { [weak self] in self?.handleUserActivity(at: time) }
    }

    /// Handles user activity that is about to be recorded.
    ///
    /// A session that has ended according to the settings is replaced first. Changes nothing if sessions end only in
    /// the background.
    ///
    /// - Parameter time: The time of the activity; nil for now.
    func handleUserActivity(at time: DualTimestamp? = nil) {
        // Activity counts only while events may be recorded.
        guard control.gate.state.isSuperset(of: [.isOpen, .tracksActivity]) else { return }
        let time = time ?? clock.now()
        guard !activity.isThrottled(time.monotonic) else { return }
        let (now, last) = (DeviceTime(time, boot: boot), activity.last.map { DeviceTime($0, boot: boot) })
        let isOver = state.withLock { $0.activeSessionLimits != nil && $0.machine.endsSession(at: now, after: last) }
        if isOver { step(at: time) { $0.userActed() } }
        // Noted only now, so that concurrent callers also find that the session has ended.
        activity.note(time)
    }

    /// Resumes heartbeats after any activity of the process.
    ///
    /// Does not wait for files.
    func resumeHeartbeats() {
        updateHeartbeats { $0.noteActivity(at: $1, recorded: $2) }
    }

    /// Checks the recording state after events that the SDK may have recorded.
    ///
    /// Only recording calls from the app check the recording state themselves.
    func eventsRecorded() {
        if control.gate.state.contains(.heartbeatSuspended) { resumeHeartbeats() }
    }

    /// Handles the system's crash or hang reports that were just stored.
    ///
    /// A report that arrives before the start is recorded with the start and does not trigger the start.
    package func systemReportsArrived() {
        guard !state.withLock({ $0.isPending }) else { return }
        step { $0.systemReportsArrived() }
    }

    /// Changes the capture settings.
    ///
    /// The change comes from the app or a back end.
    package func settingsChanged(to settings: LifecycleSettings) {
        if change({ $0.updateSettings(settings) }) { return }
        step { $0.settingsChanged(to: settings) }
        resumeHeartbeats()
    }

    /// Bases the ids of new sessions on the user who signed in.
    package func uniqueIDChanged(to uniqueID: String) {
        step(records: false) { $0.uniqueIDChanged(to: uniqueID) }
        resumeHeartbeats()
    }

    /// Discards the screens that the app reported for the previous user.
    package func personChanged() {
        step(records: false) { $0.personChanged() }
    }

    /// Removes all state, because the installation was erased.
    func forget() throws(StorageError) {
        change { $0.resetForErasure() }?.release()
        contextStore.perform { transaction in
            transaction.context.session = nil
            transaction.context.screen = nil
        }
        try resources.removeAll()
    }

    /// Begins a new installation.
    ///
    /// The first event of the new installation triggers its start.
    func beginNewInstallation() {
        change { $0.beginNewInstallation() }
    }

    /// Records the exit and ends automatic recording.
    ///
    /// Called when the app shuts the SDK down.
    package func end() {
        begin()
        recordExit()
        change { $0.endHeartbeats() }
        performDeferredWork()
    }

    /// Records the exit and lets another process capture.
    ///
    /// The lock is released once the state is stored.
    ///
    /// Called when the ``Analytics`` is released.
    package func abandon() {
        recordExit()
        guard let lock = change({ $0.stopCapturing() }) else { return }
        resources.persister.afterPendingWrites { lock.release() }
    }

    /// Flushes state to stable storage before sending events that must be unique.
    ///
    /// Events that must not be recorded twice are a first start, a session with its number, and an exit. Waits for the
    /// disk.
    ///
    /// - Parameter writer: The writer of the events that are about to be sent.
    func flush(before writer: WriterID) {
        // Acquiring the lock waits for a transaction that has recorded events but has not stored its state yet.
        let isOwn = writer == resources.journal.writer
        let isNeeded = state.withLock { state in
            defer { state.isUnflushed = false }
            return state.isUnflushed || !isOwn
        }
        guard isNeeded else { return }
        do throws(StorageError) {
            try resources.persister.writePending()
            try resources.file.synchronize()
        } catch {
            // A process that captured nothing has no file.
            guard error.code != .missing else { return }
            // Send the events anyway: a problem with this file must not delay them. The next request retries.
            let isNews = state.withLock { state in
                state.isUnflushed = true
                return state.failure.noteFailure()
            }
            if isNews { reportNotStored(error) }
        }
    }

    /// Records an orderly exit if this process captures and is in the foreground.
    ///
    /// The caller decides whether pending events are sent.
    private func recordExit() {
        guard state.withLock({ $0.isCapturing && $0.app.isForeground }) else { return }
        step(flushes: false) { lifecycleTransaction in
            lifecycleTransaction.lifecycleChanged([.willTerminate], facts: nil, stepsAside: false)
        }
    }

    /// Returns when all earlier state has been stored.
    package func waitUntilSaved() async {
        await withCheckedContinuation { continuation in resources.persister.afterPendingWrites { continuation.resume() }
        }
    }

    // MARK: Transactions

    /// Maximum retries of a transaction when state changes during persistence.
    private static let maximumRetries = 3

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
        // Work that was deferred until the start runs before the input that triggers the start.
        if state.withLock({ $0.hasDeferredWork }) { performTransaction { _ in } }
        performTransaction(records: records, flushes: flushes, at: time, input)
    }

    private func performTransaction(
        records: Bool = true,
        flushes: Bool = true,
        at time: DualTimestamp? = nil,
        _ input: (inout LifecycleTransaction) -> Void
    ) {
        let now = time.map { DeviceTime($0, boot: boot) } ?? now
        let dynamic = records ? dynamic.current() : [:]
        // No lock is held below, because the app's code may run.
        finish(
            flushes,
            resources.persister.isAsynchronous && state.withLock { $0.isStandby }
                ? acquisitionLock.withLock { _ in performWithAcquisitionLock(at: now, adding: dynamic, input) }
                : perform(at: now, adding: dynamic, .onDemand, input)
        )
    }

    /// Performs a step while ``acquisitionLock`` is held.
    private func performWithAcquisitionLock(
        at now: DeviceTime,
        adding dynamic: Attributes,
        _ input: (inout LifecycleTransaction) -> Void
    ) -> TransactionResult {
        guard state.withLock({ $0.isStandby }) else { return perform(at: now, adding: dynamic, .onDemand, input) }
        do throws(StorageError) {
            let acquired = try resources.acquire()
            return perform(at: now, adding: dynamic, .attempted(acquired), input)
        } catch {
            // The transaction retries and reports the error.
            return perform(at: now, adding: dynamic, .onDemand, input)
        }
    }

    /// The result of a transaction, to be processed while no lock is held.
    private struct TransactionResult: Sendable {
        let outcome: LifecycleTransaction.Outcome
        let sideEffects: ContextTransaction.SideEffects
    }

    /// Attempts a transaction until it is no longer postponed.
    private func perform(
        at now: DeviceTime,
        adding dynamic: Attributes,
        _ acquisition: LifecycleTransaction.Acquisition,
        _ input: (inout LifecycleTransaction) -> Void
    ) -> TransactionResult {
        var attempts = resources.persister.isAsynchronous ? Self.maximumRetries : 0
        while true {
            if let transactionResult = attemptTransaction(
                at: now,
                adding: dynamic,
                acquisition,
                canPostpone: attempts > 0,
                input
            ) {
                // The transaction did not need the lock.
                if case .attempted(let unused?) = transactionResult.outcome.acquisition { unused.lock.release() }
                return transactionResult
            }
            do throws(StorageError) {
                try resources.persister.writePending()
                attempts -= 1
            } catch {
                // The transaction continues without storing the state, as it does when the disk is full, and reports
                // the error.
                attempts = 0
            }
        }
    }

    /// Attempts a transaction once, with the locks held.
    ///
    /// - Returns: nil if state must be stored first and the transaction is to be repeated.
    private func attemptTransaction(
        at now: DeviceTime,
        adding dynamic: Attributes,
        _ acquisition: LifecycleTransaction.Acquisition,
        canPostpone: Bool,
        _ input: (inout LifecycleTransaction) -> Void
    ) -> TransactionResult? {
        let resources = resources
        let active = activity.last.map { DeviceTime($0, boot: boot) }
        let (outcome, sideEffects) = state.withLock { state in
            contextStore.performUnreported { transaction in
                var lifecycleTransaction = LifecycleTransaction(
                    state,
                    transaction,
                    at: now,
                    adding: dynamic,
                    with: resources,
                    canPostpone: canPostpone,
                    acquisition: acquisition
                )
                lifecycleTransaction.begin()
                // The machines do not receive the app's own events.
                if let active { lifecycleTransaction.noteActivity(at: active) }
                input(&lifecycleTransaction)
                if !lifecycleTransaction.isPostponed {
                    (state, transaction) = (lifecycleTransaction.state, lifecycleTransaction.transaction)
                }
                return lifecycleTransaction.outcome
            }
        }
        if outcome.isPostponed { return nil }
        applyState()
        return TransactionResult(outcome: outcome, sideEffects: sideEffects)
    }

    /// Reports a transaction's results, and writes or submits the state.
    ///
    /// Must be called with no lock held, because the app's code may run.
    private func finish(_ flushes: Bool, _ transactionResult: TransactionResult) {
        contextStore.report(transactionResult.sideEffects)
        if let lock = transactionResult.outcome.lockToRelease {
            persistNow()
            lock.release()
        } else {
            persistLater()
        }
        if flushes, transactionResult.outcome.wantsFlush { flushContinuation.yield() }
        performDeferredWork()
    }

    /// Returns when the submitted state has reached the kernel.
    private func persistNow() {
        do throws(StorageError) {
            try resources.persister.writePending()
        } catch {
            reportNotStored(error)
        }
    }

    private func persistLater() {
        resources.persister.scheduleWrite { [weak self] in self?.reportNotStored($0) }
    }

    private func reportNotStored(_ error: StorageError) {
        contextStore.report(Diagnostic(behaviorNotKept: error))
    }

    /// Changes the state without running a transaction.
    @discardableResult
    private func change<Answer: Sendable>(_ input: (inout CaptureState) -> Answer) -> Answer {
        let answer = state.withLock { input(&$0) }
        applyState()
        return answer
    }

    /// Updates heartbeats and the recording state from the capture state.
    ///
    /// The state is read under the heartbeats' lock, so that the later of two concurrent changes applies.
    private func applyState() {
        updateHeartbeats { machine, now, recorded in
            machine.setActive(state.withLock { $0.needsHeartbeats }, at: now, recorded: recorded)
        }
        activity.updateLimits { state.withLock { $0.activeSessionLimits } }
        setGate()
    }

    /// Passes an input to the heartbeats.
    ///
    /// The input receives the current time and the number of events that this process recorded.
    private func updateHeartbeats(
        _ input: (inout HeartbeatMachine, _ now: MonotonicTime, _ recorded: UInt64) -> Void
    ) {
        let (now, recorded) = (clock.now().monotonic, resources.journal.lastSequence)
        let (isMoved, isGateMoved) = heartbeats.withLock { machine in
            let before = machine
            input(&machine, now, recorded)
            return (machine.due != before.due, machine.isResting != before.isResting)
        }
        if isGateMoved { setGate() }
        if isMoved { heartbeatRescheduled.signal() }
    }

    /// Updates the recording state.
    ///
    /// While the start is pending, the first event triggers it; while heartbeats are suspended, an event resumes them;
    /// while sessions can end in the foreground, an event is noted as activity. The capture state is read under the
    /// lock of the recording state, so that the later of two concurrent changes applies.
    private func setGate() {
        control.setGate(.startPending) { state.withLock { $0.isPending } }
        control.setGate(.heartbeatSuspended) { heartbeats.withLock { $0.isResting } }
        control.setGate(.tracksActivity) { state.withLock { $0.activeSessionLimits != nil } }
    }

    private var now: DeviceTime { DeviceTime(clock.now(), boot: boot) }

    // MARK: Time

    /// Runs everything that depends on time, and returns when canceled.
    ///
    /// This covers the start, if nothing else triggers it; heartbeats in the foreground; and sending when the app
    /// leaves the foreground.
    func run(_ sleeper: any DeliverySleeper, flush: @escaping @Sendable () async -> Void) async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                await self.runDelayedStart(sleeper)
                await self.runHeartbeats(sleeper)
            }
            group.addTask {
                for await _ in self.flushRequests { await flush() }
            }
            group.addTask { await self.runLaunchTimeout(sleeper) }
        }
    }

    private func runLaunchTimeout(_ sleeper: any DeliverySleeper) async {
        guard state.withLock({ $0.undecidedReason?.isDecidedByTime }) == true else { return }
        await sleeper.sleep(until: now.monotonic.advanced(by: LaunchReason.limit))
        if !Task.isCancelled { launchTimedOut() }
    }

    private func runDelayedStart(_ sleeper: any DeliverySleeper) async {
        guard let began = state.withLock({ $0.isPending ? $0.startTime : nil }) else { return }
        await sleeper.sleep(until: began.monotonic.advanced(by: Self.startDelay))
        if !Task.isCancelled { launchEnded() }
    }

    private func runHeartbeats(_ sleeper: any DeliverySleeper) async {
        while !Task.isCancelled {
            // No timer runs while heartbeats are suspended or while the app is not in the foreground.
            await sleeper.sleep(until: heartbeatDue, or: heartbeatRescheduled)
            if Task.isCancelled { return }
            if let due = heartbeatDue, clock.now().monotonic >= due { heartbeat() }
        }
    }
}
