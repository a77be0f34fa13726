// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore
internal import TrackwayDelivery
package import TrackwayJournal
internal import TrackwayLifecycle

/// Passes inputs to a ``SnapshotMachine`` and performs its actions in order.
///
/// Inputs come from any thread. Only the machine is called under the lock. The machine's actions are performed
/// afterward, by one thread at a time, so that a start and a stop, or two events, are never reordered. The app and
/// sensors are called on the threads of their sources.
package final class SnapshotController: Sendable {
    private struct State: Sendable {
        var machine: SnapshotMachine
        /// The actions that have not been performed yet.
        var actions = SnapshotActionQueue()
        var isPerforming = false
        /// Whether an input has shown that the process is past its start.
        ///
        /// Before such an input, the app may still change settings.
        var hasBegun = false
        /// Whether the installation is being erased.
        var isForgetting = false
        /// The number of erasures.
        var erasures = 0
        /// Whether the app has paused snapshots.
        var isPaused = false
        /// Whether the app has shut the SDK down or released it.
        var hasEnded = false
    }

    private let options: SnapshotOptions
    private let limitProperties: @Sendable (inout Attributes) -> Void
    private let sources: SourceThreads
    private let file: StateFile<PersistedSnapshots>
    private let contextStore: ContextStore
    private let lifecycle: LifecycleController
    /// The reported problems of sources and sensors, each of which is reported once.
    private let reportedProblems = Locked<Set<String>>([])
    private let fileFailure = Locked(ReportedFailure())
    private let clock: any EventClock
    private let boot: String
    private let start: MonotonicTime
    private let state: Locked<State>
    /// The queue that performs actions caused by screens.
    ///
    /// nil unless screens are reported on a thread that must not wait for a disk.
    private let queue: StorageQueue?
    /// Signaled when the due time may have changed.
    private let rescheduled = WakeSignal()

    /// Creates a controller, which takes no snapshots before ``begin()``.
    init(
        _ options: SnapshotOptions,
        in dependencies: Dependencies,
        contextStore: ContextStore,
        lifecycle: LifecycleController
    ) {
        self.options = options
        limitProperties = dependencies.limitDeviceProperties
        self.contextStore = contextStore
        self.lifecycle = lifecycle
        clock = dependencies.clock
        boot = dependencies.facts.boot
        queue = dependencies.lifecycleQueue
        start = dependencies.clock.now().monotonic
        let sources = options.sources ?? dependencies.snapshotSources
        self.sources = SourceThreads(
            options.isChildDirected ? sources.protectingChildren : sources,
            on: dependencies.sourceThread
        )
        file = StateFile("snapshots", in: dependencies.folder, of: dependencies.storage, format: .json)
        let rules = SnapshotRules(
            policy: options.policy,
            sources: self.sources.parts,
            allowsMotion: options.allowsMotion,
            allowsLocation: options.allowsLocation,
            propertiesRepeatInterval: options.repeatsDevicePropertiesAfter
        )
        let (memory, diagnostic) = Self.loadMemory(file, options.policy)
        state = Locked(State(machine: SnapshotMachine(memory, rules, app: dependencies.launchState)))
        if let diagnostic { contextStore.perform { $0.report(diagnostic) } }
    }

    /// The time of the next call of ``timerFired()``; nil for none.
    package var due: MonotonicTime? { state.withLock { due($0) } }

    private func due(_ state: State) -> MonotonicTime? {
        if state.hasEnded { return nil }
        return state.hasBegun ? state.machine.due : start.advanced(by: LifecycleController.startDelay)
    }

    /// Whether a snapshot taken now would contain the location.
    var canCollectLocation: Bool {
        state.withLock { $0.machine.rules.allowsLocation } && sources.isLocationAuthorized
    }

    // MARK: Inputs

    /// Enables snapshots, once the process's start is recorded or due.
    package func begin() {
        handle { _, _ in [] }
    }

    /// Handles the arrival of the time in ``due``.
    package func timerFired() {
        handle { machine, now in machine.timerFired(at: now) }
    }

    /// Handles lifecycle changes, in order, from the system or from the app.
    func lifecycleChanged(_ changes: [LifecycleChange]) {
        handle { machine, now in
            changes.flatMap { machine.appChanged(to: machine.app.after($0), at: now) }
        }
    }

    /// Handles a screen that the app shows.
    func screenShown(_ title: String?) {
        handle(isLater: true) { machine, now in machine.screenShown(title, at: now) }
    }

    /// Takes a snapshot of the app's state and, by default, of the device properties.
    func collect(_ title: String?, reportsProperties: Bool = true, at time: Timestamp? = nil) {
        handle { machine, now in
            machine.snapshotRequested(title, reportsProperties: reportsProperties, eventTime: time, at: now)
        }
    }

    /// Takes a snapshot of the device properties.
    func collectProperties() {
        handle { machine, now in machine.propertiesRequested(at: now) }
    }

    /// Takes a snapshot if the last one is too old.
    func collectIfDue() {
        handle { machine, now in machine.requestIfDue(at: now) }
    }

    /// Allows or forbids motion and location; both stay forbidden in an app for children.
    func setAllowed(motion: Bool, location: Bool) {
        guard !options.isChildDirected else { return }
        handle(begins: false) { machine, now in machine.setAllowed(motion: motion, location: location, at: now) }
    }

    /// Handles a motion reading; `run` is nil if the app took it.
    func add(_ reading: MotionReading, run: Int?) {
        handle(begins: false) { machine, _ in
            machine.receive(reading, run: run)
            return []
        }
    }

    /// Handles a compass reading; `run` is nil if the app took it.
    func add(_ heading: Heading, run: Int?) {
        handle(begins: false) { machine, _ in
            machine.receive(heading, run: run)
            return []
        }
    }

    /// Applies a change of consent or of the enabled state.
    ///
    /// Both determine what may be observed.
    func permissionChanged() {
        handle(begins: false) { _, _ in [] }
    }

    /// Pauses or resumes snapshots.
    func setPaused(_ isPaused: Bool) {
        change { state, _ in state.isPaused = isPaused }
        permissionChanged()
    }

    /// Passes an input to the machine, with the current time.
    ///
    /// - Parameters:
    ///   - begins: Whether the input shows that the process is past its start.
    ///   - isLater: See `change`.
    private func handle(
        begins: Bool = true,
        isLater: Bool = false,
        _ input: (inout SnapshotMachine, DeviceTime) -> [SnapshotMachine.Action]
    ) {
        change(isLater: isLater) { state, now in
            if begins { state.hasBegun = true }
            let watches = state.hasBegun && !state.isForgetting && !state.hasEnded && !state.isPaused
            // Apply the permission before the input, so that a machine that may observe again receives the input.
            state.actions.append(
                state.machine.setAllowedKinds(watches ? permitted : [], at: now) + input(&state.machine, now)
            )
        }
    }

    /// The kinds of snapshots that may currently be recorded.
    ///
    /// Values for other kinds need not be read.
    private var permitted: Set<SnapshotKind> {
        var kinds: Set<SnapshotKind> = []
        if contextStore.mayRecord(CapturedName.deviceProperties, to: options.devicePropertiesRoute.ids) {
            kinds.insert(.deviceProperties)
        }
        if contextStore.mayRecord(CapturedName.appState, to: options.appStateRoute.ids) { kinds.insert(.appState) }
        return kinds
    }

    /// Records the snapshot in progress with the values available, and stops accepting input.
    ///
    /// Called when the app shuts the SDK down. Later input is ignored.
    func end() {
        change { state, now in
            state.actions.append(state.machine.endAll(at: now))
            state.hasEnded = true
        }
    }

    /// Stops sensors and records nothing more, because the ``Analytics`` was released.
    package func abandon() {
        change { state, now in
            state.actions.append(state.machine.setAllowedKinds([], at: now))
            state.hasEnded = true
        }
    }

    /// Removes all state, because the installation was erased.
    ///
    /// No snapshots are taken until ``beginNewInstallation()``.
    package func forget() throws(StorageError) {
        change { state, now in
            state.isForgetting = true
            state.erasures += 1
            // Data of the former installation must not be recorded for the next one.
            state.actions.discardWrites()
            state.actions.append(state.machine.reset(at: now))
        }
        try file.remove()
    }

    /// Begins a new installation.
    func beginNewInstallation() {
        change { state, _ in state.isForgetting = false }
        begin()
    }

    // MARK: Actions

    /// Changes the state and performs the resulting actions.
    ///
    /// If another thread is already performing actions, that thread performs the new ones, too. The time is read under
    /// the lock, and the recording state is read in `body`, so that the later of two concurrent inputs does not see
    /// older facts.
    ///
    /// - Parameter isLater: Whether to perform actions on the queue, if there is one, because the caller's thread must
    ///   not wait for the disk.
    private func change(isLater: Bool = false, _ body: (inout State, DeviceTime) -> Void) {
        let (shouldPerform, isRescheduled) = state.withLock { state -> (Bool, Bool) in
            let before = due(state)
            body(&state, DeviceTime(clock.now(), boot: boot))
            let isRescheduled = due(state) != before
            guard !state.isPerforming, !state.actions.isEmpty else { return (false, isRescheduled) }
            state.isPerforming = true
            return (true, isRescheduled)
        }
        // Readings are frequent and do not change the due time.
        if isRescheduled { rescheduled.signal() }
        guard shouldPerform else { return }
        guard isLater, let queue else { return performAll() }
        queue.enqueue { self.performAll() }
    }

    private func performAll() {
        while let action = nextAction() { perform(action) }
    }

    private func nextAction() -> SnapshotMachine.Action? {
        state.withLock { state in
            let action = state.actions.next()
            if action == nil { state.isPerforming = false }
            return action
        }
    }

    /// Performs one action.
    ///
    /// Must be called with no lock held.
    private func perform(_ action: SnapshotMachine.Action) {
        switch action {
        case .query(let part):
            sources.query(part) { [weak self] query in
                if let self, let answer = query() { handleAnswer(answer) }
            }
        case .startHeading(let run):
            sources.startHeading { [weak self] in self?.add($0, run: run) }
        case .stopHeading:
            sources.stopHeading()
        case .startMotion(let mode, let run):
            sources.startMotion(mode) { [weak self] in self?.add($0, run: run) }
        case .stopMotion:
            sources.stopMotion()
        case .recordProperties(var attributes, let time):
            limitProperties(&attributes)
            record(CapturedName.deviceProperties, attributes, at: time, to: options.devicePropertiesRoute.ids)
        case .recordState(let state, let time, _):
            for number in state.unusable where isFirstReport(number.name) {
                contextStore.perform { $0.report(.reading(number.name, number.value)) }
            }
            record(CapturedName.appState, state.attributes, at: time, to: options.appStateRoute.ids)
        case .reportUnresponsiveSource(let part):
            guard isFirstReport(part.rawValue) else { return }
            contextStore.perform { $0.report(.silent(part)) }
        case .save:
            save()
        }
    }

    private func handleAnswer(_ answer: SnapshotAnswer) {
        let person = contextStore.current.user.id
        handle(begins: false) { machine, now in machine.sourceAnswered(answer, for: person, at: now) }
    }

    /// Records an event, preceded by the process's start if that is not recorded yet.
    private func record(_ name: String, _ attributes: Attributes, at time: DeviceTime, to route: [DestinationID]) {
        lifecycle.begin()
        contextStore.perform { transaction in _ = transaction.record(name, attributes, at: time.moment, to: route) }
    }

    private func save() {
        let (memory, erasures) = state.withLock { ($0.machine.memory, $0.erasures) }
        do throws(StorageError) {
            try file.write(PersistedSnapshots(memory))
            // If the installation was erased in the meantime, the written state belongs to the former one.
            if state.withLock({ $0.erasures }) != erasures { try file.remove() }
            fileFailure.withLock { $0.noteSuccess() }
        } catch {
            guard fileFailure.withLock({ $0.noteFailure() }) else { return }
            contextStore.perform { $0.report(.snapshots(notKept: error)) }
        }
    }

    /// Returns whether a problem is reported for the first time.
    private func isFirstReport(_ what: String) -> Bool {
        reportedProblems.withLock { $0.insert(what).inserted }
    }

    /// Runs everything that depends on time.
    ///
    /// Returns when canceled.
    func run(_ sleeper: any DeliverySleeper) async {
        while !Task.isCancelled {
            await sleeper.sleep(until: due, or: rescheduled)
            if let due, due <= clock.now().monotonic, !Task.isCancelled { timerFired() }
        }
    }

    private static func loadMemory(_ file: StateFile<PersistedSnapshots>, _ policy: SnapshotPolicy) -> (
        SnapshotMemory, Diagnostic?
    ) {
        let fresh = SnapshotMemory(policy: policy)
        do throws(StorageError) {
            switch try file.read() {
            case .missing:
                return (fresh, nil)
            case .stored(let persisted, _):
                return (persisted.memory, nil)
            case .damaged(let what):
                return (fresh, .snapshots(damaged: what))
            }
        } catch {
            return (fresh, .snapshots(notKept: error))
        }
    }
}

/// The persisted times of snapshots, and the recorded device properties.
///
/// They are stored in the file `snapshots`.
///
/// After power loss, an older state may be restored, which causes a few additional snapshots. Processes of an
/// installation count separately; the file contains the state of the process that wrote last.
struct PersistedSnapshots: Sendable, Codable {
    private var version = 1
    let memory: SnapshotMemory

    init(_ memory: SnapshotMemory) {
        self.memory = memory
    }
}
