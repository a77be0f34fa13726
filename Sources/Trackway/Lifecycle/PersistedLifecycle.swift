// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore
internal import TrackwayJournal
internal import TrackwayLifecycle
internal import TrackwayPlatform

/// The persisted state of the lifecycle state machines.
///
/// The state is stored across processes in the file `behavior`.
///
/// The lock next to the file determines which process of an installation stores the state. After power loss, an older
/// state may be restored, which costs at most the last change of screen or session. See ``LifecyclePersister`` for the
/// effects of a kill.
struct PersistedLifecycle: Sendable, Codable {
    private var version = 1
    /// The state of the machines.
    let behavior: LifecycleStateMachine
    /// The writer of the process that stored this state.
    ///
    /// nil if the app was not in the foreground. If that process is killed, its last event shows how long it was alive.
    private let writer: String?

    init(_ behavior: LifecycleStateMachine, by writer: WriterID) {
        self.behavior = behavior
        self.writer = behavior.appState.isForeground ? writer.description : nil
    }

    /// Returns the time of the storing process's last record.
    ///
    /// The process was alive at least until that time. nil if the app was not in the foreground, if none of the
    /// process's records are left, or if an older version stored this state.
    ///
    /// - Complexity: O(size of the writer's last segment).
    func lastRecordTime(in folder: String, of storage: any JournalStorage) -> DeviceTime? {
        do {
            guard let writer = writer.flatMap({ WriterID($0) }),
                let last = try JournalInspector(folder: folder, storage: storage).lastEvent(of: writer)
            else { return nil }
            let event = try Event(json: last.payload)
            return DeviceTime(wall: event.time, monotonic: event.monotonic, boot: last.boot)
        } catch {
            return nil  // If the journal cannot be read, the stored heartbeat counts.
        }
    }
}

/// The resources that transactions of the ``LifecycleController`` use.
struct LifecycleResources: Sendable {
    /// The stored state, and the lock of the process that captures.
    final class Acquired: Sendable {
        /// The lock that the capturing process holds.
        ///
        /// A caller that does not use the lock must release it.
        let lock: any StorageLock
        let content: StateFile<PersistedLifecycle>.Content

        init(lock: any StorageLock, content: StateFile<PersistedLifecycle>.Content) {
            self.lock = lock
            self.content = content
        }
    }

    let file: StateFile<PersistedLifecycle>
    /// Writes the state to the file.
    let persister: LifecyclePersister
    /// The reports of processes that crashed.
    let crashReports: CrashReports
    let gate: RecordingState
    let journal: Journal
    private let folder: String
    private let storage: any JournalStorage
    private let migrator: any InstallationMigrator

    init(in dependencies: Dependencies, gate: RecordingState, journal: Journal, _ migrator: any InstallationMigrator) {
        self.migrator = migrator
        folder = dependencies.folder
        storage = dependencies.storage
        let file = StateFile<PersistedLifecycle>("behavior", in: folder, of: storage, format: .json)
        self.file = file
        persister = LifecyclePersister(
            file,
            on: dependencies.lifecycleQueue.map { _ in StorageQueue(label: "trackway.behavior") }
        )
        let reports = dependencies.crashReportLocation ?? (folder, storage)
        crashReports = CrashReports(in: reports.folder, storage: reports.storage)
        self.gate = gate
        self.journal = journal
    }

    /// Acquires the lock and reads the stored state.
    ///
    /// nil while another process captures.
    func acquire() throws(StorageError) -> Acquired? {
        guard let lock = try file.lock() else { return nil }
        do throws(StorageError) {
            return Acquired(lock: lock, content: try file.read())
        } catch {
            lock.release()
            throw error
        }
    }

    /// Returns the time of the previous process's last record.
    ///
    /// Call this before any of that process's journal can be removed.
    func lastRecordTime() -> DeviceTime? { file.storedValue.flatMap(lastRecordTime) }

    /// Returns the time of the storing process's last record.
    func lastRecordTime(_ persisted: PersistedLifecycle) -> DeviceTime? {
        persisted.lastRecordTime(in: folder, of: storage)
    }

    /// The initial state of a new installation.
    var initialState: LifecycleStateMachine { migrator.initialLifecycle }

    /// Removes the stored state and the crash reports.
    func removeAll() throws(StorageError) {
        persister.forget()
        try file.remove()
        try crashReports.removeAll()
    }
}

extension Diagnostic {
    init(behaviorDamaged what: String) {
        self.init(
            code: .behaviorDamaged,
            field: "behavior",
            value: what,
            message: "The stored session state is damaged (\(what)). Session numbers restart at 1. No event is "
                + "lost."
        )
    }

    init(behaviorNotKept error: StorageError) {
        self.init(
            code: .behaviorNotKept,
            field: "behavior",
            value: "\(error)",
            message: "The session state could not be read or stored (\(error)). Events are still recorded. If the "
                + "process is killed, its session may be counted twice.",
            recoverySuggestion: "Free some space, or make the storage folder readable and writable."
        )
    }
}

extension LifecycleAction {
    /// Whether the action records an event.
    var recordsEvent: Bool { if case .record = self { true } else { false } }

    /// The same action for an installation that existed before.
    ///
    /// nil if the action does not apply to such an installation.
    var forExistingInstallation: LifecycleAction? {
        guard case .record(let name, var attributes, let time) = self else { return self }
        if name == CapturedName.firstOpen { return nil }
        if attributes[CapturedKey.isFirstStart] != nil { attributes[CapturedKey.isFirstStart] = false }
        return .record(name: name, attributes: attributes, at: time)
    }
}
