// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore
internal import TrackwayDelivery
internal import TrackwayJournal
internal import TrackwayLifecycle
internal import TrackwayPlatform

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

extension Dependencies {
    /// Returns the dependencies of an instance that records nothing and sends nothing.
    static func inert(_ configuration: Configuration) -> Dependencies {
        let clock = SystemClock()
        let log = StandardErrorLog(clock: clock)
        var dependencies = preview(configuration, clock: clock, random: SystemRandomNumberGenerator(), log: log)
        dependencies.isInert = true
        return dependencies
    }

    /// Creates the system's dependencies.
    ///
    /// This is the only place that selects clocks, randomness, disk, network and system facts.
    ///
    /// - Parameter variable: Returns an environment variable of the process. A preview process uses nothing else from
    ///   the system.
    package static func live(
        _ configuration: Configuration,
        variable: (String) -> String? = { ProcessEnvironment.value(of: $0) }
    ) throws(TrackwayError) -> Dependencies {
        let clock = SystemClock()
        let log = StandardErrorLog(clock: clock)
        if isPreview(variable) {
            return preview(configuration, clock: clock, random: SystemRandomNumberGenerator(), log: log)
        }
        var appFacts = AppFacts.read(id: configuration.appID, version: configuration.appVersion)
        appFacts.build = configuration.appBuild ?? appFacts.build
        let app = appFacts.attributes
        let device = DeferredDeviceFacts.system(appID: configuration.appID)
        let readsLater = DeferredDeviceFacts.takesTime
        let chosen = try location(configuration)
        let process = appFacts.package ?? configuration.appID
        let isShared = chosen.needsPerProcessFolders
        let location = isShared ? chosen.subfolder(forProcess: process) : chosen
        try prepare(location)
        let folder = location.path
        let boot = BootIdentity.current(in: folder)
        let crashFolder = isShared ? try standardFolder(configuration) : folder
        let crashLiveness: CrashCapture.LivenessMarker =
            !ProcessKind.mayBeSuspended ? .lock : ProcessKind.hasOwnContainer ? .exclusiveProcessID : .processID
        let timeouts = LifecycleTimeouts(
            background: configuration.lifecycle.suspensionTimeout,
            termination: configuration.lifecycle.terminationTimeout
        )
        var dependencies = Dependencies(
            clock: clock,
            ids: EventIDGenerator(),
            storage: SystemStorage.make(),
            folder: folder,
            segmentBytes: segmentBytes(configuration),
            transport: SystemTransport.make(
                allowsConstrainedNetworks: configuration.delivery.allowsConstrainedNetworks
            ),
            sleeper: TaskSleeper(),
            random: SystemRandomNumberGenerator(),
            facts: ContextFacts(app: app, device: readsLater ? [:] : device.facts.attributes, boot: boot),
            log: { log.report($0) },
            write: { StandardErrorLog.writeLine($0 + "\n") },
            refreshFacts: { ContextFacts(app: app, device: device.facts.refreshed().attributes, boot: boot) },
            observeLifecycle: { report in
                // Signals are not needed where the system notifies apps.
                if let announcements = SystemLifecycleNotifications.observe(report) { return announcements }
                do throws(LifecycleSignalError) {
                    return try LifecycleSignals.process.observe(timeout: timeouts) { event, gracePeriod in
                        report(event.changes, gracePeriod)
                    }
                } catch {
                    log.report(
                        Diagnostic(
                            code: .lifecycleObservationFailed,
                            field: "lifecycle.isObserved",
                            value: "\(error)",
                            message: "The process's signals cannot be observed (\(error)). No event is lost, but "
                                + "pending events may be sent later."
                        )
                    )
                    return nil
                }
            },
            captureCrashes: {
                do throws(CrashCaptureError) {
                    return try CrashCapture(in: crashFolder, boot: boot, at: clock.now(), liveness: crashLiveness)
                } catch {
                    log.report(
                        Diagnostic(
                            code: .crashCaptureUnavailable,
                            field: "capture",
                            value: "\(error)",
                            message: "Crashes cannot be captured (\(error)). Everything else is captured, and the app "
                                + "is not affected."
                        )
                    )
                    return nil
                }
            }
        )
        dependencies.zoneOffset = { DeviceFacts.zoneOffset(at: $0) }
        if readsLater { dependencies.readDeviceFacts = { device.facts.attributes } }
        dependencies.launch = LaunchState.read()
        dependencies.showsScreens = ProcessKind.showsScreens
        if SystemLifecycleNotifications.areOnMainThread {
            dependencies.lifecycleQueue = StorageQueue(label: "trackway.lifecycle", isUrgent: true)
        }
        dependencies.availability = StorageAvailability.system()
        dependencies.backup = location.backup
        #if os(Linux)
        dependencies.folderFingerprint = { FolderFingerprint.current(of: folder) }
        #endif
        dependencies.identityBackup = IdentityBackup.system(for: folder)
        if ProcessKind.mayBeSuspended {
            // Crash files identify their holder, so they need no leases.
            dependencies.crashReportLocation = (crashFolder, dependencies.storage)
            if isShared {
                dependencies.lease(folder: location, in: chosen)
            } else {
                dependencies.leaseOwn(folder: location, ownsContainer: ProcessKind.hasOwnContainer)
            }
        }
        dependencies.deliveryExecutor = DeliveryExecutor()
        dependencies.loadedImages = { LoadedImage.defining($0) }
        dependencies.observeSystemReports = { arrived in
            SystemReportObserver.observe(into: CrashReports(in: crashFolder, storage: DiskStorage())) { result in
                if case .failure(let error) = result { log.report(Diagnostic(systemReportDropped: error)) }
                arrived()
            }
        }
        dependencies.observeConditions = { SystemConditions.observe($0) }
        // Create sources only if the app takes snapshots, because some of them observe the system.
        if let snapshots = configuration.snapshots {
            dependencies.snapshotSources = .system(app: app, recognizesDevice: snapshots.allowsDeviceRecognition)
        }
        return dependencies
    }

    private static func location(_ configuration: Configuration) throws(TrackwayError) -> StorageLocation {
        do throws(StorageLocationError) {
            if let url = configuration.storage.folder { return try StorageLocation(path: url.plainPath ?? url.path) }
            return try StorageLocation.standard(appID: configuration.appID)
        } catch {
            throw TrackwayError(error)
        }
    }

    private static func prepare(_ location: StorageLocation) throws(TrackwayError) {
        do throws(StorageLocationError) {
            try location.prepare()
        } catch {
            // Before the first unlock, the folder cannot be created; the journal waits for it.
            guard StorageAvailability.system()?.isTemporary(StorageError(error)) ?? false else {
                throw TrackwayError(error)
            }
        }
    }

    /// Returns the folder in the process's own container.
    ///
    /// The folder is for files that stay locked for the process's lifetime.
    private static func standardFolder(_ configuration: Configuration) throws(TrackwayError) -> String {
        var defaultConfiguration = configuration
        defaultConfiguration.storage.folder = nil
        let location = try location(defaultConfiguration)
        try prepare(location)
        return location.path
    }

    /// Returns the size of journal segments.
    ///
    /// A journal with a small limit has small segments, so that removing whole segments remains fine-grained.
    private static func segmentBytes(_ configuration: Configuration) -> Int {
        min(1 << 20, max(32_768, configuration.storage.maximumBytes / 8))
    }
}

extension URL {
    /// The path of a file URL without escapes or other special characters.
    ///
    /// nil for any other URL. The first access to `path` costs a starting process a fifth of a millisecond.
    var plainPath: String? {
        let (text, scheme) = (absoluteString, "file://")
        guard text.hasPrefix(scheme + "/"), !text.utf8.contains(where: { Self.special.contains($0) }) else {
            return nil
        }
        var path = text.dropFirst(scheme.utf8.count)
        while path.hasSuffix("/"), path.utf8.count > 1 { path.removeLast() }
        return String(path)
    }

    /// The bytes that escape or end a path: `%`, `?`, `#` and `;`.
    private static let special: [UInt8] = [0x25, 0x3F, 0x23, 0x3B]
}

extension StorageError {
    /// Converts a location error to a storage error.
    fileprivate init(_ error: StorageLocationError) {
        let code: Code = error.code == .notPermitted ? .denied : .other
        self.init(code, operation: "prepare", path: error.path, number: error.systemCode)
    }
}
