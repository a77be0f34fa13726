// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayBehavior
internal import TrackwayEvents
internal import TrackwayJournal
internal import TrackwayPlatform

/// What the behaviour machines know, kept from one process to the next in the file `behavior`.
///
/// The lock beside the file says which process of an installation keeps it. After power loss an older state may come back,
/// which costs at most the last change of screen or session; see ``BehaviorKeeper`` for what a kill leaves.
struct KeptBehavior: Sendable, Codable {
    private var version = 1
    /// What the machines know.
    let behavior: AppBehavior
    /// The writer of the process that kept it, while the app was in sight: what it recorded last then tells how long the
    /// process lived, should it be killed.
    private let writer: String?

    init(_ behavior: AppBehavior, by writer: WriterID) {
        self.behavior = behavior
        self.writer = behavior.appState.isForeground ? writer.description : nil
    }

    /// When the process that kept this recorded last, if the app was in sight: it lived at least until then. nil when the
    /// app was not, when nothing of what it recorded is left, or when an older version kept this.
    ///
    /// - Complexity: O(size of the writer's last segment).
    func lastSign(in folder: String, of storage: any JournalStorage) -> DeviceTime? {
        do {
            guard let writer = writer.flatMap({ WriterID($0) }),
                let last = try JournalInspector(folder: folder, storage: storage).lastEvent(of: writer)
            else { return nil }
            let event = try Event(json: last.payload)
            return DeviceTime(wall: event.time, monotonic: event.monotonic, boot: last.boot)
        } catch {
            return nil  // What cannot be read now says nothing; the heartbeat that was kept counts then.
        }
    }
}

/// What the turns of the ``BehaviorDriver`` work with.
struct BehaviorResources: Sendable {
    /// What whoever captures finds, and holds from then on.
    struct Place: Sendable {
        /// Says that this process captures; given back by who does not use it.
        let lock: any StorageLock
        let content: StateFile<KeptBehavior>.Content
    }

    let file: StateFile<KeptBehavior>
    /// Writes the file.
    let keeper: BehaviorKeeper
    /// What processes that crashed left behind.
    let crashes: CrashReports
    let gate: RecordingGate
    let journal: Journal
    private let folder: String
    private let storage: any JournalStorage
    private let takingOver: TakingOver

    init(in dependencies: Dependencies, gate: RecordingGate, journal: Journal, _ takingOver: TakingOver) {
        self.takingOver = takingOver
        folder = dependencies.folder
        storage = dependencies.storage
        let file = StateFile<KeptBehavior>("behavior", in: folder, of: storage, format: .json)
        self.file = file
        keeper = BehaviorKeeper(
            file,
            on: dependencies.lifeCycleQueue.map { _ in StorageQueue(label: "trackway.behavior") }
        )
        let reports = dependencies.crashes ?? (folder, storage)
        crashes = CrashReports(in: reports.folder, storage: reports.storage)
        self.gate = gate
        self.journal = journal
    }

    /// Takes the lock, and reads what was kept; nil while another process captures.
    func place() throws(StorageError) -> Place? {
        guard let lock = try file.lock() else { return nil }
        do throws(StorageError) {
            return Place(lock: lock, content: try file.read())
        } catch {
            lock.release()
            throw error
        }
    }

    /// When the process before this one recorded last; read before anything of its journal can be removed.
    func lastSign() -> DeviceTime? { file.readable.flatMap(lastSign) }

    /// When the process that kept this recorded last.
    func lastSign(_ kept: KeptBehavior) -> DeviceTime? { kept.lastSign(in: folder, of: storage) }

    /// What a new installation begins with.
    var beginning: AppBehavior { takingOver.behavior }

    /// Removes what was kept and what crashes left behind.
    func removeAll() throws(StorageError) {
        keeper.forget()
        try file.remove()
        try crashes.removeAll()
    }
}

extension Diagnostic {
    init(behaviorDamaged what: String) {
        self.init(
            code: .behaviorDamaged,
            field: "behavior",
            value: what,
            message: "The stored state of sessions is damaged (\(what)). Sessions are counted from 1 again, and no "
                + "event is lost."
        )
    }

    init(behaviorNotKept error: StorageError) {
        self.init(
            code: .behaviorNotKept,
            field: "behavior",
            value: "\(error)",
            message: "The state of sessions could not be read or stored (\(error)). Events are recorded nevertheless; "
                + "after a kill the session may be counted twice.",
            recoverySuggestion: "Free some space, or make the storage folder readable and writable."
        )
    }
}

extension BehaviorAction {
    /// Whether it is an event.
    var isRecord: Bool { if case .record = self { true } else { false } }

    /// The same for an installation that ran before; nil when it would not have been ordered.
    var ofKnownInstallation: BehaviorAction? {
        guard case .record(let name, var attributes, let time) = self else { return self }
        if name == CapturedName.firstOpen { return nil }
        if attributes[CapturedKey.isFirstStart] != nil { attributes[CapturedKey.isFirstStart] = false }
        return .record(name: name, attributes: attributes, at: time)
    }
}
