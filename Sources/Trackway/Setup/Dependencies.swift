// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayCore
package import TrackwayDelivery
package import TrackwayDestinationKit
package import TrackwayJournal
package import TrackwayLifecycle
package import TrackwayPlatform

/// The external dependencies of an ``Analytics``.
///
/// The dependencies are clocks, randomness, storage, network and system facts. Those of the system are created in
/// `Setup/Live.swift`; tests provide their own.
package struct Dependencies: Sendable {
    /// The source of wall and monotonic times.
    package var clock: any EventClock
    /// The generator of event ids.
    package var ids: EventIDGenerator
    /// The storage of the journal.
    package var storage: any JournalStorage
    /// The absolute path of the installation's folder in ``storage``.
    package var folder: String
    /// The number of bytes reserved per segment.
    package var segmentBytes: Int
    /// The transport that sends requests.
    package var transport: any Transport
    /// The executor on which delivery waits for storage.
    ///
    /// nil makes delivery wait on the calling thread.
    package var deliveryExecutor: (any SerialExecutor)?
    /// Starts the task that runs an instance's background work.
    package var startTask: @Sendable (_ body: @escaping @Sendable () async -> Void) -> Void = { body in
        Task { await body() }
    }
    /// The sleeper that suspends delivery tasks.
    package var sleeper: any DeliverySleeper
    /// The sleeper that suspends capture tasks: the delayed start and heartbeats.
    package var pacer: any DeliverySleeper
    /// The source of randomness for delivery.
    package var random: any RandomNumberGenerator & Sendable
    /// The facts in every event's context, excluding those that ``readDeviceFacts`` returns.
    package var facts: ContextFacts
    /// Returns the device's facts, which are read by the first call.
    ///
    /// nil if ``facts`` contains the device's facts. Set on systems where reading them takes time.
    package var readDeviceFacts: (@Sendable () -> Attributes)?
    /// Receives diagnostics while the app has no handler.
    package var log: DiagnosticReporter.Handler
    /// Writes a line of text, such as a logged event.
    package var write: @Sendable (String) -> Void
    /// The app's state at launch, and the launch reason.
    package var launch: LaunchConclusion
    /// Returns the time zone's offset at a time, in seconds.
    ///
    /// nil if the offset never changes.
    package var zoneOffset: (@Sendable (Timestamp) -> Int?)?
    /// Reads the facts again when the app returns to the foreground.
    ///
    /// nil if the facts cannot change.
    package var refreshFacts: (@Sendable () -> ContextFacts)?
    /// Starts observing the app's lifecycle.
    ///
    /// The result is retained for the instance's lifetime.
    package var observeLifecycle: @Sendable (_ report: @escaping LifecycleObserver) -> (any Sendable)?
    /// The folder and storage of crash reports; nil uses the installation's folder.
    package var crashReportLocation: (folder: String, storage: any JournalStorage)?
    /// The folder and name of a small file in the device's backups.
    ///
    /// The installation's folder is excluded from backups. nil if nothing is restored from backups. See
    /// ``InstallationBackup``.
    package var backup: (folder: String, name: String)?
    /// Returns the current location of the installation's folder.
    ///
    /// nil if copies of the folder are recognized in another way. See ``CopiedFolder``.
    package var folderFingerprint: (@Sendable () -> FolderFingerprint)?
    /// A second location for the identity.
    ///
    /// Used on systems that may empty the installation's folder.
    package var identityBackup: IdentityBackup?
    /// Determines whether currently unusable storage may become usable later.
    ///
    /// nil if unusable storage never becomes usable automatically.
    package var availability: StorageAvailability?
    /// Starts capturing crashes.
    ///
    /// The result is retained for the instance's lifetime.
    package var captureCrashes: @Sendable () -> (any Sendable)?
    /// Starts storing the system's crash and hang reports.
    ///
    /// `arrived` is called for new reports.
    ///
    /// The result is retained for the instance's lifetime.
    package var observeSystemReports: @Sendable (_ arrived: @escaping @Sendable () -> Void) -> (any Sendable)? = { _ in
        nil
    }
    /// Starts reporting the device's conditions, on any thread.
    ///
    /// The result is retained for the instance's lifetime; nil if nothing is reported.
    package var observeConditions:
        @Sendable (_ report: @escaping @Sendable (DeviceConditions) -> Void) -> (any Sendable)? =
            { _ in nil }
    /// The sources of snapshots, unless the app sets its own.
    package var snapshotSources = SnapshotSources()
    /// Removes the device properties that the app's privacy settings do not permit.
    var limitDeviceProperties: @Sendable (inout Attributes) -> Void = { _ in }
    /// Returns the process's images that define any of these Objective-C classes.
    package var loadedImages: @Sendable (_ classes: Set<String>) -> [LoadedImage] = { _ in [] }
    /// All facts about the device.
    ///
    /// Waits until the facts have been read.
    package var device: Attributes { readDeviceFacts?() ?? facts.device }
    /// The app's state at launch.
    package var launchState: AppState { launch.state }
    /// Whether the process shows screens to a user.
    ///
    /// If so, missing screen reports are treated as a mistake.
    package var showsScreens = false
    /// Whether the process is an Xcode preview.
    ///
    /// The storage of a preview never becomes available.
    package var isPreview = false
    /// Whether these are the dependencies of ``Analytics/disabled``.
    package var isInert = false
    /// Creates the cipher for files at rest, if the app requests encryption.
    package var cipher: CipherMaker = SystemCipher.make
    /// Creates the thread for the source of a snapshot part.
    package var sourceThread: @Sendable (SnapshotPart) -> any SourceThread = { SourceQueue(for: $0) }

    /// The queue that handles lifecycle notifications; nil uses the notifying thread.
    ///
    /// Set where the notifying thread must not wait for a disk.
    package var lifecycleQueue: StorageQueue?

    /// A closure that receives simultaneous lifecycle changes, in order.
    ///
    /// `gracePeriod` is the time that the system grants for the changes, if any.
    package typealias LifecycleObserver =
        @Sendable (_ changes: [LifecycleChange], _ gracePeriod: GracePeriod?) -> Void

    /// Creates dependencies.
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
        observeLifecycle: @escaping @Sendable (_ report: @escaping LifecycleObserver) -> (any Sendable)? = { _ in nil },
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
        launch = LaunchConclusion(
            launchState == .active || launchState == .inactive ? .user : .background,
            in: launchState
        )
        self.refreshFacts = refreshFacts
        self.observeLifecycle = observeLifecycle
        self.captureCrashes = captureCrashes
    }
}

extension Dependencies {
    /// Returns a copy that prefixes every logged event with a label.
    func labelling(events label: String) -> Dependencies {
        guard !label.isEmpty else { return self }
        let write = write
        var dependencies = self
        dependencies.write = { write("\(label) \($0)") }
        return dependencies
    }
}

/// A source of dependencies for instances created by a test.
///
/// The system's dependencies are created in `Setup/Live.swift`.
package protocol DependencySource: AnyObject, Sendable {
    /// Returns the dependencies for an ``Analytics`` with this configuration.
    func dependencies(for configuration: Configuration) throws(TrackwayError) -> Dependencies
}

extension Configuration {
    /// Returns the dependencies for this configuration: a test's, or else the system's.
    package func dependencies() throws(TrackwayError) -> Dependencies {
        let dependencies =
            if let dependencySource { try dependencySource.dependencies(for: self) } else {
                try Dependencies.live(self)
            }
        return try dependencies.encrypting(self)
    }
}

extension Dependencies {
    /// Returns a copy of the dependencies whose storage encrypts as configured.
    ///
    /// If no encryption is configured, the storage still recognizes encrypted files. Storage that already encrypts or
    /// recognizes encrypted files is not changed.
    ///
    /// - Throws: `encryption_key_missing` if the folder needs another key; in that case, nothing in the folder was
    ///   changed.
    func encrypting(_ configuration: Configuration) throws(TrackwayError) -> Dependencies {
        guard !(storage is EncryptedStorage) else { return self }
        let keys = configuration.storage.encryption.map { FolderKeys($0, cipher: cipher) }
        let encrypted = EncryptedStorage(storage, root: folder, keys: keys)
        do throws(StorageError) {
            try encrypted.prepare()
        } catch {
            // Other errors recur when the folder is opened and are reported then; files are rewritten at the next
            // start.
            if error.code == .encrypted { throw TrackwayError(keyMissing: error, configuration, folder) }
        }
        var dependencies = self
        dependencies.storage = encrypted
        return dependencies
    }
}

extension TrackwayError {
    /// Creates the error for a folder whose key is not in the configuration.
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
    /// Returns content that an earlier process stored in the installation's folder.
    ///
    /// nil if the content is missing or currently cannot be read. For compatibility modules, which store only data that
    /// can be obtained again.
    package func contents(of name: String) -> [UInt8]? {
        (try? storage.contents(of: "\(folder)/\(name)")) ?? nil  // A read error counts as no content.
    }
}

/// The facts shared by all events of a process.
package struct ContextFacts: Sendable, Equatable {
    /// Facts about the app.
    package var app: Attributes
    /// Facts about the device.
    package var device: Attributes
    /// The id of the boot that monotonic times belong to.
    package var boot: String

    /// Creates facts.
    package init(app: Attributes, device: Attributes, boot: String) {
        self.app = app
        self.device = device
        self.boot = boot
    }
}
