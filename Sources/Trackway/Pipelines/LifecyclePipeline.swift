// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore
internal import TrackwayJournal
internal import TrackwayLifecycle
internal import TrackwayPlatform

/// The components that observe the app and its user.
package struct LifecyclePipeline: Sendable {
    package let controller: LifecycleController
    let identity: IdentityController
    package let timers: TimerController
    package let snapshots: SnapshotController?
    /// Receives the system's lifecycle notifications.
    package let dispatcher: LifecycleDispatcher
    /// Decides which of several visible screens counts as shown.
    package let screenTracker: ScreenTracker
    let crashSubscription: CrashReportSubscription
    let systemReportSubscription: CrashReportSubscription
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
        let controller = LifecycleController(
            LifecycleSettings(RuntimeOptions(configuration), storage.settings.current.policy),
            in: dependencies,
            contextStore: recording.contextStore,
            control: delivery.control,
            dynamic: recording.dynamic,
            journal: journal,
            migrator: storage.migrator
        )
        delivery.service.beforeSending { [weak controller] in controller?.flush(before: $0) }
        let snapshots = configuration.snapshots.map {
            SnapshotController($0, in: dependencies, contextStore: recording.contextStore, lifecycle: controller)
        }
        delivery.consents.onPermissionChange { [weak snapshots] in snapshots?.permissionChanged() }
        controller.observeScreens { [weak snapshots] in snapshots?.screenShown($0.name) }
        let timers = TimerController(
            launchState: dependencies.launchState,
            clock: dependencies.clock,
            boot: dependencies.facts.boot
        )
        identity = IdentityController(
            storage.settings,
            contextStore: recording.contextStore,
            consents: delivery.consents,
            lifecycle: controller,
            timers: timers,
            dynamic: recording.dynamic,
            limits: configuration.limits,
            reporter: reporter,
            clock: dependencies.clock,
            recordsConsent: configuration.recordsConsent,
            installation: { journal.installation }
        )
        let dispatcher = LifecycleDispatcher(controller, timers, snapshots, delivery.control, in: dependencies)
        let tracker = ScreenTracker(controller, in: dependencies) {
            if options.withLock({ $0.capture.contains(.screens) }) { reporter.report(.screenCaptureMissing) }
        }
        if dependencies.showsScreens {
            dispatcher.addObserver { if $0.contains(.didBecomeActive) { tracker.appBecameActive() } }
            if dependencies.launchState == .active { tracker.appBecameActive() }
        }
        observation =
            configuration.lifecycle.isObserved
            ? dependencies.observeLifecycle { [weak dispatcher] in dispatcher?.handle($0, gracePeriod: $1) }
            : nil
        crashSubscription = CrashReportSubscription(dependencies.captureCrashes)
        crashSubscription.update { configuration.capture.contains(.crashes) }
        let observeSystemReports = dependencies.observeSystemReports
        systemReportSubscription = CrashReportSubscription {
            observeSystemReports { [weak controller] in controller?.systemReportsArrived() }
        }
        systemReportSubscription.update { configuration.capture.contains(.systemReports) }
        self.controller = controller
        self.timers = timers
        self.snapshots = snapshots
        self.dispatcher = dispatcher
        screenTracker = tracker
    }
}
