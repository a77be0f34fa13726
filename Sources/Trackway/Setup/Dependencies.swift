// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayBehavior
package import TrackwayDelivery
package import TrackwayEvents
package import TrackwayJournal
package import TrackwayPlatform
package import TrackwayWire

/// Everything outside that an ``Analytics`` touches: time, chance, storage, network, facts.
///
/// The live one is made in `Setup/Live.swift`; tests put their own together.
package struct Dependencies: Sendable {
    /// Tells the time.
    package var clock: any EventClock
    /// Makes the ids of events.
    package var ids: EventIDGenerator
    /// Where the journal's bytes lie.
    package var storage: any JournalStorage
    /// The installation's folder in that storage, an absolute path.
    package var folder: String
    /// Bytes reserved per segment.
    package var segmentBytes: Int
    /// Carries requests.
    package var transport: any Transport
    /// The thread on which delivery waits for the storage; where it is called, when nil.
    package var deliveryExecutor: (any SerialExecutor)?
    /// Starts the task in which the analytics work until they end.
    package var startTask: @Sendable (_ body: @escaping @Sendable () async -> Void) -> Void = { body in
        Task { await body() }
    }
    /// Lets time pass for the delivery.
    package var sleeper: any DeliverySleeper
    /// Lets time pass for what is captured: the late start, and heartbeats.
    package var pacer: any DeliverySleeper
    /// Where the delivery draws its chance from.
    package var random: any RandomNumberGenerator & Sendable
    /// The facts that every event's context holds, without those of ``readDevice``.
    package var facts: ContextFacts
    /// Gives the device's facts, which the first call reads, where that takes time; nil where ``facts`` has them.
    package var readDevice: (@Sendable () -> Attributes)?
    /// Where diagnostics go while the app has no handler.
    package var log: DiagnosticReporter.Handler
    /// Takes a line of text: events, while they are logged.
    package var write: @Sendable (String) -> Void
    /// What the app does as the analytics are made, and for whom it was started.
    package var launch: LaunchReading
    /// Gives the offset of the time zone at a moment, in seconds; nil when it never changes.
    package var zoneOffset: (@Sendable (Timestamp) -> Int?)?
    /// Reads the facts again, when the app comes back to the foreground; nil when they cannot change.
    package var refreshFacts: (@Sendable () -> ContextFacts)?
    /// Begins to observe what the system does with the app; the answer is kept as long as the analytics live.
    package var observeLifeCycle: @Sendable (_ report: @escaping LifeCycleObserver) -> (any Sendable)?
    /// Where reports of crashes lie, and in what storage; in the installation's folder when nil.
    package var crashes: (folder: String, storage: any JournalStorage)?
    /// The folder and the name of a small file that is backed up with the device, as the installation's folder is not; nil where
    /// nothing is restored from backups. See ``InstallationCopies``.
    package var backup: (folder: String, name: String)?
    /// Says where the installation's folder is now; nil where copies of it are recognized in another way. See ``CopiedFolder``.
    package var place: (@Sendable () -> FolderPlace)?
    /// A place for the identity, on systems that may empty the installation's folder.
    package var identityCopy: IdentityCopy?
    /// Whether the storage may become usable later, where it cannot be used now; nil where it never does by itself.
    package var availability: StorageAvailability?
    /// Begins to have a report left behind if the process crashes; the answer is kept as long as the analytics live.
    package var captureCrashes: @Sendable () -> (any Sendable)?
    /// Begins to keep what the system tells of crashes and hangs, and says when something came; the answer is kept as long as
    /// the analytics live.
    package var observeSystemReports: @Sendable (_ arrived: @escaping @Sendable () -> Void) -> (any Sendable)? = { _ in
        nil
    }
    /// Begins to tell the device's conditions, on any thread; the answer is kept as long as the analytics live, and nil where nothing
    /// is told.
    package var observeConditions:
        @Sendable (_ report: @escaping @Sendable (DeviceConditions) -> Void) -> (any Sendable)? =
            { _ in nil }
    /// Where snapshots come from, unless the app names sources of its own.
    package var snapshotSources = SnapshotSources()
    /// The process's images that define any of these classes of Objective-C.
    package var imagesDefining: @Sendable (_ classes: Set<String>) -> [LoadedImage] = { _ in [] }
    /// The device's facts; waits until they are read.
    package var device: Attributes { readDevice?() ?? facts.device }
    /// What the app does as the analytics are made.
    package var launchState: AppState { launch.state }
    /// Whether the process has screens that a person sees, so that their not being reported is a mistake.
    package var showsScreens = false
    /// Whether the process shows a preview: what waits for the storage waits in vain.
    package var isPreview = false
    /// Whether it is the environment of ``Analytics/disabled``.
    package var isInert = false
    /// Encrypts files at rest, where the app asks for that.
    package var cipher: CipherMaker = SystemCipher.make
    /// Makes the thread on which the source of a part of snapshots is asked.
    package var sourceThread: @Sendable (SnapshotPart) -> any SourceThread = { SourceQueue(for: $0) }

    /// Where what the system announces is dealt with, when it announces on a thread that must not wait for a disk.
    package var lifeCycleQueue: StorageQueue?

    /// Takes changes that the system made at once, in order, and the moment it gives for them, if it gives one.
    package typealias LifeCycleObserver = @Sendable (_ changes: [LifeCycleChange], _ moment: LifeCycleMoment?) -> Void

    /// Puts dependencies together.
    package init(
        clock: any EventClock,
        ids: EventIDGenerator,
        storage: any JournalStorage,
        folder: String,
        segmentBytes: Int,
        transport: any Transport,
        sleeper: any DeliverySleeper,
        pacer: (any DeliverySleeper)? = nil,
        random: any RandomNumberGenerator & Sendable,
        facts: ContextFacts,
        log: @escaping DiagnosticReporter.Handler,
        write: @escaping @Sendable (String) -> Void,
        launchState: AppState = .active,
        refreshFacts: (@Sendable () -> ContextFacts)? = nil,
        observeLifeCycle: @escaping @Sendable (_ report: @escaping LifeCycleObserver) -> (any Sendable)? = { _ in nil },
        captureCrashes: @escaping @Sendable () -> (any Sendable)? = { nil }
    ) {
        self.clock = clock
        self.ids = ids
        self.storage = storage
        self.folder = folder
        self.segmentBytes = segmentBytes
        self.transport = transport
        self.sleeper = sleeper
        self.pacer = pacer ?? sleeper
        self.random = random
        self.facts = facts
        self.log = log
        self.write = write
        launch = LaunchReading(
            launchState == .active || launchState == .inactive ? .user : .background,
            in: launchState
        )
        self.refreshFacts = refreshFacts
        self.observeLifeCycle = observeLifeCycle
        self.captureCrashes = captureCrashes
    }
}

extension Dependencies {
    /// The same dependencies with a label in front of every logged event.
    func labelling(events label: String) -> Dependencies {
        guard !label.isEmpty else { return self }
        let write = write
        var dependencies = self
        dependencies.write = { write("\(label) \($0)") }
        return dependencies
    }
}

/// Where analytics get their dependencies from when a test makes them. The system's own is in `Setup/Live.swift`.
package protocol DependencySource: AnyObject, Sendable {
    /// The dependencies of the process that makes analytics of this configuration.
    func dependencies(for configuration: Configuration) throws(TrackwayError) -> Dependencies
}

extension Configuration {
    /// The dependencies that analytics of this configuration work in: those of a test, else the system's.
    package func dependencies() throws(TrackwayError) -> Dependencies {
        let dependencies =
            if let dependencySource { try dependencySource.dependencies(for: self) } else {
                try Dependencies.live(self)
            }
        return try dependencies.encrypting(self)
    }
}

extension Dependencies {
    /// The same dependencies with a storage that encrypts as the configuration says; where nothing is to be encrypted, with one
    /// that knows encrypted files when it meets them. A storage that does either already stays.
    ///
    /// - Throws: `encryption_key_missing` when the folder needs another key; then nothing there was changed.
    func encrypting(_ configuration: Configuration) throws(TrackwayError) -> Dependencies {
        guard !(storage is EncryptedStorage) else { return self }
        let keys = configuration.storage.encryption.map { FolderKeys($0, cipher: cipher) }
        let encrypted = EncryptedStorage(storage, root: folder, keys: keys)
        do throws(StorageError) {
            try encrypted.prepare()
        } catch {
            // Anything else is met again, and told, where the folder is opened; files are written anew with the next start.
            if error.code == .encrypted { throw TrackwayError(keyMissing: error, configuration, folder) }
        }
        var dependencies = self
        dependencies.storage = encrypted
        return dependencies
    }
}

extension TrackwayError {
    /// A folder that needs a key which the configuration does not give.
    fileprivate init(keyMissing error: StorageError, _ configuration: Configuration, _ folder: String) {
        let given = configuration.storage.encryption.map { encryption in
            "has the keys " + ([encryption.key] + encryption.previous).map(\.id).joined(separator: ", ")
        }
        self.init(
            .encryptionKeyMissing,
            "The folder \(folder) is encrypted, and Configuration.storage.encryption \(given ?? "is nil"). Nothing was "
                + "changed.",
            recoverySuggestion:
                "Set the folder's key in Configuration.storage.encryption. If it is lost, so are the pending "
                + "events: remove the folder, or configure another storage.folder.",
            cause: error
        )
    }
}

extension Dependencies {
    /// What an earlier process kept under a name in the installation's folder; nil when nothing was, or it cannot be read
    /// now. For compatibility modules, which keep what can be had again.
    package func contents(of name: String) -> [UInt8]? {
        (try? storage.contents(of: "\(folder)/\(name)")) ?? nil  // As above.
    }
}

/// The facts that hold for every event of a process.
package struct ContextFacts: Sendable, Hashable {
    /// About the app.
    package var app: Attributes
    /// About the device.
    package var device: Attributes
    /// Which boot of the device monotonic times belong to.
    package var boot: String

    /// Makes facts.
    package init(app: Attributes, device: Attributes, boot: String) {
        self.app = app
        self.device = device
        self.boot = boot
    }
}
