// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayBehavior
internal import TrackwayDelivery
internal import TrackwayEvents
internal import TrackwayJournal
internal import TrackwayPlatform

/// The existing destinations, and the persisted state of queues.
///
/// There are two locks. The existing destinations are checked for every event with an explicit route, so that lock is
/// held only for a moment and is the innermost of all. The other lock is acquired where the file is read or written,
/// never by recording threads: changes that a full disk did not accept are written by the storage queue. Destinations
/// are added and removed one at a time, which the caller ensures.
final class QueueRegistry: Sendable {
    private struct Presence: Sendable {
        /// The destinations that events may be addressed to.
        var destinations: Set<DestinationID>
        /// The time for which repeats are rejected, for destinations that reject them.
        var windows: [DestinationID: Duration] = [:]
        /// The signed-in user in the context that the journal received last.
        var user: String?
        /// Whether some state could not be written yet.
        var isBehind = false
    }

    private struct State: Sendable {
        var memory = QueueRegistryMemory()
        /// Changes that could not be written yet.
        ///
        /// They are applied again to the file's later content.
        var unsaved: [QueueRegistryMemory.Change] = []
        var failure = ReportedFailure()
    }

    /// A destination that rejects repeats.
    struct Watch: Sendable {
        let destination: DestinationID
        /// The signed-in user; nil if none.
        let user: String?
    }

    /// The content of the file.
    ///
    /// After power loss, an older state may be restored. That costs an early upload or a repeated event.
    private struct Kept: Sendable, Codable {
        var version = 1
        var registry: QueueRegistryMemory

        private enum CodingKeys: String, CodingKey {
            case version
            // The name in the file format; see JournalFormat.
            case registry = "streams"
        }
    }

    /// The destinations of the configuration, which cannot be removed.
    let configured: Set<DestinationID>
    private let file: StateFile<Kept>
    private let queue: StorageQueue
    private let repeats: RepeatFilter
    private let reporter: DiagnosticReporter
    private let presence: Locked<Presence>
    private let state: Locked<State>

    /// The maximum number of destinations.
    static let most = 256

    /// Reads the state of earlier runs.
    ///
    /// State that cannot be read or decoded is reported and counts as empty.
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
            // If the file becomes readable later, it is read then; that was already reported once for all files.
            if dependencies.availability?.isTemporary(error) != true { reporter.report(.streamsNotKept(error)) }
        }
        repeats = RepeatFilter(
            LastAccepted(folder: dependencies.folder, storage: dependencies.storage),
            boot: dependencies.facts.boot,
            expected: configured.union(state.memory.destinations)
        )
        self.state = Locked(state)
    }

    /// Reads the file, which could not be read at the start.
    ///
    /// State stored since then takes precedence.
    func recall() {
        state.withLock { state in
            guard state.unsaved.isEmpty, let kept = file.readable else { return }
            state.memory = kept.registry
            state.failure.worked()
        }
    }

    /// The existing destinations.
    var present: Set<DestinationID> { presence.withLock { $0.destinations } }

    /// Destinations that an earlier run added and that may be added again.
    ///
    /// Events that are recorded until then are addressed to them, too.
    var expected: [DestinationID] {
        let present = present
        return state.withLock { state in state.memory.destinations.filter { !present.contains($0) } }
    }

    /// The app-managed destinations in ``expected``.
    var expectedTargets: Set<DestinationID> {
        let expected = Set(expected)
        return state.withLock { $0.memory.targetIDs.intersection(expected) }
    }

    func contains(_ id: DestinationID) -> Bool {
        presence.withLock { $0.destinations.contains(id) }
    }

    // MARK: Destination changes

    /// - Throws: If a destination cannot be added because its id is in use, or because there are too many.
    func checkCanAdd(for id: DestinationID) throws(TrackwayError) {
        let present = present
        guard !present.contains(id) else { throw TrackwayError(alreadyThere: id) }
        guard present.count < Self.most else { throw TrackwayError(tooMany: id, most: Self.most) }
    }

    /// Adds a destination that the journal already knows.
    ///
    /// There must be space for it. From here on, events are addressed to it.
    ///
    /// - Parameter isAppManaged: Whether the destination is app-managed.
    /// - Returns: A diagnostic if the change could not be stored.
    func add(_ id: DestinationID, _ policy: DeliveryPolicy, isAppManaged: Bool = false) -> Diagnostic? {
        presence.withLock { presence in
            presence.destinations.insert(id)
            presence.windows[id] = policy.queue?.window
        }
        let problem = state.withLock { state in
            let memory = state.memory
            let isKnown = memory.destinations.last == id && memory.targetIDs.contains(id) == isAppManaged
            return isKnown ? nil : remember(.added(id, isAppManaged: isAppManaged), &state)
        }
        return forgetContent(of: id, unless: policy.queue?.window) ?? problem
    }

    /// Removes a destination.
    ///
    /// - Parameter close: Removes the destination from the journal. Not called if there is nothing to remove.
    /// - Returns: Whether a destination was removed, and a diagnostic if the change could not be stored.
    func remove(_ id: DestinationID, close: () -> Void) -> (Bool, Diagnostic?) {
        guard !configured.contains(id) else { return (false, nil) }
        let isThere = presence.withLock { presence in
            presence.windows[id] = nil
            return presence.destinations.remove(id) != nil
        }
        // A destination that only an earlier run added is no longer expected, either.
        guard isThere || state.withLock({ $0.memory.destinations.contains(id) }) else { return (false, nil) }
        close()
        return (isThere, state.withLock { remember(.removed(id), &$0) })
    }

    /// Changes a queue's rule about repeats.
    ///
    /// - Returns: A diagnostic if the change could not be stored.
    func setQueue(_ policy: QueuePolicy, of id: DestinationID) -> Diagnostic? {
        presence.withLock { $0.windows[id] = $0.destinations.contains(id) ? policy.window : nil }
        return forgetContent(of: id, unless: policy.window)
    }

    /// Removes a queue's stored last event if the queue now accepts repeats.
    private func forgetContent(of id: DestinationID, unless window: Duration?) -> Diagnostic? {
        window == nil ? repeats.forget(id) : nil
    }

    /// Removes everything except the existing destinations.
    ///
    /// - Parameter leave: Removes from the journal a destination that was only expected.
    func forget(leave: (DestinationID) -> Void) throws(StorageError) {
        let present = present
        try state.withLock { (state) throws(StorageError) in
            for id in state.memory.destinations where !present.contains(id) { leave(id) }
            let change = QueueRegistryMemory.Change.erased(state.memory.destinations.filter { present.contains($0) })
            state.memory.apply(change)
            state.unsaved = [change]
            // State of other processes is removed, too, so it is not read.
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

    /// Sets the user of the context for events that are recorded from now on.
    func userChanged(to user: String?) {
        presence.withLock { $0.user = user }
    }

    /// Returns the check before an append; nil if the destination accepts repeats.
    func watch(on id: DestinationID) -> Watch? {
        presence.withLock { presence in
            presence.windows[id].map { _ in Watch(destination: id, user: presence.user) }
        }
    }

    /// Appends an event unless it repeats the last one.
    ///
    /// - Parameter append: Appends the event to the journal. Called under the lock, so that of two equal concurrent
    ///   events only one is accepted.
    /// - Returns: The journal's outcome, or nil for a repeat; and a diagnostic if state could not be stored.
    func append(
        _ content: String,
        to id: DestinationID,
        at now: DualTimestamp,
        _ append: () -> AppendOutcome
    ) -> (AppendOutcome?, Diagnostic?) {
        let (window, isBehind) = presence.withLock { ($0.windows[id] ?? .zero, $0.isBehind) }
        let (outcome, problem) = repeats.append(content, to: id, within: window, at: now, append)
        // If this write succeeded, earlier changes may be written, too.
        if isBehind, problem == nil { retry() }
        return (outcome, problem)
    }

    /// Makes the storage queue write earlier changes that could not be written.
    private func retry() {
        queue.order { [self] in
            let problem = state.withLock { state in
                state.unsaved.isEmpty ? nil : save(&state, .many)
            }
            if let problem { reporter.report(problem) }
        }
    }

    // MARK: Persistence

    /// - Returns: A diagnostic to report once no lock is held, for the first of several consecutive failures.
    private func remember(_ change: QueueRegistryMemory.Change, _ state: inout State) -> Diagnostic? {
        state.memory.apply(change)
        state.unsaved.removeAll { change.replaces($0) }
        state.unsaved.append(change)
        return save(&state, .few)
    }

    /// Reads the file, applies this process's changes and replaces the file, with exclusive access.
    private func save(_ state: inout State, _ attempts: LockAttempts) -> Diagnostic? {
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
                // Another process may have been stopped while holding the lock; the app does not wait for it again.
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

    /// Applies this process's changes to the file's content.
    ///
    /// Another process may have changed the file.
    private func catchUp(_ state: inout State) throws(StorageError) {
        guard case .kept(let kept, _) = try file.read() else { return }
        var stored = kept.registry
        for change in state.unsaved { stored.apply(change) }
        state.memory = stored
    }
}

extension QueueRegistry: QueueMemory {
    /// Returns the time of a queue's last upload request by any process.
    func recall(_ destination: DestinationID) -> DeviceTime? {
        state.withLock { state in
            try? catchUp(&state)  // The known state is sufficient while the file cannot be read.
            return state.memory.lastUpload(of: destination)
        }
    }

    /// Stores the time of an upload request.
    ///
    /// A time that cannot be written costs an early upload after a restart, and is written with the next change.
    func keep(_ lastUpload: DeviceTime, for destination: DestinationID) {
        let problem = state.withLock { remember(.uploaded(destination, lastUpload), &$0) }
        if let problem { reporter.report(problem) }
    }
}

extension QueuePolicy {
    /// The time for which repeats are rejected; nil if they are accepted.
    fileprivate var window: Duration? { acceptSameEventAfter > .zero ? acceptSameEventAfter : nil }
}

extension Diagnostic {
    static func streamsDamaged(_ why: String) -> Diagnostic {
        Diagnostic(
            code: .streamsDamaged,
            field: "streams",
            value: why,
            message: "The stored state of queues is damaged (\(why)). No event is lost. Queues start without a last "
                + "upload or last event.",
            recoverySuggestion: "Call addDestination again for destinations that were added at run time."
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
            "The destination \"\(id)\" was not added because the maximum of \(most) destinations already exist.",
            recoverySuggestion: "First remove destinations that are not needed."
        )
    }
}
