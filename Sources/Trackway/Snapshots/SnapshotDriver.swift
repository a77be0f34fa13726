// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayBehavior
internal import TrackwayDelivery
internal import TrackwayEvents
package import TrackwayJournal

/// Drives ``SnapshotMachine``: hands it what happens, and carries out its orders in their order.
///
/// Inputs come from any thread. Under the lock the machine alone is asked; its orders are carried out after it, by one
/// thread at a time, so that a start and a stop, or two events, never change places. What the app or a sensor is asked
/// happens on a thread of the source's own.
package final class SnapshotDriver: Sendable {
    private struct State: Sendable {
        var machine: SnapshotMachine
        /// Orders that wait for whoever carries them out.
        var orders = SnapshotOrders()
        var isPerforming = false
        /// The start of the process was told, or could have been: until then the app has not said yet who it is.
        var hasBegun = false
        /// The installation is being erased.
        var isForgetting = false
        /// How often it was.
        var erasures = 0
        /// The app wants nothing collected for a while.
        var isResting = false
        /// The app has shut the SDK down, or let go of it.
        var isOver = false
    }

    private let options: SnapshotOptions
    private let sources: SourceThreads
    private let file: StateFile<KeptSnapshots>
    private let contextStore: ContextStore
    private let behavior: BehaviorDriver
    /// What the app has been told of sources and sensors, so that nothing is told with every snapshot.
    private let told = Locked<Set<String>>([])
    private let fileFailure = Locked(ReportedFailure())
    private let clock: any EventClock
    private let boot: String
    private let start: MonotonicTime
    private let state: Locked<State>
    /// Where what a screen brings about is done, when screens are told on a thread that must not wait for a disk.
    private let queue: StorageQueue?
    /// There may be another time to wait for.
    private let replanned = WakeSignal()

    /// Makes a driver. Nothing is taken before the start of the process was told; see ``begin()``.
    init(
        _ options: SnapshotOptions,
        in dependencies: Dependencies,
        contextStore: ContextStore,
        behavior: BehaviorDriver
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

    /// When ``timeCame()`` is to be called next; never when nil.
    package var due: MonotonicTime? { state.withLock { due($0) } }

    private func due(_ state: State) -> MonotonicTime? {
        if state.isOver { return nil }
        return state.hasBegun ? state.machine.due : start.advanced(by: BehaviorDriver.startDelay)
    }

    /// Whether a snapshot taken now would say where the device is.
    var canCollectLocation: Bool {
        state.withLock { $0.machine.rules.allowsLocation } && sources.isLocationAuthorized
    }

    // MARK: Inputs

    /// The start of the process was told, or it is time to tell it: snapshots are taken from now on.
    package func begin() {
        report { _, _ in [] }
    }

    /// Time passed.
    package func timeCame() {
        report { machine, now in machine.timeCame(at: now) }
    }

    /// The system, or the app in its place, changed the app's life in this order.
    func lifeCycleChanged(_ changes: [LifeCycleChange]) {
        report { machine, now in
            changes.flatMap { machine.appChanged(to: machine.app.after($0), at: now) }
        }
    }

    /// The app shows a screen.
    func screenShown(_ title: String?) {
        report(isLater: true) { machine, now in machine.screenShown(title, at: now) }
    }

    /// The app wants a snapshot of its state, and of what the device is unless it says that it does not.
    func collect(_ title: String?, reportsProperties: Bool = true, at time: Timestamp? = nil) {
        report { machine, now in machine.requested(title, reportsProperties: reportsProperties, saying: time, at: now) }
    }

    /// The app wants a snapshot of what the device is.
    func collectProperties() {
        report { machine, now in machine.requestedProperties(at: now) }
    }

    /// The app wants a snapshot if the last one is too long ago.
    func collectIfDue() {
        report { machine, now in machine.requestedIfDue(at: now) }
    }

    /// The app allows or forbids sensors.
    func allows(motion: Bool, location: Bool) {
        report(begins: false) { machine, now in machine.allows(motion: motion, location: location, at: now) }
    }

    /// A sensor of motion was read; nil for a run when the app read it.
    func read(_ reading: MotionReading, run: Int?) {
        report(begins: false) { machine, _ in
            machine.read(reading, run: run)
            return []
        }
    }

    /// A compass was read; nil for a run when the app read it.
    func read(_ heading: Heading, run: Int?) {
        report(begins: false) { machine, _ in
            machine.read(heading, run: run)
            return []
        }
    }

    /// Consent or switch may have changed, and with them whether anything may be watched.
    func permissionChanged() {
        report(begins: false) { _, _ in [] }
    }

    /// Nothing is to be collected for a while, or it goes on.
    func rests(_ isResting: Bool) {
        change { state, _ in state.isResting = isResting }
        permissionChanged()
    }

    /// Whatever happened, told to the machine at the time it is now.
    ///
    /// - Parameters:
    ///   - begins: whether it shows that the process is past its start.
    ///   - isLater: see `change`.
    private func report(
        begins: Bool = true,
        isLater: Bool = false,
        _ input: (inout SnapshotMachine, DeviceTime) -> [SnapshotMachine.Action]
    ) {
        change(isLater: isLater) { state, now in
            if begins { state.hasBegun = true }
            let watches = state.hasBegun && !state.isForgetting && !state.isOver && !state.isResting
            // What changed first comes first: who may watch again has not missed anything before.
            state.orders.append(state.machine.watches(watches ? permitted : [], at: now) + input(&state.machine, now))
        }
    }

    /// What may be told now: what nobody would record need not be read.
    private var permitted: Set<SnapshotKind> {
        var kinds: Set<SnapshotKind> = []
        if contextStore.mayRecord(CapturedName.deviceProperties, to: options.devicePropertiesRoute.ids) {
            kinds.insert(.deviceProperties)
        }
        if contextStore.mayRecord(CapturedName.appState, to: options.appStateRoute.ids) { kinds.insert(.appState) }
        return kinds
    }

    /// The app is done: what is under way is told with what there is, and nothing more is taken.
    func end() {
        change { state, now in
            state.orders.append(state.machine.ended(at: now))
            state.isOver = true
        }
    }

    /// The front door is gone: sensors rest, and nothing is told any more.
    package func abandon() {
        change { state, now in
            state.orders.append(state.machine.watches([], at: now))
            state.isOver = true
        }
    }

    /// The installation was erased: nothing of what was known is true any more. Until ``beginAnew()`` nothing is taken.
    package func forget() throws(StorageError) {
        change { state, now in
            state.isForgetting = true
            state.erasures += 1
            // What the former installation was about is not to be told of the next one.
            state.orders.forget()
            state.orders.append(state.machine.forgotten(at: now))
        }
        try file.remove()
    }

    /// A new installation has begun.
    func beginAnew() {
        change { state, _ in state.isForgetting = false }
        begin()
    }

    // MARK: Carrying out

    /// Changes the state, and carries out what comes of it, unless somebody is about it.
    ///
    /// The time is read under the lock, and the gate in `body`: of two inputs at the same time none sees older facts than
    /// the one before it.
    ///
    /// - Parameter isLater: whether the caller's thread must not wait for the disk, where there is another one for it.
    private func change(isLater: Bool = false, _ body: (inout State, DeviceTime) -> Void) {
        let (isMine, isReplanned) = state.withLock { state -> (Bool, Bool) in
            let before = due(state)
            body(&state, DeviceTime(clock.now(), boot: boot))
            let isReplanned = due(state) != before
            guard !state.isPerforming, !state.orders.isEmpty else { return (false, isReplanned) }
            state.isPerforming = true
            return (true, isReplanned)
        }
        // Readings come often, and change no plan.
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

    /// Carries out one order. Holds no lock.
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

    /// The start of the process comes before everything that is told of it.
    private func record(_ name: String, _ attributes: Attributes, at time: DeviceTime, to route: [DestinationID]) {
        behavior.begin()
        contextStore.perform { transaction in _ = transaction.record(name, attributes, at: time.moment, to: route) }
    }

    private func save() {
        let (memory, erasures) = state.withLock { ($0.machine.memory, $0.erasures) }
        do throws(StorageError) {
            try file.write(KeptSnapshots(memory))
            // Erased meanwhile: what was written was the former installation's.
            if state.withLock({ $0.erasures }) != erasures { try file.remove() }
            fileFailure.withLock { $0.worked() }
        } catch {
            guard fileFailure.withLock({ $0.failed() }) else { return }
            contextStore.perform { $0.report(.snapshots(notKept: error)) }
        }
    }

    /// Whether this is told for the first time.
    private func isNews(_ what: String) -> Bool {
        told.withLock { $0.insert(what).inserted }
    }

    /// Lets time do its part. Returns when cancelled.
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

/// When snapshots were taken and what was told of the device, as it lies in the file `snapshots`. After power loss an older
/// state may come back, which costs a few snapshots more. Processes of one installation each keep their own count, and leave
/// the file to whoever writes last.
struct KeptSnapshots: Sendable, Codable {
    private var version = 1
    let memory: SnapshotMemory

    init(_ memory: SnapshotMemory) {
        self.memory = memory
    }
}
