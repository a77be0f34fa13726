// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayBehavior
internal import TrackwayDelivery
internal import TrackwayEvents
package import TrackwayJournal

/// Runs ``SnapshotMachine``: passes inputs to it and carries out its orders in order.
///
/// Inputs come from any thread. Only the machine is called under the lock. Its orders are carried out afterwards, by
/// one thread at a time, so that a start and a stop, or two events, are never reordered. The app and sensors are called
/// on the threads of their sources.
package final class SnapshotController: Sendable {
    private struct State: Sendable {
        var machine: SnapshotMachine
        /// Orders that have not been carried out yet.
        var orders = SnapshotOrders()
        var isPerforming = false
        /// Whether the process's start was recorded, or could have been.
        ///
        /// Before that, the app may still change settings.
        var hasBegun = false
        /// Whether the installation is being erased.
        var isForgetting = false
        /// The number of erasures.
        var erasures = 0
        /// Whether the app has paused snapshots.
        var isResting = false
        /// Whether the app has shut the SDK down or released it.
        var isOver = false
    }

    private let options: SnapshotOptions
    private let sources: SourceThreads
    private let file: StateFile<KeptSnapshots>
    private let contextStore: ContextStore
    private let behavior: LifecycleController
    /// The reported problems of sources and sensors, each of which is reported once.
    private let told = Locked<Set<String>>([])
    private let fileFailure = Locked(ReportedFailure())
    private let clock: any EventClock
    private let boot: String
    private let start: MonotonicTime
    private let state: Locked<State>
    /// Carries out orders caused by screens.
    ///
    /// nil unless screens are reported on a thread that must not wait for a disk.
    private let queue: StorageQueue?
    /// Signaled when the due time may have changed.
    private let replanned = WakeSignal()

    /// Creates a controller, which takes no snapshots before ``begin()``.
    init(
        _ options: SnapshotOptions,
        in dependencies: Dependencies,
        contextStore: ContextStore,
        behavior: LifecycleController
    ) {
        self.options = options
        self.contextStore = contextStore
        self.behavior = behavior
        clock = dependencies.clock
        boot = dependencies.facts.boot
        queue = dependencies.lifeCycleQueue
        start = dependencies.clock.now().monotonic
        sources = SourceThreads(options.sources ?? dependencies.snapshotSources, on: dependencies.sourceThread)
        file = StateFile("snapshots", in: dependencies.folder, of: dependencies.storage, format: .json)
        let rules = SnapshotRules(
            policy: options.policy,
            sources: sources.parts,
            allowsMotion: options.allowsMotion,
            allowsLocation: options.allowsLocation,
            repeatsPropertiesAfter: options.repeatsDevicePropertiesAfter
        )
        let (memory, diagnostic) = Self.recall(file, options.policy)
        state = Locked(State(machine: SnapshotMachine(memory, rules, app: dependencies.launchState)))
        if let diagnostic { contextStore.perform { $0.report(diagnostic) } }
    }

    /// The time at which to call ``timeCame()`` next; nil for never.
    package var due: MonotonicTime? { state.withLock { due($0) } }

    private func due(_ state: State) -> MonotonicTime? {
        if state.isOver { return nil }
        return state.hasBegun ? state.machine.due : start.advanced(by: LifecycleController.startDelay)
    }

    /// Whether a snapshot taken now would contain the location.
    var canCollectLocation: Bool {
        state.withLock { $0.machine.rules.allowsLocation } && sources.isLocationAuthorized
    }

    // MARK: Inputs

    /// Enables snapshots, once the process's start is recorded or due.
    package func begin() {
        report { _, _ in [] }
    }

    /// Handles the time in ``due``.
    package func timeCame() {
        report { machine, now in machine.timeCame(at: now) }
    }

    /// Handles lifecycle changes, in order, from the system or from the app.
    func lifeCycleChanged(_ changes: [LifeCycleChange]) {
        report { machine, now in
            changes.flatMap { machine.appChanged(to: machine.app.after($0), at: now) }
        }
    }

    /// Handles a screen that the app shows.
    func screenShown(_ title: String?) {
        report(isLater: true) { machine, now in machine.screenShown(title, at: now) }
    }

    /// Takes a snapshot of the app's state and, by default, of the device properties.
    func collect(_ title: String?, reportsProperties: Bool = true, at time: Timestamp? = nil) {
        report { machine, now in machine.requested(title, reportsProperties: reportsProperties, saying: time, at: now) }
    }

    /// Takes a snapshot of the device properties.
    func collectProperties() {
        report { machine, now in machine.requestedProperties(at: now) }
    }

    /// Takes a snapshot if the last one is too old.
    func collectIfDue() {
        report { machine, now in machine.requestedIfDue(at: now) }
    }

    /// Allows or forbids motion and location.
    func allows(motion: Bool, location: Bool) {
        report(begins: false) { machine, now in machine.allows(motion: motion, location: location, at: now) }
    }

    /// Handles a motion reading; `run` is nil if the app took it.
    func read(_ reading: MotionReading, run: Int?) {
        report(begins: false) { machine, _ in
            machine.read(reading, run: run)
            return []
        }
    }

    /// Handles a compass reading; `run` is nil if the app took it.
    func read(_ heading: Heading, run: Int?) {
        report(begins: false) { machine, _ in
            machine.read(heading, run: run)
            return []
        }
    }

    /// Applies consent or the enabled state, which determine what may be observed.
    func permissionChanged() {
        report(begins: false) { _, _ in [] }
    }

    /// Pauses or resumes snapshots.
    func rests(_ isResting: Bool) {
        change { state, _ in state.isResting = isResting }
        permissionChanged()
    }

    /// Passes an input to the machine, with the current time.
    ///
    /// - Parameters:
    ///   - begins: Whether the input shows that the process is past its start.
    ///   - isLater: See `change`.
    private func report(
        begins: Bool = true,
        isLater: Bool = false,
        _ input: (inout SnapshotMachine, DeviceTime) -> [SnapshotMachine.Action]
    ) {
        change(isLater: isLater) { state, now in
            if begins { state.hasBegun = true }
            let watches = state.hasBegun && !state.isForgetting && !state.isOver && !state.isResting
            // Apply the permission before the input, so that a machine that may observe again receives the input.
            state.orders.append(state.machine.watches(watches ? permitted : [], at: now) + input(&state.machine, now))
        }
    }

    /// The snapshots that may be recorded now.
    ///
    /// Values for others need not be read.
    private var permitted: Set<SnapshotKind> {
        var kinds: Set<SnapshotKind> = []
        if contextStore.mayRecord(CapturedName.deviceProperties, to: options.devicePropertiesRoute.ids) {
            kinds.insert(.deviceProperties)
        }
        if contextStore.mayRecord(CapturedName.appState, to: options.appStateRoute.ids) { kinds.insert(.appState) }
        return kinds
    }

    /// Records the snapshot in progress with the values so far, and takes no more.
    ///
    /// Called when the app shuts the SDK down.
    func end() {
        change { state, now in
            state.orders.append(state.machine.ended(at: now))
            state.isOver = true
        }
    }

    /// Stops sensors and records nothing more, because the ``Analytics`` was released.
    package func abandon() {
        change { state, now in
            state.orders.append(state.machine.watches([], at: now))
            state.isOver = true
        }
    }

    /// Removes all state, because the installation was erased.
    ///
    /// Takes no snapshots until ``beginAnew()``.
    package func forget() throws(StorageError) {
        change { state, now in
            state.isForgetting = true
            state.erasures += 1
            // Data of the former installation must not be recorded for the next one.
            state.orders.forget()
            state.orders.append(state.machine.forgotten(at: now))
        }
        try file.remove()
    }

    /// Begins a new installation.
    func beginAnew() {
        change { state, _ in state.isForgetting = false }
        begin()
    }

    // MARK: Actions

    /// Changes the state, and carries out the resulting orders.
    ///
    /// If another thread is carrying out orders, it carries out these, too. The time is read under the lock, and the
    /// gate in `body`, so that of two concurrent inputs the later one does not see older facts.
    ///
    /// - Parameter isLater: Whether to carry out orders on the queue, if there is one, because the caller's thread must
    ///   not wait for the disk.
    private func change(isLater: Bool = false, _ body: (inout State, DeviceTime) -> Void) {
        let (isMine, isReplanned) = state.withLock { state -> (Bool, Bool) in
            let before = due(state)
            body(&state, DeviceTime(clock.now(), boot: boot))
            let isReplanned = due(state) != before
            guard !state.isPerforming, !state.orders.isEmpty else { return (false, isReplanned) }
            state.isPerforming = true
            return (true, isReplanned)
        }
        // Readings are frequent and do not change the due time.
        if isReplanned { replanned.signal() }
        guard isMine else { return }
        guard isLater, let queue else { return performAll() }
        queue.order { self.performAll() }
    }

    private func performAll() {
        while let order = nextOrder() { perform(order) }
    }

    private func nextOrder() -> SnapshotMachine.Action? {
        state.withLock { state in
            let order = state.orders.take()
            if order == nil { state.isPerforming = false }
            return order
        }
    }

    /// Carries out one order.
    ///
    /// Holds no lock.
    private func perform(_ order: SnapshotMachine.Action) {
        switch order {
        case .ask(let part):
            sources.ask(part) { [weak self] ask in
                if let self, let answer = ask() { answered(answer) }
            }
        case .startHeading(let run):
            sources.startHeading { [weak self] in self?.read($0, run: run) }
        case .stopHeading:
            sources.stopHeading()
        case .startMotion(let means, let run):
            sources.startMotion(means) { [weak self] in self?.read($0, run: run) }
        case .stopMotion:
            sources.stopMotion()
        case .recordProperties(let attributes, let time):
            record(CapturedName.deviceProperties, attributes, at: time, to: options.devicePropertiesRoute.ids)
        case .recordState(let state, let time, _):
            for number in state.unusable where isNews(number.name) {
                contextStore.perform { $0.report(.reading(number.name, number.value)) }
            }
            record(CapturedName.appState, state.attributes, at: time, to: options.appStateRoute.ids)
        case .reportSilent(let part):
            guard isNews(part.rawValue) else { return }
            contextStore.perform { $0.report(.silent(part)) }
        case .save:
            save()
        }
    }

    private func answered(_ answer: SnapshotAnswer) {
        let person = contextStore.current.user.id
        report(begins: false) { machine, now in machine.answered(answer, for: person, at: now) }
    }

    /// Records an event, after the process's start if that is not recorded yet.
    private func record(_ name: String, _ attributes: Attributes, at time: DeviceTime, to route: [DestinationID]) {
        behavior.begin()
        contextStore.perform { transaction in _ = transaction.record(name, attributes, at: time.moment, to: route) }
    }

    private func save() {
        let (memory, erasures) = state.withLock { ($0.machine.memory, $0.erasures) }
        do throws(StorageError) {
            try file.write(KeptSnapshots(memory))
            // If the installation was erased in the meantime, the written state belongs to the former one.
            if state.withLock({ $0.erasures }) != erasures { try file.remove() }
            fileFailure.withLock { $0.worked() }
        } catch {
            guard fileFailure.withLock({ $0.failed() }) else { return }
            contextStore.perform { $0.report(.snapshots(notKept: error)) }
        }
    }

    /// Whether this is reported for the first time.
    private func isNews(_ what: String) -> Bool {
        told.withLock { $0.insert(what).inserted }
    }

    /// Runs everything that depends on time.
    ///
    /// Returns when canceled.
    func run(_ sleeper: any DeliverySleeper) async {
        while !Task.isCancelled {
            await sleeper.sleep(until: due, or: replanned)
            if let due, due <= clock.now().monotonic, !Task.isCancelled { timeCame() }
        }
    }

    private static func recall(_ file: StateFile<KeptSnapshots>, _ policy: SnapshotPolicy) -> (
        SnapshotMemory, Diagnostic?
    ) {
        let fresh = SnapshotMemory(policy: policy)
        do throws(StorageError) {
            switch try file.read() {
            case .nothing:
                return (fresh, nil)
            case .kept(let kept, _):
                return (kept.memory, nil)
            case .damaged(let what):
                return (fresh, .snapshots(damaged: what))
            }
        } catch {
            return (fresh, .snapshots(notKept: error))
        }
    }
}

/// The times of snapshots and the recorded device properties, stored in the file `snapshots`.
///
/// After power loss, an older state may be restored, which costs a few additional snapshots. Processes of an
/// installation count separately; the file contains the state of the process that wrote last.
struct KeptSnapshots: Sendable, Codable {
    private var version = 1
    let memory: SnapshotMemory

    init(_ memory: SnapshotMemory) {
        self.memory = memory
    }
}
