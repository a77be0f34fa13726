// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayBehavior
internal import TrackwayDelivery
internal import TrackwayEvents
internal import TrackwayJournal
internal import TrackwayPlatform

/// Which destinations there are, and what must be remembered of queues.
///
/// Two locks. Who is there is asked with every event that names somebody, so that lock is held for a moment only, and is
/// the innermost of all. The other one is taken where the file is read and written, never by who records: what a full disk
/// did not take before, the storage queue writes.
/// Destinations come and go one at a time; the caller sees to that.
final class QueueRegistry: Sendable {
    private struct Presence: Sendable {
        /// Those that events may be addressed to.
        var destinations: Set<DestinationID>
        /// How long repeats are not taken, where they are not.
        var windows: [DestinationID: Duration] = [:]
        /// Who is signed in, by the context that was told to the journal last.
        var user: String?
        /// True while something is remembered here that could not be written.
        var isBehind = false
    }

    private struct State: Sendable {
        var memory = QueueRegistryMemory()
        /// What could not be written yet; put again on top of what the file then holds.
        var unsaved: [QueueRegistryMemory.Change] = []
        var failure = ReportedFailure()
    }

    /// A destination that does not take repeats.
    struct Watch: Sendable {
        let destination: DestinationID
        /// Who is signed in.
        let user: String?
    }

    /// What lies in the file. After power loss an older state may come back; that costs an upload too early, or an event
    /// that says nothing new.
    private struct Kept: Sendable, Codable {
        var version = 1
        var registry: QueueRegistryMemory

        private enum CodingKeys: String, CodingKey {
            case version
            // The format's name for it; see JournalFormat.
            case registry = "streams"
        }
    }

    /// The destinations of the configuration, which stay.
    let configured: Set<DestinationID>
    private let file: StateFile<Kept>
    private let queue: StorageQueue
    private let repeats: RepeatFilter
    private let reporter: DiagnosticReporter
    private let presence: Locked<Presence>
    private let state: Locked<State>

    /// How many destinations there may be at a time.
    static let most = 256

    /// Reads what earlier runs remembered. What cannot be read or understood is told, and counts as nothing.
    init(
        _ configuration: Configuration,
        _ dependencies: Dependencies,
        _ queue: StorageQueue,
        _ reporter: DiagnosticReporter
    ) {
        self.queue = queue
        file = StateFile("streams", in: dependencies.folder, of: dependencies.storage, format: .json)
        self.reporter = reporter
        configured = Set(configuration.destinations.map(\.id))
        var presence = Presence(destinations: configured)
        for destination in configuration.destinations {
            let policy = destination.delivery ?? configuration.delivery.policy
            presence.windows[destination.id] = policy.queue?.window
        }
        self.presence = Locked(presence)
        var state = State()
        do throws(StorageError) {
            switch try file.read() {
            case .nothing: break
            case .kept(let kept, _): state.memory = kept.registry
            case .damaged(let why): reporter.report(.streamsDamaged(why))
            }
        } catch {
            _ = state.failure.failed()
            // What will be readable later is read then; that was told once for everything.
            if dependencies.availability?.isTemporary(error) != true { reporter.report(.streamsNotKept(error)) }
        }
        repeats = RepeatFilter(
            LastAccepted(folder: dependencies.folder, storage: dependencies.storage),
            boot: dependencies.facts.boot,
            expected: configured.union(state.memory.destinations)
        )
        self.state = Locked(state)
    }

    /// The file can be read now, as it could not be at the start. What was remembered since counts more.
    func recall() {
        state.withLock { state in
            guard state.unsaved.isEmpty, let kept = file.readable else { return }
            state.memory = kept.registry
            state.failure.worked()
        }
    }

    /// The destinations that are there.
    var present: Set<DestinationID> { presence.withLock { $0.destinations } }

    /// Destinations that an earlier run added and that may be added again: what is recorded meanwhile is for them, too.
    var expected: [DestinationID] {
        let present = present
        return state.withLock { state in state.memory.destinations.filter { !present.contains($0) } }
    }

    /// Those among them that are targets of the app's.
    var expectedTargets: Set<DestinationID> {
        let expected = Set(expected)
        return state.withLock { $0.memory.targetIDs.intersection(expected) }
    }

    func contains(_ id: DestinationID) -> Bool {
        presence.withLock { $0.destinations.contains(id) }
    }

    // MARK: Destination changes

    /// - Throws: when a destination cannot be added, because it is there already or there are too many.
    func checkRoom(for id: DestinationID) throws(TrackwayError) {
        let present = present
        guard !present.contains(id) else { throw TrackwayError(alreadyThere: id) }
        guard present.count < Self.most else { throw TrackwayError(tooMany: id, most: Self.most) }
    }

    /// Takes up a destination there is room for, and that the journal knows already: from here on events are addressed to it.
    ///
    /// - Parameter isTarget: whether it is a target of the app's.
    /// - Returns: what could not be remembered.
    func add(_ id: DestinationID, _ policy: DeliveryPolicy, isTarget: Bool = false) -> Diagnostic? {
        presence.withLock { presence in
            presence.destinations.insert(id)
            presence.windows[id] = policy.queue?.window
        }
        let problem = state.withLock { state in
            let memory = state.memory
            let isKnown = memory.destinations.last == id && memory.targetIDs.contains(id) == isTarget
            return isKnown ? nil : remember(.added(id, isTarget: isTarget), &state)
        }
        return forgetContent(of: id, unless: policy.queue?.window) ?? problem
    }

    /// Lets a destination go.
    ///
    /// - Parameter close: makes the journal let it go, too. Not called when there is nothing to let go.
    /// - Returns: whether there was one to let go, and what could not be remembered.
    func remove(_ id: DestinationID, close: () -> Void) -> (Bool, Diagnostic?) {
        guard !configured.contains(id) else { return (false, nil) }
        let isThere = presence.withLock { presence in
            presence.windows[id] = nil
            return presence.destinations.remove(id) != nil
        }
        // One that only an earlier run added is not expected any more, either.
        guard isThere || state.withLock({ $0.memory.destinations.contains(id) }) else { return (false, nil) }
        close()
        return (isThere, state.withLock { remember(.removed(id), &$0) })
    }

    /// Holds a queue to another rule about repeats.
    ///
    /// - Returns: what could not be remembered.
    func setQueue(_ policy: QueuePolicy, of id: DestinationID) -> Diagnostic? {
        presence.withLock { $0.windows[id] = $0.destinations.contains(id) ? policy.window : nil }
        return forgetContent(of: id, unless: policy.window)
    }

    /// A queue that takes repeats does not say what it took last; what an earlier rule remembered is not it.
    private func forgetContent(of id: DestinationID, unless window: Duration?) -> Diagnostic? {
        window == nil ? repeats.forget(id) : nil
    }

    /// Forgets everything but the destinations that are there.
    ///
    /// - Parameter leave: makes the journal forget one that was only expected.
    func forget(leave: (DestinationID) -> Void) throws(StorageError) {
        let present = present
        try state.withLock { (state) throws(StorageError) in
            for id in state.memory.destinations where !present.contains(id) { leave(id) }
            let change = QueueRegistryMemory.Change.erased(state.memory.destinations.filter { present.contains($0) })
            state.memory.apply(change)
            state.unsaved = [change]
            // What others remember is forgotten, too: nothing of theirs is read.
            let memory = state.memory
            let isOurs = try file.exclusively(.many) { () throws(StorageError) in
                try file.write(Kept(registry: memory))
            }
            guard isOurs else { throw file.notOurTurn }
            state.unsaved = []
        }
        try repeats.forgetAll()
    }

    // MARK: Repeats

    /// The user of the context that events are recorded in from now on.
    func userChanged(to user: String?) {
        presence.withLock { $0.user = user }
    }

    /// What to look at before an event is appended for a destination by name; nil when it takes repeats.
    func watch(on id: DestinationID) -> Watch? {
        presence.withLock { presence in
            presence.windows[id].map { _ in Watch(destination: id, user: presence.user) }
        }
    }

    /// Appends an event unless it says what the last one said.
    ///
    /// - Parameter append: appends it to the journal. Called under the lock, so that of two equal events at the same time
    ///   only one is taken.
    /// - Returns: what the journal answered, nil for a repeat; and what could not be remembered.
    func append(
        _ content: String,
        to id: DestinationID,
        at now: Moment,
        _ append: () -> AppendOutcome
    ) -> (AppendOutcome?, Diagnostic?) {
        let (window, isBehind) = presence.withLock { ($0.windows[id] ?? .zero, $0.isBehind) }
        let (outcome, problem) = repeats.append(content, to: id, within: window, at: now, append)
        // A disk that takes this may take what it did not take before.
        if isBehind, problem == nil { retry() }
        return (outcome, problem)
    }

    /// Has the storage queue write what could not be written before.
    private func retry() {
        queue.order { [self] in
            let problem = state.withLock { state in
                state.unsaved.isEmpty ? nil : save(&state, .many)
            }
            if let problem { reporter.report(problem) }
        }
    }

    // MARK: Remembering

    /// - Returns: what is to be told, once no lock is held: the first failure in a row.
    private func remember(_ change: QueueRegistryMemory.Change, _ state: inout State) -> Diagnostic? {
        state.memory.apply(change)
        state.unsaved.removeAll { change.replaces($0) }
        state.unsaved.append(change)
        return save(&state, .few)
    }

    /// Reads the file, puts what happened here on top, and replaces it, in one turn.
    private func save(_ state: inout State, _ attempts: TurnAttempts) -> Diagnostic? {
        defer {
            let isBehind = !state.unsaved.isEmpty
            presence.withLock { $0.isBehind = isBehind }
        }
        var latest = state
        do throws(StorageError) {
            let isOurs = try file.exclusively(attempts) { () throws(StorageError) in
                try catchUp(&latest)
                try file.write(Kept(registry: latest.memory))
            }
            guard isOurs else {
                // A process that was stopped in the middle of its turn, perhaps: another wait of this kind is not the app's.
                guard attempts != .many else { throw file.notOurTurn }
                retry()
                return nil
            }
            state.memory = latest.memory
            state.unsaved = []
            state.failure.worked()
            return nil
        } catch {
            return state.failure.failed() ? .streamsNotKept(error) : nil
        }
    }

    /// Another process may have remembered something meanwhile; only what happened here is put on top.
    private func catchUp(_ state: inout State) throws(StorageError) {
        guard case .kept(let kept, _) = try file.read() else { return }
        var stored = kept.registry
        for change in state.unsaved { stored.apply(change) }
        state.memory = stored
    }
}

extension QueueRegistry: QueueMemory {
    /// When an upload of a queue was last asked for, by whichever process.
    func recall(_ destination: DestinationID) -> DeviceTime? {
        state.withLock { state in
            try? catchUp(&state)  // What is known here is good enough while the file cannot be read.
            return state.memory.lastUpload(of: destination)
        }
    }

    /// Keeps a time. One that cannot be written costs an upload too early after a restart, and is written with the next.
    func keep(_ lastUpload: DeviceTime, for destination: DestinationID) {
        let problem = state.withLock { remember(.uploaded(destination, lastUpload), &$0) }
        if let problem { reporter.report(problem) }
    }
}

extension QueuePolicy {
    /// How long repeats are not taken; nil when they are.
    fileprivate var window: Duration? { acceptSameEventAfter > .zero ? acceptSameEventAfter : nil }
}

extension Diagnostic {
    static func streamsDamaged(_ why: String) -> Diagnostic {
        Diagnostic(
            code: .streamsDamaged,
            field: "streams",
            value: why,
            message: "The stored state of queues is damaged (\(why)). No event is lost. Queues start without a last "
                + "upload and a last event.",
            recoverySuggestion: "Add the destinations again that were added at run time."
        )
    }

    static func streamsNotKept(_ error: StorageError) -> Diagnostic {
        Diagnostic(
            code: .streamsNotKept,
            field: "streams",
            value: "\(error)",
            message: "The state of queues could not be stored (\(error)). It applies to this process and is written "
                + "with the next change. No event is lost.",
            recoverySuggestion: "Free some space, or make the storage folder writable."
        )
    }
}

extension TrackwayError {
    fileprivate init(alreadyThere id: DestinationID) {
        self.init(
            .duplicateDestination,
            "A destination with the id \"\(id)\" already exists.",
            recoverySuggestion:
                "Remove it first, call replaceDestination to change its settings, or give the new one another id."
        )
    }

    fileprivate init(tooMany id: DestinationID, most: Int) {
        self.init(
            .tooManyDestinations,
            "The destination \"\(id)\" was not added because there are already \(most).",
            recoverySuggestion: "Remove destinations that are not needed first."
        )
    }
}
