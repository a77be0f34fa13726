// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CSiftCompatibility
package import Trackway
internal import TrackwayCore
internal import TrackwayDelivery
internal import TrackwayDestinations
internal import TrackwayLifecycle
internal import TrackwayUIKit

/// The implementation for one root directory: its analytics and settings.
///
/// Thread-safe. The state's lock protects the state and is never held during any other call. A second lock lets one
/// thread at a time create the analytics. The app is not called under that lock either: diagnostics that occur under it
/// are reported afterward.
package final class SiftCore: Sendable {
    struct State: Sendable {
        var settings = SiftSettings()
        var queues = SiftQueueTable()
        var defaultQueue: String? = SiftQueueTable.standard
        var allowsLocation = true
        var allowsMotion = false
        /// The user set before the analytics could be created.
        ///
        /// The inner nil means no user.
        var user: String??
        /// Whether the SDK was paused before the analytics could be created.
        var isPaused = false
        var analytics: Analytics?
        /// The object that captures view controllers' titles for app state snapshots.
        var automaticCapture: AutomaticCapture?
        /// Whether a queue is being added or removed.
        var isChangingQueues = false
        /// Diagnostics reported while the analytics were created or a queue was changed.
        var deferredDiagnostics: [Diagnostic] = []
        var hasReportedFailure = false
    }

    let state = Locked(State())
    /// The content of the settings file; locked while settings are applied.
    private let appliedSettings = Locked(SiftSettings().encoded)
    private let openLock = Locked(())
    /// A lock that serializes adding and removing queues.
    let queueChanges = Locked(())
    private let base: Configuration

    /// Creates a core whose analytics have not been created yet.
    ///
    /// - Parameter base: The app's configuration; the compatibility module sets queues, limits and snapshot routes.
    package init(_ base: Configuration) {
        self.base = base
    }

    /// Whether the analytics use a test's dependencies.
    var isInTest: Bool { base.dependencySource != nil }

    /// Returns the analytics, creating them if necessary.
    ///
    /// Returns nil if they cannot be created. The first failure is reported, and every call tries again.
    @discardableResult
    package func analytics() -> Analytics? {
        if let analytics = state.withLock({ $0.analytics }) { return analytics }
        var failure: TrackwayError?
        var isNew = false
        openLock.withLock { _ in
            guard state.withLock({ $0.analytics == nil }) else { return }
            do throws(TrackwayError) {
                let analytics = try open()
                let (user, isPaused) = state.withLock { ($0.user, $0.isPaused) }
                if let user { analytics.setUser(user) }
                if isPaused { analytics.pause() }
                let automatic = AutomaticCapture(analytics)
                automatic.capture(AutomaticCapture.Features(screens: true))
                state.withLock { state in
                    state.analytics = analytics
                    state.automaticCapture = automatic
                    state.user = nil
                }
                isNew = true
            } catch {
                failure = error
            }
        }
        if let failure { report(failure) }
        reportDeferred()
        let (analytics, settings) = state.withLock { ($0.analytics, $0.settings) }
        // Settings changed while the analytics could not be created are not saved yet.
        if isNew, let analytics {
            restoreRemovedQueues(analytics)
            if settings.encoded != appliedSettings.withLock({ $0 }) { apply(to: analytics) }
        }
        return analytics
    }

    /// Returns the analytics; if they cannot be created, changes the state.
    private func existingAnalytics(orElse change: (inout State) -> Void) -> Analytics? {
        analytics()
        return state.withLock { state in
            if state.analytics == nil { change(&state) }
            return state.analytics
        }
    }

    /// Reports a diagnostic.
    func report(_ diagnostic: Diagnostic) {
        analytics()?.report(diagnostic)
    }

    /// Reports the faults of a call.
    ///
    /// Only the first eight faults are reported, because an event may have thousands.
    func report(_ faults: [SiftFault], _ code: Diagnostic.Code) {
        for fault in faults.prefix(8) { report(fault.diagnostic(code)) }
    }

    // MARK: Creating the analytics

    private func open() throws(TrackwayError) -> Analytics {
        var configuration = base
        let dependencies = try configuration.dependencies()
        let saved = dependencies.contents(of: SiftSettings.file)
        if let saved { appliedSettings.withLock { $0 = saved } }
        let state = state.withLock { state in
            // Settings changed while the analytics could not be created are newer than the saved ones.
            let unsaved = state.settings
            if let saved { state.settings.restore(from: saved) }
            state.settings.accountId = unsaved.accountId ?? state.settings.accountId
            state.settings.beaconKey = unsaved.beaconKey ?? state.settings.beaconKey
            return state
        }
        let builtIn = builtIn(state).map { id, policy in
            DestinationConfiguration(state.settings.destination(id), delivery: policy)
        }
        configuration.destinations = builtIn + base.destinations
        var snapshots = base.snapshots ?? SnapshotOptions()
        snapshots.allowsMotion = state.allowsMotion
        snapshots.allowsLocation = state.allowsLocation
        snapshots.appStateRoute = [DestinationID(queue: SiftQueueTable.standard)]
        snapshots.devicePropertiesRoute = [DestinationID(queue: SiftQueueTable.properties)]
        // The queue skips unchanged properties.
        snapshots.repeatsDevicePropertiesAfter = .zero
        configuration.snapshots = snapshots
        if base.onDiagnostic != nil { configuration.onDiagnostic = { [weak self] in self?.forward($0) } }
        return try Analytics(configuration, in: dependencies)
    }

    /// Returns the SDK's own destinations and their delivery policies.
    private func builtIn(_ state: State) -> [(id: DestinationID, policy: DeliveryPolicy)] {
        [
            (SiftQueueTable.standard, SFIosAppStateCollectorQueueConfig),
            (SiftQueueTable.properties, SFIosDevicePropertiesCollectorQueueConfig),
        ].map { identifier, config in (DestinationID(queue: identifier), state.settings.delivery(config)) }
    }

    /// Reports the diagnostics that were deferred because the app could not be called.
    func reportDeferred() {
        let deferred = state.withLock { state in
            defer { state.deferredDiagnostics = [] }
            return state.deferredDiagnostics
        }
        for diagnostic in deferred { base.onDiagnostic?(diagnostic) }
    }

    /// Reports a diagnostic to the app.
    ///
    /// The diagnostic is deferred if the app's callback currently must not run.
    private func forward(_ diagnostic: Diagnostic) {
        let isDeferred = state.withLock { state in
            guard state.analytics == nil || state.isChangingQueues else { return false }
            state.deferredDiagnostics.append(diagnostic)
            return true
        }
        if !isDeferred { base.onDiagnostic?(diagnostic) }
    }

    private func report(_ failure: TrackwayError) {
        let isFirst = state.withLock { state in
            defer { state.hasReportedFailure = true }
            return !state.hasReportedFailure
        }
        if isFirst { Analytics.report(notStarted: failure, to: base) }
    }
}

extension SiftSettings {
    /// Returns the delivery policy of a queue with these rules.
    ///
    /// A queue with invalid rules is never uploaded automatically.
    func delivery(_ config: SiftQueueConfig) -> DeliveryPolicy {
        var policy = DeliveryPolicy()
        policy.queue = config.policy ?? .neverReady
        policy.attempts = attemptLimit
        return policy
    }
}

extension SiftCore {
    // MARK: Settings

    /// The settings made by this process or an earlier one.
    var settings: SiftSettings {
        analytics()
        return state.withLock { $0.settings }
    }

    /// Changes the settings, which also apply to pending events.
    ///
    /// The account and key persist across restarts.
    func changeSettings(_ change: (inout SiftSettings) -> Void) {
        // Create the analytics first, so that settings saved by an earlier process do not replace the new ones.
        let analytics = analytics()
        let isNew = state.withLock { state in
            let before = state.settings
            change(&state.settings)
            return state.settings != before
        }
        guard let analytics else { return }
        // Setting the same value again triggers a retry, because the back end may accept it now.
        if isNew { apply(to: analytics) } else { analytics.probeParkedDestinations() }
    }

    /// Applies the settings.
    ///
    /// The function runs on one thread at a time, so that the latest settings are applied last.
    func apply(to analytics: Analytics) {
        appliedSettings.withLock { applied in
            let (settings, queues) = state.withLock { ($0.settings, $0.queues) }
            if settings.encoded != applied {
                applied = settings.encoded
                analytics.delivery.environment.store(settings.encoded, as: SiftSettings.file, durably: true)
            }
            for id in Set(queues.destinations).union(SiftQueueTable.builtIn.values).union(queues.draining) {
                do throws(TrackwayError) {
                    try analytics.replaceDestination(DestinationConfiguration(settings.destination(id)))
                } catch {
                    // The queue has just been removed; adding it again applies the settings at that time.
                    continue
                }
            }
        }
    }

    // MARK: User

    var user: String? { analytics()?.userID ?? state.withLock { $0.user ?? nil } }

    func setUser(_ user: String?) {
        let user = user.flatMap { $0.isEmpty ? nil : $0 }
        // The user is kept while the analytics cannot be created, so that their first event belongs to this user.
        existingAnalytics(orElse: { $0.user = .some(user) })?.setUser(user)
    }

    // MARK: Sensors

    func allow(location: Bool) {
        state.withLock { $0.allowsLocation = location }
        analytics()?.options.allowsLocation = location
    }

    func allow(motion: Bool) {
        state.withLock { $0.allowsMotion = motion }
        analytics()?.options.allowsMotion = motion
    }
}

extension Analytics {
    /// Sets the current user; nil for none.
    func setUser(_ user: String?) {
        if let user {
            identifySilently(user)
        } else {
            signOutSilently()
        }
    }
}

extension SiftCore {
    /// Hands over the events in ready queues, or in all queues.
    ///
    /// - Parameter ids: The queues to hand over; nil for all.
    /// - Returns: Whether events were handed over and can be sent.
    @discardableResult
    func upload(_ ids: [DestinationID]? = nil, force: Bool) -> Bool {
        guard let analytics = activeAnalytics(for: "upload"), canUpload() else { return false }
        removeDeliveredQueues(analytics)
        let ids = ids ?? state.withLock { $0.queues.destinations }
        if force, !ids.isEmpty { analytics.probeParkedDestinations() }
        return analytics.requestUpload(of: .only(ids), force: force)
    }

    /// Whether the app's settings allow events to be sent.
    ///
    /// Faults in the settings are reported.
    func canUpload() -> Bool {
        let faults = state.withLock { $0.settings }.faults
        report(faults, .accountIncomplete)
        return faults.isEmpty
    }

    /// Collects device properties and app state now.
    func collect() {
        guard let analytics = activeAnalytics(for: "collect") else { return }
        state.withLock { $0.queues.showPropertiesQueue() }
        analytics.collectSnapshot()
    }

    /// Collects device properties now.
    func collectProperties() {
        guard let analytics = activeAnalytics(for: "collect") else { return }
        state.withLock { $0.queues.showPropertiesQueue() }
        analytics.collectDeviceProperties()
    }

    /// Collects app state now.
    ///
    /// - Parameter time: The time of the event; nil for the current time.
    func collectState(title: String?, at time: Timestamp?) {
        activeAnalytics(for: "collectWithTitle")?.collectAppState(title: title, at: time)
    }

    /// Adds a sensor reading that the app provides.
    func addSensorReading(_ reading: MotionReading) {
        activeAnalytics(for: "update")?.addSensorReading(reading)
    }

    /// Pauses collecting and sending until ``resume()``; appended events are stored.
    func pause() {
        setPaused(true) { $0.pause() }
    }

    /// Ends the pause that ``pause()`` started.
    func resume() {
        setPaused(false) { $0.resume() }
    }

    private func setPaused(_ isPaused: Bool, _ change: (Analytics) -> Void) {
        // The pause is kept while the analytics cannot be created, so that they start paused.
        if let analytics = existingAnalytics(orElse: { $0.isPaused = isPaused }) { change(analytics) }
    }

    /// Flushes appended events to disk in the background.
    ///
    /// The events then survive power loss. They already survive termination of the process.
    func archive() {
        guard let analytics = analytics() else { return }
        // No caller waits for the flush, and the journal reports a disk failure.
        Task { try? await analytics.storage.commits.commit() }
    }
}
