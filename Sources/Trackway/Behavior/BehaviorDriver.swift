// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayBehavior
internal import TrackwayDelivery
internal import TrackwayEvents
internal import TrackwayJournal
internal import TrackwayPlatform

/// Drives ``AppBehavior``: one input at a time, its orders carried out in their order before the next one.
///
/// One process of an installation captures, the one that holds the lock beside the file; the others record what their app
/// records, in the session they find there. Locks are taken in the order places, driver, context store, journal; nothing calls the
/// app, the settings or the control machine while it holds one of them. Any thread.
///
/// On systems whose main thread must not wait for a disk, the state is written with no lock held, by ``BehaviorKeeper``'s queue or
/// by the one on which announcements are dealt with. Only the start of the process reads and writes files under the driver's lock.
package final class BehaviorDriver: Sendable {
    /// The closure stands in a struct: a bare one in a generic place is wrapped once more with every access.
    private struct ScreenWatcher: Sendable {
        var report: @Sendable (RecordedContext.Screen) -> Void = { _ in }
    }

    /// How long the start waits for the app to say more about itself. Events of the SDK's own wait for it, see ``afterLaunch(_:)``.
    package static let startDelay = Duration.milliseconds(100)
    private let contextStore: ContextStore
    private let control: ControlDriver
    private let dynamic: DynamicAttributes
    private let clock: any EventClock
    private let boot: String
    private let resources: BehaviorResources
    private let lifeCycleQueue: StorageQueue?
    private let state: Locked<BehaviorState>
    /// Held while the lock beside the file is taken with the driver's not held, so that no thread of this process takes another one
    /// for another process.
    private let places = Locked(())
    private let watcher = Locked(ScreenWatcher())
    /// Whoever holds it may ask the state, and takes no other lock.
    private let heartbeats = Locked(HeartbeatMachine())
    private let heartbeatMoved = WakeSignal()
    /// What the user did last, while sessions can end in the foreground. Whoever holds its lock may ask the state, and takes no other one.
    let activity = ActivityWatch()
    // Announcements carry nothing, so one that waits stands for any number.
    private let (flushes, announceFlush) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))

    /// Makes a driver; the start it notes is recorded with the first event, or the first thing that happens.
    init(
        _ settings: BehaviorSettings,
        in dependencies: Dependencies,
        contextStore: ContextStore,
        control: ControlDriver,
        dynamic: DynamicAttributes,
        journal: Journal,
        takingOver: TakingOver
    ) {
        self.contextStore = contextStore
        self.control = control
        self.dynamic = dynamic
        clock = dependencies.clock
        boot = dependencies.facts.boot
        lifeCycleQueue = dependencies.lifeCycleQueue
        resources = BehaviorResources(in: dependencies, gate: control.gate, journal: journal, takingOver)
        var state = BehaviorState(dependencies.launch, settings: settings)
        if settings.capture.isCapturing {
            state.noteStart(at: DeviceTime(clock.now(), boot: boot), lastSign: resources.lastSign())
        }
        self.state = Locked(state)
        setGate()
    }

    /// Whether the person has the app before them, whoever captures.
    var isForeground: Bool { state.withLock { $0.app.isForeground } }

    // MARK: Inputs

    /// Records the start, if it has not been recorded yet and may be.
    package func begin() {
        guard control.gate.state.isSuperset(of: [.isOpen, .startPending]) else { return }
        step { _ in }
    }

    /// Does work of the SDK's own that records events or brings the start about: at once, or, while the app launches, after the start.
    ///
    /// An app launches until its start is recorded, by its first own event or a change of its life, and for ``startDelay`` at most. So
    /// what the app sets right after it made the SDK, such as global attributes, is part of the start, whatever comes meanwhile.
    ///
    /// - Parameter work: is done on this thread or the one that records the start, with no lock held, in the order of the calls. It is
    ///   given up when the process ends first, so what it records must be known to the next process, too.
    package func afterLaunch(_ work: @escaping @Sendable () -> Void) {
        // A forked child takes no lock; whatever the work records is refused there.
        guard !control.gate.isForked else { return work() }
        let now = clock.now().monotonic
        if state.withLock({ $0.postpone(work, at: now, for: Self.startDelay) }) { return }
        performDeferred()
        work()
    }

    /// Whether the app still launches, see ``afterLaunch(_:)``.
    var isLaunching: Bool {
        let now = clock.now().monotonic
        return state.withLock { $0.isLaunching(at: now, for: Self.startDelay) }
    }

    /// Records the start as ``begin()`` does, unless the app still launches: then the start is recorded when that is over.
    func beginAfterLaunch() {
        guard control.gate.state.isSuperset(of: [.isOpen, .startPending]), !isLaunching else { return }
        begin()
    }

    /// The app had its time to say more about itself: the start is recorded, if it may be, and what waited for it follows.
    package func launchEnded() {
        begin()
        performDeferred()
    }

    private func performDeferred() {
        let now = clock.now().monotonic
        for work in state.withLock({ $0.takeDeferred(at: now, for: Self.startDelay) }) { work() }
    }

    /// What earlier processes kept can be read now, as it could not be at the start.
    func storageArrived() {
        let lastSign = resources.lastSign()
        change { if $0.isPending { $0.lastSign = lastSign } }
        beginAfterLaunch()
    }

    /// The system, or the app in its place, changed the app's life in this order.
    ///
    /// - Parameters:
    ///   - facts: the facts as read anew, when the app comes back; nil when they are as before.
    ///   - stepsAside: whether the process may be stopped now, and must not take the lock with it.
    ///   - time: when they happened, if that was not just now.
    func lifeCycleChanged(
        _ changes: [LifeCycleChange],
        facts: ContextFacts?,
        stepsAside: Bool,
        at time: Moment? = nil
    ) {
        step(at: time) { $0.lifeCycleChanged(changes, facts: facts, stepsAside: stepsAside) }
        if changes.contains(.didBecomeActive) { activity.note(time ?? clock.now()) }
        changeHeartbeat { $0.lifeCycleChanged(at: $1, recorded: $2) }
    }

    /// A screen was shown.
    ///
    /// - Parameter mayComeLater: whether the caller's thread must not wait for the disk, where there is another one for it. Events
    ///   carry the screen when this returns, unless the return to the app is still to be recorded: then the screen comes after
    ///   that, with the time of the call.
    package func screenShown(_ view: ScreenView, mayComeLater: Bool = false) {
        if mayComeLater, let lifeCycleQueue, state.withLock({ $0.isWatching }) {
            let time = clock.now()
            lifeCycleQueue.order { [weak self] in self?.show(view, at: time) }
        } else {
            show(view)
        }
    }

    private func show(_ view: ScreenView, at time: Moment? = nil) {
        step(at: time) { $0.screenShown(view) }
        activity.note(time ?? clock.now())
        wakeHeartbeats()
        watcher.withLock { $0 }.report(view.screen)
    }

    /// Has somebody told of every screen that is shown, captured or not, after it was recorded. No lock is held meanwhile.
    func reportScreens(_ report: @escaping @Sendable (RecordedContext.Screen) -> Void) {
        watcher.withLock { $0.report = report }
    }

    /// Nobody opened the app in the time that it takes to open one.
    package func launchTimedOut() {
        step { $0.launchTimedOut() }
    }

    /// When the next ``heartbeat()`` is due; nil when none is. See ``HeartbeatMachine``.
    package var heartbeatDue: MonotonicTime? { heartbeats.withLock { $0.due } }

    /// Some time in the foreground went by.
    package func heartbeat() {
        step(records: false) { $0.heartbeat() }
        changeHeartbeat { $0.beaten(at: $1, recorded: $2) }
    }

    /// The person uses the app: something happened which leaves nothing else that tells of it, such as a touch that is no click. Waits
    /// for no file where there is a queue for that.
    package func somethingHappened() {
        wakeHeartbeats()
        guard control.gate.state.isSuperset(of: [.isOpen, .watchesActivity]) else { return }
        let time = clock.now()
        guard !activity.covers(time.monotonic) else { return }
        guard let lifeCycleQueue else { return userActs(at: time) }
        lifeCycleQueue.order { [weak self] in self?.userActs(at: time) }
    }

    /// The user does something, which is about to be recorded: a session that is over by the settings gives way to the next one first.
    /// Changes nothing while sessions end in the background only.
    ///
    /// - Parameter time: when, if not just now.
    func userActs(at time: Moment? = nil) {
        // While nothing may be recorded there is no activity either.
        guard control.gate.state.isSuperset(of: [.isOpen, .watchesActivity]) else { return }
        let time = time ?? clock.now()
        guard !activity.covers(time.monotonic) else { return }
        let (now, last) = (DeviceTime(time, boot: boot), activity.last.map { DeviceTime($0, boot: boot) })
        let isOver = state.withLock { $0.watchedLimits != nil && $0.behavior.endsSession(at: now, after: last) }
        if isOver { step(at: time) { $0.userActed() } }
        // Only now: who comes meanwhile must find the session over, too.
        activity.note(time)
    }

    /// Something happened that shows that the process is alive, whoever did it. Waits for no file.
    func wakeHeartbeats() {
        changeHeartbeat { $0.somethingHappened(at: $1, recorded: $2) }
    }

    /// Events may have been recorded by another way than the app's, which looks at the gate itself.
    func eventsRecorded() {
        if control.gate.state.contains(.heartbeatRests) { wakeHeartbeats() }
    }

    /// The system told of a crash or a hang, which lies beside the reports of processes now. What comes before the start is told
    /// with it, and does not bring it about.
    package func systemReportsArrived() {
        guard !state.withLock({ $0.isPending }) else { return }
        step { $0.systemReportsArrived() }
    }

    /// The app, or a back-end, chose what is captured.
    package func settingsChanged(to settings: BehaviorSettings) {
        if change({ $0.settingsChosen(settings) }) { return }
        step { $0.settingsChanged(to: settings) }
        wakeHeartbeats()
    }

    /// Another person is signed in: sessions that begin from now on are named after them.
    package func uniqueIDChanged(to uniqueID: String) {
        step(records: false) { $0.uniqueIDChanged(to: uniqueID) }
        wakeHeartbeats()
    }

    /// The person who used the app left: nothing that the app said about that one's screens is recorded any more.
    package func personChanged() {
        step(records: false) { $0.personChanged() }
    }

    /// The installation was erased: nothing of what was known is true any more.
    func forget() throws(StorageError) {
        change { $0.forgotten() }?.release()
        contextStore.perform { transaction in
            transaction.context.session = nil
            transaction.context.screen = nil
        }
        try resources.removeAll()
    }

    /// A new installation has begun; its first event brings its start about.
    func beginAnew() {
        change { $0.beganAnew() }
    }

    /// The app is done: its exit is recorded, and from now on nothing happens by itself.
    package func end() {
        begin()
        recordExit()
        change { $0.ended() }
        performDeferred()
    }

    /// The public object is gone: the exit is recorded, and another process may capture as soon as what this one knew is kept.
    package func abandon() {
        recordExit()
        guard let lock = change({ $0.abandoned() }) else { return }
        resources.keeper.whenSettled { lock.release() }
    }

    /// Brings what is known to stable storage before events leave the device that must not be recorded again: a first start, the
    /// number of a session, an exit. Waits for the disk.
    ///
    /// - Parameter writer: who recorded the events that are about to leave.
    func flush(before writer: WriterID) {
        // The lock waits for a turn that has recorded and not kept yet.
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
            // Sent all the same: a fault of this file must not hold up events. It is tried again with the next request.
            let isNews = state.withLock { state in
                state.isUnflushed = true
                return state.failure.failed()
            }
            if isNews { tellNotKept(error) }
        }
    }

    /// Records an orderly exit if the app is in front and this process captures. Whoever calls decides what is sent.
    private func recordExit() {
        guard state.withLock({ $0.isActing && $0.app.isForeground }) else { return }
        step(flushes: false) { turn in
            turn.lifeCycleChanged([.willTerminate], facts: nil, stepsAside: false)
        }
    }

    /// Returns when everything that was to be kept so far has been.
    package func untilKept() async {
        await withCheckedContinuation { kept in resources.keeper.whenSettled { kept.resume() } }
    }

    // MARK: Lock, ask, unlock, act

    /// How often a turn is put off at most, because what must be kept first changed while it was written.
    private static let putOffLimit = 3

    /// Has one input take its turn, as one step in the order of all steps; the start comes first, if that is still to be
    /// recorded.
    ///
    /// - Parameters:
    ///   - records: whether events may come of it, so that the app's closure is asked for attributes, before any lock is
    ///     taken.
    ///   - flushes: whether what waits is sent when the input asks for that.
    ///   - time: when it happened, if that was not just now.
    private func step(
        records: Bool = true,
        flushes: Bool = true,
        at time: Moment? = nil,
        _ input: (inout BehaviorTurn) -> Void
    ) {
        // A forked child must not keep states in the place of its parent.
        guard !control.gate.isForked else { return }
        // What waits for the start comes before what brings it about.
        if state.withLock({ $0.hasDeferred }) { takeTurn { _ in } }
        takeTurn(records: records, flushes: flushes, at: time, input)
    }

    private func takeTurn(
        records: Bool = true,
        flushes: Bool = true,
        at time: Moment? = nil,
        _ input: (inout BehaviorTurn) -> Void
    ) {
        let now = time.map { DeviceTime($0, boot: boot) } ?? now
        let dynamic = records ? dynamic.current() : [:]
        // The app may be called back below, so no lock is held there.
        finish(
            flushes,
            resources.keeper.isDeferring && state.withLock { $0.isWatching }
                ? places.withLock { _ in performInPlace(at: now, adding: dynamic, input) }
                : perform(at: now, adding: dynamic, .open, input)
        )
    }

    /// The same with the lock of ``places`` held.
    private func performInPlace(
        at now: DeviceTime,
        adding dynamic: Attributes,
        _ input: (inout BehaviorTurn) -> Void
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

    /// What remains to be done after a turn, with no lock held.
    private struct TurnResult: Sendable {
        let outcome: BehaviorTurn.Outcome
        let sideEffects: ContextTransaction.SideEffects
    }

    /// Has the input take turns until one of them is not put off.
    private func perform(
        at now: DeviceTime,
        adding dynamic: Attributes,
        _ place: BehaviorTurn.Search,
        _ input: (inout BehaviorTurn) -> Void
    ) -> TurnResult {
        var attempts = resources.keeper.isDeferring ? Self.putOffLimit : 0
        while true {
            if let turnResult = take(at: now, adding: dynamic, place, mayBePutOff: attempts > 0, input) {
                // Nobody needed it.
                if case .sought(let unused?) = turnResult.outcome.place { unused.lock.release() }
                return turnResult
            }
            do throws(StorageError) {
                try resources.keeper.settle()
                attempts -= 1
            } catch {
                // The turn goes on without, as it does on every system whose disk is full, and reports the error.
                attempts = 0
            }
        }
    }

    /// Lock, ask, unlock.
    ///
    /// - Returns: nil when something must be kept first, and the turn is to be taken again.
    private func take(
        at now: DeviceTime,
        adding dynamic: Attributes,
        _ place: BehaviorTurn.Search,
        mayBePutOff: Bool,
        _ input: (inout BehaviorTurn) -> Void
    ) -> TurnResult? {
        let resources = resources
        let active = activity.last.map { DeviceTime($0, boot: boot) }
        let (outcome, sideEffects) = state.withLock { state in
            contextStore.performUnreported { transaction in
                var turn = BehaviorTurn(
                    state,
                    transaction,
                    at: now,
                    adding: dynamic,
                    with: resources,
                    mayBePutOff: mayBePutOff,
                    place: place
                )
                turn.begin()
                // The machines do not see what the app records.
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

    /// Acts: reports, and writes or hands in what is to be kept. Holds no lock: the app may call back.
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

    /// Returns when what was handed in is with the kernel.
    private func keepNow() {
        do throws(StorageError) {
            try resources.keeper.settle()
        } catch {
            tellNotKept(error)
        }
    }

    private func keepLater() {
        resources.keeper.settleLater { [weak self] in self?.tellNotKept($0) }
    }

    private func tellNotKept(_ error: StorageError) {
        contextStore.report(Diagnostic(behaviorNotKept: error))
    }

    /// Changes the state alone.
    @discardableResult
    private func change<Answer: Sendable>(_ input: (inout BehaviorState) -> Answer) -> Answer {
        let answer = state.withLock { input(&$0) }
        followState()
        return answer
    }

    /// Brings heartbeats and recording in step with the state. Asked inside the heartbeats' lock, so that of two changes at the same time
    /// the later one counts.
    private func followState() {
        changeHeartbeat { machine, now, recorded in
            machine.follow(isBeating: state.withLock { $0.isBeating }, at: now, recorded: recorded)
        }
        activity.follow { state.withLock { $0.watchedLimits } }
        setGate()
    }

    /// Tells the heartbeats something that happens now, after this process recorded so many events.
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

    /// Brings recording in step: while the start is pending, the first event brings it about; while heartbeats rest, it wakes them; while
    /// sessions can end in the foreground, it is noted as activity. Asked inside the gate's lock, so that of two changes at the same
    /// time the later one counts.
    private func setGate() {
        control.setGate(.startPending) { state.withLock { $0.isPending } }
        control.setGate(.heartbeatRests) { heartbeats.withLock { $0.isResting } }
        control.setGate(.watchesActivity) { state.withLock { $0.watchedLimits != nil } }
    }

    private var now: DeviceTime { DeviceTime(clock.now(), boot: boot) }

    // MARK: Time

    /// Lets time do its part: the start, should nothing else bring it about, heartbeats in the foreground, and sending
    /// when the app leaves. Returns when cancelled.
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
            // While they rest, and while the app is not in the foreground, there is no timer.
            await sleeper.sleep(until: heartbeatDue, or: heartbeatMoved)
            if Task.isCancelled { return }
            if let due = heartbeatDue, clock.now().monotonic >= due { heartbeat() }
        }
    }
}
