// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore
internal import TrackwayDelivery
internal import TrackwayJournal
internal import TrackwayLifecycle
internal import TrackwayPlatform

/// The existing destinations, and the persisted state of queues.
///
/// There are two locks. The existing destinations are checked for every event with an explicit route, so their lock is
/// held only briefly and is the innermost lock. The other lock is acquired where the file is read or written, never by
/// recording threads: the storage queue writes changes that could not be written before, for example on a full disk.
/// The caller must add and remove destinations one at a time.
final class QueueRegistry: Sendable {
    private struct Presence: Sendable {
        /// The destinations that events may be addressed to.
        var destinations: Set<DestinationID>
        /// The period in which repeats are rejected, by destination.
        var windows: [DestinationID: Duration] = [:]
        /// The signed-in user in the context that the journal received last.
        var user: String?
        /// Whether any state has not been written yet.
        var hasUnsavedChanges = false
    }

    private struct State: Sendable {
        var memory = QueueRegistryMemory()
        /// Changes that could not be written yet.
        ///
        /// They are applied again to the file's later content.
        var unsaved: [QueueRegistryMemory.Change] = []
        var failure = ReportedFailure()
    }

    /// The repeat check for a destination that rejects repeats.
    struct RepeatCheck: Sendable {
        let destination: DestinationID
        /// The signed-in user; nil if none.
        let user: String?
    }

    /// The content of the file.
    ///
    /// After power loss, an older state may be restored. The effect is an early upload or a repeated event.
    private struct FileContent: Sendable, Codable {
        var version = 1
        var registry: QueueRegistryMemory

        private enum CodingKeys: String, CodingKey {
            case version
            // The file's name in the storage format; see JournalFormat.
            case registry = "streams"
        }
    }

    /// The destinations of the configuration, which cannot be removed.
    let configured: Set<DestinationID>
    private let file: StateFile<FileContent>
    private let queue: StorageQueue
    private let repeats: RepeatFilter
    private let reporter: DiagnosticReporter
    private let presence: Locked<Presence>
    private let state: Locked<State>

    /// The maximum number of destinations.
    static let maximumDestinations = 256

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
            case .missing: break
            case .stored(let content, _): state.memory = content.registry
            case .damaged(let why): reporter.report(.streamsDamaged(why))
            }
        } catch {
            _ = state.failure.noteFailure()
            // If the file may become readable later, it is read then; the error was already reported once for all
            // files.
            if dependencies.availability?.isTemporary(error) != true { reporter.report(.streamsNotKept(error)) }
        }
        repeats = RepeatFilter(
            LastAccepted(folder: dependencies.folder, storage: dependencies.storage),
            boot: dependencies.facts.boot,
            expected: configured.union(state.memory.destinations)
        )
        self.state = Locked(state)
    }

    /// Reads the file, which was unreadable at startup.
    ///
    /// State stored since startup takes precedence.
    func reload() {
        state.withLock { state in
            guard state.unsaved.isEmpty, let content = file.storedValue else { return }
            state.memory = content.registry
            state.failure.noteSuccess()
        }
    }

    /// The existing destinations.
    var present: Set<DestinationID> { presence.withLock { $0.destinations } }

    /// Destinations that an earlier run added and that may be added again.
    ///
    /// Events recorded before a destination is added again are addressed to it, too.
    var expected: [DestinationID] {
        let present = present
        return state.withLock { state in state.memory.destinations.filter { !present.contains($0) } }
    }

    /// The app-managed destinations in ``expected``.
    var expectedLocalDestinations: Set<DestinationID> {
        let expected = Set(expected)
        return state.withLock { $0.memory.localDestinationIDs.intersection(expected) }
    }

    func contains(_ id: DestinationID) -> Bool {
        presence.withLock { $0.destinations.contains(id) }
    }

    // MARK: Destination changes

    /// - Throws: ``TrackwayError`` if the id is in use or the maximum number of destinations has been reached.
    func checkCanAdd(for id: DestinationID) throws(TrackwayError) {
        let present = present
        guard !present.contains(id) else { throw TrackwayError(duplicateID: id) }
        guard present.count < Self.maximumDestinations else {
            throw TrackwayError(tooMany: id, limit: Self.maximumDestinations)
        }
    }

    /// Adds a destination that the journal already knows.
    ///
    /// The maximum number of destinations must not have been reached. Later events are addressed to the destination.
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
            let isKnown = memory.destinations.last == id && memory.localDestinationIDs.contains(id) == isAppManaged
            return isKnown ? nil : store(.added(id, isAppManaged: isAppManaged), &state)
        }
        return forgetLastEvent(of: id, unless: policy.queue?.window) ?? problem
    }

    /// Removes a destination.
    ///
    /// - Parameter close: A closure that removes the destination from the journal. Not called if there is nothing to
    ///   remove.
    /// - Returns: Whether a destination was removed, and a diagnostic if the change could not be stored.
    func remove(_ id: DestinationID, close: () -> Void) -> (Bool, Diagnostic?) {
        guard !configured.contains(id) else { return (false, nil) }
        let wasPresent = presence.withLock { presence in
            presence.windows[id] = nil
            return presence.destinations.remove(id) != nil
        }
        // A destination added only by an earlier run is no longer expected, either.
        guard wasPresent || state.withLock({ $0.memory.destinations.contains(id) }) else { return (false, nil) }
        close()
        return (wasPresent, state.withLock { store(.removed(id), &$0) })
    }

    /// Changes whether and for how long a queue rejects repeats.
    ///
    /// - Returns: A diagnostic if the change could not be stored.
    func setQueue(_ policy: QueuePolicy, of id: DestinationID) -> Diagnostic? {
        presence.withLock { $0.windows[id] = $0.destinations.contains(id) ? policy.window : nil }
        return forgetLastEvent(of: id, unless: policy.window)
    }

    /// Removes a queue's stored last event if the queue now accepts repeats.
    private func forgetLastEvent(of id: DestinationID, unless window: Duration?) -> Diagnostic? {
        window == nil ? repeats.forget(id) : nil
    }

    /// Removes everything except the existing destinations.
    ///
    /// - Parameter leave: A closure that removes a destination from the journal. Called for each expected destination
    ///   that does not exist.
    func forget(leave: (DestinationID) -> Void) throws(StorageError) {
        let present = present
        try state.withLock { (state) throws(StorageError) in
            for id in state.memory.destinations where !present.contains(id) { leave(id) }
            let change = QueueRegistryMemory.Change.erased(state.memory.destinations.filter { present.contains($0) })
            state.memory.apply(change)
            state.unsaved = [change]
            // State of other processes is also removed, so it is not read first.
            let memory = state.memory
            let hasLock = try file.exclusively(.many) { () throws(StorageError) in
                try file.write(FileContent(registry: memory))
            }
            guard hasLock else { throw file.lockUnavailable }
            state.unsaved = []
        }
        try repeats.forgetAll()
    }

    // MARK: Repeats

    /// Sets the signed-in user for events recorded after this call.
    func userChanged(to user: String?) {
        presence.withLock { $0.user = user }
    }

    /// Returns the check to run before an append.
    ///
    /// nil if the destination accepts repeated events.
    func repeatCheck(for id: DestinationID) -> RepeatCheck? {
        presence.withLock { presence in
            presence.windows[id].map { _ in RepeatCheck(destination: id, user: presence.user) }
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
        let (window, hasUnsavedChanges) = presence.withLock { ($0.windows[id] ?? .zero, $0.hasUnsavedChanges) }
        let (outcome, problem) = repeats.append(content, to: id, within: window, at: now, append)
        // If this write succeeded, earlier changes can probably be written, too.
        if hasUnsavedChanges, problem == nil { retry() }
        return (outcome, problem)
    }

    /// Schedules a write of earlier unsaved changes on the storage queue.
    private func retry() {
        queue.enqueue { [self] in
            let problem = state.withLock { state in
                state.unsaved.isEmpty ? nil : save(&state, .many)
            }
            if let problem { reporter.report(problem) }
        }
    }

    // MARK: Persistence

    /// - Returns: A diagnostic to report once no lock is held, for the first of several consecutive failures.
    private func store(_ change: QueueRegistryMemory.Change, _ state: inout State) -> Diagnostic? {
        state.memory.apply(change)
        state.unsaved.removeAll { change.replaces($0) }
        state.unsaved.append(change)
        return save(&state, .few)
    }

    /// Applies this process's changes to the file, with exclusive access.
    private func save(_ state: inout State, _ attempts: LockAttempts) -> Diagnostic? {
        defer {
            let hasUnsavedChanges = !state.unsaved.isEmpty
            presence.withLock { $0.hasUnsavedChanges = hasUnsavedChanges }
        }
        var latest = state
        do throws(StorageError) {
            let hasLock = try file.exclusively(attempts) { () throws(StorageError) in
                try mergeFromFile(&latest)
                try file.write(FileContent(registry: latest.memory))
            }
            guard hasLock else {
                // Another process may have been suspended while holding the lock; the app does not wait for that
                // process again.
                guard attempts != .many else { throw file.lockUnavailable }
                retry()
                return nil
            }
            state.memory = latest.memory
            state.unsaved = []
            state.failure.noteSuccess()
            return nil
        } catch {
            return state.failure.noteFailure() ? .streamsNotKept(error) : nil
        }
    }

    /// Applies this process's changes to the file's content.
    ///
    /// Another process may have changed the file.
    private func mergeFromFile(_ state: inout State) throws(StorageError) {
        guard case .stored(let content, _) = try file.read() else { return }
        var stored = content.registry
        for change in state.unsaved { stored.apply(change) }
        state.memory = stored
    }
}

extension QueueRegistry: UploadTimeStore {
    /// Returns the time of a queue's last upload request by any process.
    func recall(_ destination: DestinationID) -> DeviceTime? {
        state.withLock { state in
            try? mergeFromFile(&state)  // The known state suffices while the file cannot be read.
            return state.memory.lastUpload(of: destination)
        }
    }

    /// Stores the time of an upload request.
    ///
    /// A time that cannot be written is written with the next change; until then, a restart causes an early upload.
    func store(_ lastUpload: DeviceTime, for destination: DestinationID) {
        let problem = state.withLock { store(.uploaded(destination, lastUpload), &$0) }
        if let problem { reporter.report(problem) }
    }
}

extension QueuePolicy {
    /// The period in which repeats are rejected; nil if repeats are accepted.
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
    fileprivate init(duplicateID id: DestinationID) {
        self.init(
            .duplicateDestination,
            "A destination with the id \"\(id)\" already exists.",
            recoverySuggestion:
                "Remove it first, call replaceDestination to change its settings, or give the new one another id."
        )
    }

    fileprivate init(tooMany id: DestinationID, limit: Int) {
        self.init(
            .tooManyDestinations,
            "The destination \"\(id)\" was not added because the maximum of \(limit) destinations has been reached.",
            recoverySuggestion: "First remove destinations that are not needed."
        )
    }
}
