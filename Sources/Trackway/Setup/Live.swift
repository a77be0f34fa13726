// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayBehavior
internal import TrackwayDelivery
internal import TrackwayEvents
internal import TrackwayJournal
internal import TrackwayPlatform

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

extension Dependencies {
    /// The system's own: the one place where clocks, chance, disk, network and the system's facts are chosen.
    static func live(_ configuration: Configuration) throws(TrackwayError) -> Dependencies {
        let clock = SystemClock()
        let log = StandardErrorLog(clock: clock)
        var appFacts = AppFacts.read(id: configuration.appID, version: configuration.appVersion)
        appFacts.build = configuration.appBuild ?? appFacts.build
        let app = appFacts.attributes
        let device = DeviceFacts.read(appID: configuration.appID)
        let boot = BootIdentity.current()
        let folder = try folder(configuration)
        let timeouts = LifeCycleTimeouts(
            background: configuration.suspensionTimeout,
            termination: configuration.terminationTimeout
        )
        var dependencies = Dependencies(
            clock: clock,
            ids: EventIDGenerator(),
            storage: SystemStorage.make(),
            folder: folder,
            segmentBytes: segmentBytes(configuration),
            transport: SystemTransport.make(),
            sleeper: TaskSleeper(),
            random: SystemRandomNumberGenerator(),
            facts: ContextFacts(app: app, device: device.attributes, boot: boot),
            log: { log.report($0) },
            write: { StandardErrorLog.writeLine($0 + "\n") },
            refreshFacts: { ContextFacts(app: app, device: device.refreshed().attributes, boot: boot) },
            observeLifeCycle: { report in
                // Signals have nothing to say where the system speaks to apps.
                if let announcements = LifeCycleAnnouncements.observe(report) { return announcements }
                do throws(LifeCycleError) {
                    return try LifeCycleSignals.process.observe(timeout: timeouts) { event, moment in
                        report(event.changes, moment)
                    }
                } catch {
                    log.report(
                        Diagnostic(
                            code: .lifeCycleUnseen,
                            field: "followsLifeCycle",
                            value: "\(error)",
                            remedy: "Nothing is lost; what waits is sent later than it could be."
                        )
                    )
                    return nil
                }
            },
            captureCrashes: {
                do throws(CrashCaptureError) {
                    return try CrashCapture(in: folder, boot: boot, at: clock.now())
                } catch {
                    log.report(
                        Diagnostic(
                            code: .crashesUnseen,
                            field: "capture",
                            value: "\(error)",
                            remedy: "Everything else is captured; the app crashes as it would without us."
                        )
                    )
                    return nil
                }
            }
        )
        dependencies.launch = LaunchState.read()
        if LifeCycleAnnouncements.areOnMainThread {
            dependencies.lifeCycleQueue = StorageQueue(label: "trackway.life-cycle", isUrgent: true)
        }
        dependencies.deliveryExecutor = DeliveryExecutor()
        dependencies.observeSystemReports = { arrived in
            SystemReportObserver.observe(into: CrashReports(in: folder, storage: DiskStorage())) { result in
                if case .failure(let error) = result { log.report(Diagnostic(systemReportLost: error)) }
                arrived()
            }
        }
        // Sources are made only for an app that has snapshots taken: some of them watch the system.
        if configuration.snapshots != nil { dependencies.snapshotSources = .system(app: app) }
        return dependencies
    }

    private static func folder(_ configuration: Configuration) throws(TrackwayError) -> String {
        do throws(StorageLocationError) {
            let location =
                if let url = configuration.storageFolder {
                    try StorageLocation(path: url.path)
                } else {
                    try StorageLocation.standard(appID: configuration.appID)
                }
            try location.prepare()
            return location.path
        } catch {
            throw TrackwayError(.storageUnavailable, error.description, cause: error)
        }
    }

    /// A journal with a small bound gets small segments, so that trimming by whole segments stays fine-grained.
    private static func segmentBytes(_ configuration: Configuration) -> Int {
        min(1 << 20, max(32_768, configuration.maximumJournalBytes / 8))
    }
}
