// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CSiftCompatibility
package import Trackway
internal import TrackwayBehavior
internal import TrackwayDelivery
internal import TrackwayDestinations
internal import TrackwayEvents
internal import TrackwayUIKit

/// What stands behind one root directory: the analytics once they are made, and what the app chose.
///
/// Any thread. The state's lock guards what is known and is never held while anything else is called. A second lock lets
/// one thread at a time make the analytics; the app is not called under it either: what is told meanwhile is told after.
package final class SiftCore: Sendable {
    struct State: Sendable {
        var settings = SiftSettings()
        var queues = SiftQueueTable()
        var defaultQueue: String? = SiftQueueTable.standard
        var allowsLocation = true
        var allowsMotion = false
        /// Who uses the app, as chosen while the analytics could not be made; the inner nil is nobody.
        var user: String??
        /// Whether everything rests, as chosen while the analytics could not be made.
        var isPaused = false
        var analytics: Analytics?
        /// The titles of view controllers, which snapshots of the app's state tell.
        var automatic: AutomaticCapture?
        /// Whether a queue comes or goes at this moment.
        var isChangingQueues = false
        /// Diagnostics that came while the analytics were made, or a queue came or went.
        var early: [Diagnostic] = []
        var hasToldFailure = false
    }

    let state = Locked(State())
    /// Held while settings are made to count; what of them lies in the file.
    private let applying = Locked(SiftSettings().kept)
    private let opening = Locked(())
    /// Held while a queue comes or goes, so that one that was removed and one that is added do not meet half way.
    let queueChanges = Locked(())
    private let base: Configuration

    /// Makes a core whose analytics are not there yet.
    ///
    /// - Parameter base: the app's wishes; queues, limits and snapshots' routes are the compatibility module's business.
    package init(_ base: Configuration) {
        self.base = base
    }

    /// Whether the analytics work with dependencies that a test made.
    var isInTest: Bool { base.dependencySource != nil }

    /// The analytics, made now if they are not there yet. nil when that is not possible; the first time that is told, and
    /// every call tries again.
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
        reportEarly()
        let (analytics, settings) = state.withLock { ($0.analytics, $0.settings) }
        // Chosen while they could not be made, and so not written down yet.
        if isNew, let analytics {
            takeUpRemoved(analytics)
            if settings.kept != applying.withLock({ $0 }) { apply(to: analytics) }
        }
        return analytics
    }

    /// The analytics; while they cannot be made, the state is changed instead.
    private func madeAnalytics(orElse change: (inout State) -> Void) -> Analytics? {
        analytics()
        return state.withLock { state in
            if state.analytics == nil { change(&state) }
            return state.analytics
        }
    }

    /// Tells of a mistake in a call.
    func report(_ diagnostic: Diagnostic) {
        analytics()?.report(diagnostic)
    }

    /// Tells what keeps a call from doing what it says: the first few faults, for an event may have thousands.
    func report(_ faults: [SiftFault], _ code: Diagnostic.Code) {
        for fault in faults.prefix(8) { report(fault.diagnostic(code)) }
    }

    // MARK: Making the analytics

    private func open() throws(TrackwayError) -> Analytics {
        var configuration = base
        let dependencies = try configuration.dependencies()
        let kept = dependencies.contents(of: SiftSettings.file)
        if let kept { applying.withLock { $0 = kept } }
        let state = state.withLock { state in
            // What was chosen already, while this could not be done, is newer.
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
        // Unchanged properties are the queue's business.
        snapshots.repeatsDevicePropertiesAfter = .zero
        configuration.snapshots = snapshots
        if base.onDiagnostic != nil { configuration.onDiagnostic = { [weak self] in self?.hear($0) } }
        return try Analytics(configuration, in: dependencies)
    }

    /// The destinations that are part of the SDK, and their pace.
    private func builtIn(_ state: State) -> [(id: DestinationID, policy: DeliveryPolicy)] {
        [
            (SiftQueueTable.standard, SFIosAppStateCollectorQueueConfig),
            (SiftQueueTable.properties, SFIosDevicePropertiesCollectorQueueConfig),
        ].map { identifier, config in (DestinationID(queue: identifier), state.settings.delivery(config)) }
    }

    /// Hands over what was kept until the app may call back.
    func reportEarly() {
        let early = state.withLock { state in
            defer { state.early = [] }
            return state.early
        }
        for diagnostic in early { base.onDiagnostic?(diagnostic) }
    }

    /// Hands a diagnostic to the app, or keeps it until the app may call back.
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
    /// The pace of a queue with these rules. One whose rules are none is worth no upload by itself.
    func delivery(_ config: SiftQueueConfig) -> DeliveryPolicy {
        var policy = DeliveryPolicy()
        policy.queue = config.policy ?? .resting
        policy.attempts = attempts
        return policy
    }
}

extension SiftCore {
    // MARK: Where events go

    /// What was chosen so far, by this process or an earlier one.
    var settings: SiftSettings {
        analytics()
        return state.withLock { $0.settings }
    }

    /// Changes where events go; what waits goes there, too. Account and key are kept over restarts.
    func choose(_ choice: (inout SiftSettings) -> Void) {
        // Made first, so that what an earlier process kept does not take the place of what is chosen now.
        let analytics = analytics()
        let isNew = state.withLock { state in
            let before = state.settings
            choice(&state.settings)
            return state.settings != before
        }
        guard let analytics else { return }
        // What is said once more may be what the back-end did not know a moment ago.
        if isNew { apply(to: analytics) } else { analytics.wakeParked() }
    }

    /// Makes what was chosen count. One thread at a time, so that the last to be chosen is the last to be applied.
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
                    // The queue was removed in this moment; adding it again gives it the settings of then.
                    continue
                }
            }
        }
    }

    // MARK: Who uses the app

    var user: String? { analytics()?.userID ?? state.withLock { $0.user ?? nil } }

    func setUser(_ user: String?) {
        let user = user.flatMap { $0.isEmpty ? nil : $0 }
        // Kept while the analytics cannot be made: their first event is this user's.
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
    /// Says who uses the app, or that nobody does.
    func setUser(_ user: String?) {
        if let user {
            identifySilently(user)
        } else {
            signOutSilently()
        }
    }
}

extension SiftCore {
    /// Hands over what is ready, or everything.
    ///
    /// - Parameter ids: the queues that this is about; all when nil.
    /// - Returns: Whether there was anything to hand over, and it can be sent.
    @discardableResult
    func upload(_ ids: [DestinationID]? = nil, force: Bool) -> Bool {
        guard let analytics = working("upload"), canUpload() else { return false }
        letGo(analytics)
        let ids = ids ?? state.withLock { $0.queues.destinations }
        if force, !ids.isEmpty { analytics.wakeParked() }
        return analytics.requestUpload(of: .only(ids), force: force)
    }

    /// Whether events can be sent, as far as the app's settings go. What stands in the way is told.
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
    /// - Parameter time: what the event says about when it happened; now when nil.
    func collectState(title: String?, at time: Timestamp?) {
        working("collectWithTitle")?.collectAppState(title: title, at: time)
    }

    /// Hands over a reading that the app made itself.
    func feed(_ reading: MotionReading) {
        working("update")?.addSensorReading(reading)
    }

    /// Collects and sends nothing until ``resume()``; what is appended is kept.
    func pause() {
        rest(true) { $0.pause() }
    }

    /// Ends ``pause()``.
    func resume() {
        rest(false) { $0.resume() }
    }

    private func rest(_ isPaused: Bool, _ change: (Analytics) -> Void) {
        // Kept while the analytics cannot be made: they rest from their beginning then.
        if let analytics = madeAnalytics(orElse: { $0.isPaused = isPaused }) { change(analytics) }
    }

    /// Lets what was appended survive power loss, soon: that it survives the process is so already.
    func archive() {
        guard let analytics = analytics() else { return }
        // Nobody waits for it; a disk that fails is told by the journal.
        Task { try? await analytics.storage.commits.commit() }
    }
}
