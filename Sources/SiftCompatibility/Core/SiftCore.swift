// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CSiftCompatibility
package import Trackway
internal import TrackwayBehavior
internal import TrackwayDelivery
internal import TrackwayDestinations
internal import TrackwayEvents
internal import TrackwayUIKit

/// The implementation of one root directory: its analytics and settings.
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
        /// The user set while the analytics could not be created.
        ///
        /// The inner nil means no user.
        var user: String??
        /// Whether the SDK is paused.
        ///
        /// Set while the analytics could not be created.
        var isPaused = false
        var analytics: Analytics?
        /// Captures the titles of view controllers for app state snapshots.
        var automatic: AutomaticCapture?
        /// Whether a queue is being added or removed.
        var isChangingQueues = false
        /// Diagnostics reported while the analytics were created or a queue was changed.
        var early: [Diagnostic] = []
        var hasToldFailure = false
    }

    let state = Locked(State())
    /// Held while settings are applied; contains what the settings file contains.
    private let applying = Locked(SiftSettings().kept)
    private let opening = Locked(())
    /// Held while a queue is added or removed, which must not interleave.
    let queueChanges = Locked(())
    private let base: Configuration

    /// Creates a core without analytics yet.
    ///
    /// - Parameter base: the app's configuration; the compatibility module sets queues, limits and snapshot routes.
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
        opening.withLock { _ in
            guard state.withLock({ $0.analytics == nil }) else { return }
            do throws(TrackwayError) {
                let analytics = try open()
                let (user, isPaused) = state.withLock { ($0.user, $0.isPaused) }
                if let user { analytics.setUser(user) }
                if isPaused { analytics.pause() }
                let automatic = AutomaticCapture(analytics)
                automatic.want(AutomaticCapture.Wish(screens: true))
                state.withLock { state in
                    state.analytics = analytics
                    state.automatic = automatic
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
            if settings.kept != applying.withLock({ $0 }) { apply(to: analytics) }
        }
        return analytics
    }

    /// Returns the analytics, or changes the state if they cannot be created.
    private func madeAnalytics(orElse change: (inout State) -> Void) -> Analytics? {
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
    /// Reports only the first eight, because an event may have thousands.
    func report(_ faults: [SiftFault], _ code: Diagnostic.Code) {
        for fault in faults.prefix(8) { report(fault.diagnostic(code)) }
    }

    // MARK: Creating the analytics

    private func open() throws(TrackwayError) -> Analytics {
        var configuration = base
        let dependencies = try configuration.dependencies()
        let kept = dependencies.contents(of: SiftSettings.file)
        if let kept { applying.withLock { $0 = kept } }
        let state = state.withLock { state in
            // Settings made while the analytics could not be created are newer than the saved ones.
            let chosen = state.settings
            if let kept { state.settings.recall(kept) }
            state.settings.accountId = chosen.accountId ?? state.settings.accountId
            state.settings.beaconKey = chosen.beaconKey ?? state.settings.beaconKey
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
        if base.onDiagnostic != nil { configuration.onDiagnostic = { [weak self] in self?.hear($0) } }
        return try Analytics(configuration, in: dependencies)
    }

    /// Returns the SDK's own destinations and their delivery policies.
    private func builtIn(_ state: State) -> [(id: DestinationID, policy: DeliveryPolicy)] {
        [
            (SiftQueueTable.standard, SFIosAppStateCollectorQueueConfig),
            (SiftQueueTable.properties, SFIosDevicePropertiesCollectorQueueConfig),
        ].map { identifier, config in (DestinationID(queue: identifier), state.settings.delivery(config)) }
    }

    /// Reports the diagnostics that were deferred until the app may call back.
    func reportDeferred() {
        let early = state.withLock { state in
            defer { state.early = [] }
            return state.early
        }
        for diagnostic in early { base.onDiagnostic?(diagnostic) }
    }

    /// Reports a diagnostic to the app.
    ///
    /// Keeps it for later if the app must not call back now.
    private func hear(_ diagnostic: Diagnostic) {
        let isEarly = state.withLock { state in
            guard state.analytics == nil || state.isChangingQueues else { return false }
            state.early.append(diagnostic)
            return true
        }
        if !isEarly { base.onDiagnostic?(diagnostic) }
    }

    private func report(_ failure: TrackwayError) {
        let isFirst = state.withLock { state in
            defer { state.hasToldFailure = true }
            return !state.hasToldFailure
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
        policy.queue = config.policy ?? .resting
        policy.attempts = attempts
        return policy
    }
}

extension SiftCore {
    // MARK: Settings

    /// The settings, as made by this process or an earlier one.
    var settings: SiftSettings {
        analytics()
        return state.withLock { $0.settings }
    }

    /// Changes the settings, which also apply to pending events.
    ///
    /// The account and key persist across restarts.
    func choose(_ choice: (inout SiftSettings) -> Void) {
        // Create them first, so that settings saved by an earlier process do not replace the new ones.
        let analytics = analytics()
        let isNew = state.withLock { state in
            let before = state.settings
            choice(&state.settings)
            return state.settings != before
        }
        guard let analytics else { return }
        // Setting the same value again retries, because the back end may accept it now.
        if isNew { apply(to: analytics) } else { analytics.probeParkedDestinations() }
    }

    /// Applies the settings.
    ///
    /// Runs on one thread at a time, so that the settings made last are applied last.
    func apply(to analytics: Analytics) {
        applying.withLock { kept in
            let (settings, queues) = state.withLock { ($0.settings, $0.queues) }
            if settings.kept != kept {
                kept = settings.kept
                analytics.delivery.environment.keep(settings.kept, as: SiftSettings.file, durably: true)
            }
            for id in Set(queues.destinations).union(SiftQueueTable.builtIn.values).union(queues.leaving) {
                do throws(TrackwayError) {
                    try analytics.replaceDestination(DestinationConfiguration(settings.destination(id)))
                } catch {
                    // The queue has just been removed; adding it again applies the settings current at that time.
                    continue
                }
            }
        }
    }

    // MARK: User

    var user: String? { analytics()?.userID ?? state.withLock { $0.user ?? nil } }

    func setUser(_ user: String?) {
        let user = user.flatMap { $0.isEmpty ? nil : $0 }
        // Kept while the analytics cannot be created, so that their first event belongs to this user.
        madeAnalytics(orElse: { $0.user = .some(user) })?.setUser(user)
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
    /// Hands over the events of ready queues, or of all queues.
    ///
    /// - Parameter ids: the queues to hand over; nil for all.
    /// - Returns: Whether events were handed over and can be sent.
    @discardableResult
    func upload(_ ids: [DestinationID]? = nil, force: Bool) -> Bool {
        guard let analytics = working("upload"), canUpload() else { return false }
        letGo(analytics)
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
        guard let analytics = working("collect") else { return }
        state.withLock { $0.queues.propertiesAppeared() }
        analytics.collectSnapshot()
    }

    /// Collects device properties now.
    func collectProperties() {
        guard let analytics = working("collect") else { return }
        state.withLock { $0.queues.propertiesAppeared() }
        analytics.collectDeviceProperties()
    }

    /// Collects app state now.
    ///
    /// - Parameter time: the time of the event; nil for now.
    func collectState(title: String?, at time: Timestamp?) {
        working("collectWithTitle")?.collectAppState(title: title, at: time)
    }

    /// Adds a reading that the app made.
    func feed(_ reading: MotionReading) {
        working("update")?.addSensorReading(reading)
    }

    /// Pauses collecting and sending until ``resume()``; appended events are stored.
    func pause() {
        rest(true) { $0.pause() }
    }

    /// Ends ``pause()``.
    func resume() {
        rest(false) { $0.resume() }
    }

    private func rest(_ isPaused: Bool, _ change: (Analytics) -> Void) {
        // Kept while the analytics cannot be created, so that they start paused.
        if let analytics = madeAnalytics(orElse: { $0.isPaused = isPaused }) { change(analytics) }
    }

    /// Flushes appended events to disk in the background.
    ///
    /// They then survive power loss. They already survive termination of the process.
    func archive() {
        guard let analytics = analytics() else { return }
        // No caller waits for it, and the journal reports a disk failure.
        Task { try? await analytics.storage.commits.commit() }
    }
}
