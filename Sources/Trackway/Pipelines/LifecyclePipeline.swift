// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayBehavior
internal import TrackwayEvents
internal import TrackwayJournal
internal import TrackwayPlatform

/// Observes the app and its user: launches, sessions, screens, timers, identity, snapshots, crashes.
package struct LifecyclePipeline: Sendable {
    package let behavior: LifecycleController
    let identity: IdentityController
    package let timers: TimerController
    package let snapshots: SnapshotController?
    /// Receives the system's lifecycle notifications.
    package let follower: LifeCycleFollower
    /// Decides which of several visible screens counts as shown.
    package let screenTracker: ScreenTracker
    let crashWatch: CrashReportSubscription
    let systemReportWatch: CrashReportSubscription
    /// The subscription to lifecycle notifications; nil if the configuration turns it off.
    private let observation: (any Sendable)?

    /// Builds the pipeline and starts observing the app.
    ///
    /// - Parameter options: The runtime options, as last set by the app.
    init(
        _ configuration: Configuration,
        _ storage: InstallationStorage,
        _ recording: RecordingPipeline,
        _ delivery: DeliveryPipeline,
        options: Locked<RuntimeOptions>
    ) {
        let (dependencies, journal, reporter) = (storage.dependencies, storage.journal, storage.reporter)
        let behavior = LifecycleController(
            BehaviorSettings(RuntimeOptions(configuration), storage.settings.current.policy),
            in: dependencies,
            contextStore: recording.contextStore,
            control: delivery.control,
            dynamic: recording.dynamic,
            journal: journal,
            takingOver: storage.takingOver
        )
        delivery.service.beforeSending { [weak behavior] in behavior?.flush(before: $0) }
        let snapshots = configuration.snapshots.map {
            SnapshotController($0, in: dependencies, contextStore: recording.contextStore, behavior: behavior)
        }
        delivery.consents.reportChanges { [weak snapshots] in snapshots?.permissionChanged() }
        behavior.reportScreens { [weak snapshots] in snapshots?.screenShown($0.name) }
        let timers = TimerController(
            launchState: dependencies.launchState,
            clock: dependencies.clock,
            boot: dependencies.facts.boot
        )
        identity = IdentityController(
            storage.settings,
            contextStore: recording.contextStore,
            consents: delivery.consents,
            behavior: behavior,
            timers: timers,
            dynamic: recording.dynamic,
            limits: configuration.limits,
            reporter: reporter,
            clock: dependencies.clock,
            installation: { journal.installation }
        )
        let follower = LifeCycleFollower(behavior, timers, snapshots, delivery.control, in: dependencies)
        let tracker = ScreenTracker(behavior, in: dependencies) {
            if options.withLock({ $0.capture.contains(.screens) }) { reporter.report(.screenCaptureMissing) }
        }
        if dependencies.showsScreens {
            follower.reportAlso { if $0.contains(.didBecomeActive) { tracker.appBecameActive() } }
            if dependencies.launchState == .active { tracker.appBecameActive() }
        }
        observation =
            configuration.lifecycle.isObserved
            ? dependencies.observeLifeCycle { [weak follower] in follower?.announced($0, moment: $1) }
            : nil
        crashWatch = CrashReportSubscription(dependencies.captureCrashes)
        crashWatch.follow { configuration.capture.contains(.crashes) }
        let observeSystemReports = dependencies.observeSystemReports
        systemReportWatch = CrashReportSubscription {
            observeSystemReports { [weak behavior] in behavior?.systemReportsArrived() }
        }
        systemReportWatch.follow { configuration.capture.contains(.systemReports) }
        self.behavior = behavior
        self.timers = timers
        self.snapshots = snapshots
        self.follower = follower
        screenTracker = tracker
    }
}
