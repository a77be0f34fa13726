// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CSiftCompatibility
internal import Trackway
internal import TrackwayCore
internal import TrackwayDestinations
internal import TrackwayLifecycle

extension SiftCore {
    /// Returns a queue that the app sees.
    ///
    /// Returns nil if the queue does not exist.
    func entry(_ identifier: String?) -> SiftQueueTable.Entry? {
        guard let identifier else { return nil }
        if identifier == SiftQueueTable.properties { showPropertiesQueueIfUsed() }
        return state.withLock { $0.queues[identifier] }
    }

    /// Adds a queue.
    ///
    /// Pending events from an earlier queue with this name stay pending in the new queue.
    func addQueue(_ identifier: String?, _ config: SiftQueueConfig) -> Bool {
        guard let analytics = analytics() else { return false }
        guard let identifier else {
            reportInvalidQueue(nil, "The queue was not added because it has no name.", "Give the queue a name.")
            return false
        }
        guard let policy = config.policy else {
            reportInvalidQueue(
                identifier,
                "The queue \(identifier.quoted) was not added because a time in its configuration is not a number.",
                "Use times in seconds."
            )
            return false
        }
        if identifier == SiftQueueTable.properties { showPropertiesQueueIfUsed() }
        removeDeliveredQueues(analytics)
        let settings = state.withLock { $0.settings }
        let failure = serializingQueueChange { () -> (message: String, suggestion: String?)? in
            switch state.withLock({ $0.queues.add(identifier) }) {
            case .reject:
                return (
                    "The queue \(identifier.quoted) already exists and was not added again.",
                    "Remove it first to change its rules."
                )
            case .change(let id):
                analytics.setQueue(policy, of: id)
            case .add(let id):
                do throws(TrackwayError) {
                    try analytics.addDestination(
                        DestinationConfiguration(settings.destination(id), delivery: settings.delivery(config))
                    )
                } catch {
                    state.withLock { $0.queues.cancelAdding(identifier) }
                    return ("The queue \(identifier.quoted) was not added: \(error.message)", error.recoverySuggestion)
                }
            }
            return nil
        }
        if let failure {
            reportInvalidQueue(identifier, failure.message, failure.suggestion)
            return false
        }
        let now = state.withLock { state in
            state.queues.finishAdding(identifier, config)
            return state.settings
        }
        // Settings that changed while the queue was being added apply to it, too.
        if now != settings { apply(to: analytics) }
        return true
    }

    /// Removes a queue.
    ///
    /// The queue's handed-over events are still delivered. Its pending events stay on the device, and are uploaded when
    /// the queue is added again.
    func removeQueue(_ identifier: String?) -> Bool {
        guard let analytics = analytics() else { return false }
        if identifier == SiftQueueTable.properties { showPropertiesQueueIfUsed() }
        let isRemoved = serializingQueueChange {
            guard let identifier, let entry = state.withLock({ $0.queues.remove(identifier) }) else { return false }
            // Without rules, no more events from the queue are handed over. Snapshots are still taken for the SDK's own
            // queues.
            var idleConfig = entry.config
            idleConfig.uploadWhenMoreThan = -1
            idleConfig.uploadWhenOlderThan = 0
            analytics.setQueue(idleConfig.policy ?? .neverReady, of: entry.destination)
            return true
        }
        guard isRemoved else {
            reportInvalidQueue(
                identifier,
                "Nothing was removed because the queue "
                    + "\((identifier ?? "nil").quoted) does not exist.",
                nil
            )
            return false
        }
        removeDeliveredQueues(analytics)
        return true
    }

    /// Removes the destinations of removed queues that are completely delivered.
    ///
    /// The remaining removed queues are saved; the next process continues with them.
    func removeDeliveredQueues(_ analytics: Analytics) {
        guard state.withLock({ !$0.queues.draining.isEmpty }) else { return }
        serializingQueueChange {
            for id in state.withLock({ $0.queues.draining }) where analytics.transferredCount(of: id) == 0 {
                _ = analytics.removeDestination(id)
                state.withLock { $0.queues.finishDraining(id) }
            }
        }
        saveDrainingQueues(analytics)
    }

    /// Restores removed queues that the last process did not finish delivering.
    func restoreRemovedQueues(_ analytics: Analytics) {
        serializingQueueChange {
            let settings = state.withLock { $0.settings }
            for id in settings.draining.compactMap({ DestinationID($0) }) {
                let policy = settings.delivery(SiftQueueConfig(uploadWhenMoreThan: -1))
                do throws(TrackwayError) {
                    try analytics.addDestination(
                        DestinationConfiguration(settings.destination(id), delivery: policy)
                    )
                } catch {
                    // The queue already exists, because the app has added it again.
                    continue
                }
                state.withLock { $0.queues.addDraining(id) }
            }
        }
    }

    /// Performs one addition or removal of a queue at a time.
    ///
    /// Diagnostics are reported afterward, because the app must not be called during the change.
    private func serializingQueueChange<Result: Sendable>(_ body: () -> Result) -> Result {
        let result = queueChanges.withLock { _ in
            state.withLock { $0.isChangingQueues = true }
            defer { state.withLock { $0.isChangingQueues = false } }
            return body()
        }
        reportDeferred()
        return result
    }

    private func saveDrainingQueues(_ analytics: Analytics) {
        let isNew = state.withLock { state in
            let draining = state.queues.draining.map(\.rawValue).sorted()
            defer { state.settings.draining = draining }
            return state.settings.draining != draining
        }
        if isNew { apply(to: analytics) }
    }

    /// Shows the device properties queue to the app after its first use.
    private func showPropertiesQueueIfUsed() {
        guard state.withLock({ $0.queues.expectsProperties }), let analytics = analytics() else { return }
        let id = DestinationID(queue: SiftQueueTable.properties)
        guard analytics.lastUpload(of: id) != nil || analytics.pendingCount(for: id) > 0 else { return }
        state.withLock { $0.queues.showPropertiesQueue() }
    }

    func reportInvalidQueue(_ identifier: String?, _ message: String, _ suggestion: String?) {
        report(
            Diagnostic(
                code: .queueInvalid,
                field: "queue",
                value: identifier ?? "nil",
                message: message,
                recoverySuggestion: suggestion
            )
        )
    }
}

extension QueuePolicy {
    /// A policy under which a queue is never ready for upload.
    static let neverReady = QueuePolicy(uploadWhenMoreThan: -1)
}

extension SiftCore {
    /// Appends an event to a queue.
    ///
    /// - Returns: False if the event was not accepted, which is reported. True even if the queue's rules skipped the
    ///   event because it contains nothing new.
    func append(_ event: SiftEvent?, to identifier: String?) -> Bool {
        guard let analytics = analytics() else { return false }
        guard let event else {
            let fault = SiftFault(
                field: "event",
                value: "nil",
                message: "Nothing was appended because the event is "
                    + "nil."
            )
            report([fault], .eventRefusedByFormat)
            return false
        }
        guard let identifier, let queue = entry(identifier) else {
            reportInvalidQueue(
                identifier,
                "The event was not appended because the queue \((identifier ?? "nil").quoted) does not exist.",
                "Add the queue with addEventQueue first, or use another."
            )
            return false
        }
        let installation = analytics.siftInstallation
        let content = event.complete(user: analytics.userID, installation: installation, time: testTime(analytics))
        var faults = content.faults
        if faults.isEmpty { faults = content.limitViolations }
        guard faults.isEmpty else {
            report(faults, .eventRefusedByFormat)
            return false
        }
        var recorded = content
        // The ID of the sending installation is not recorded.
        if recorded.installationId == installation { recorded.installationId = nil }
        let receipt = analytics.record(
            recorded.recordedName,
            recorded.recordedAttributes,
            to: [queue.destination],
            at: Timestamp(milliseconds: Int64(clamping: content.time))
        )
        if receipt.dropped == .duplicate { return true }
        guard receipt.durability != .none else { return false }
        state.withLock { $0.queues.setLastEvent(content, of: identifier) }
        return true
    }

    /// Returns the pending events of a queue, oldest first.
    func pendingEvents(in destination: DestinationID) -> [SiftEvent] {
        guard let analytics = analytics() else { return [] }
        let installation = analytics.siftInstallation
        return analytics.waitingEvents(for: destination, limit: .max).compactMap { json in
            // An unreadable record is reported when it is delivered.
            guard let event = json.withUnsafeBytes({ try? Event(json: $0) }) else { return nil }
            var content = SiftContent(event)
            content.installationId = content.installationId ?? installation
            return SiftEvent(content)
        }
    }

    /// The time for an event without one, from a test's clock.
    ///
    /// The result is nil outside tests.
    private func testTime(_ analytics: Analytics) -> UInt64? {
        isInTest ? UInt64(clamping: analytics.delivery.environment.wallTime.milliseconds) : nil
    }

    /// Returns the analytics, or nil if unavailable or paused, which is reported.
    func activeAnalytics(for call: String) -> Analytics? {
        guard let analytics = analytics() else { return nil }
        guard analytics.isPaused else { return analytics }
        analytics.report(
            Diagnostic(
                code: .calledWhilePaused,
                field: call,
                value: "",
                message: "The call was ignored because the SDK is paused. Appended events are stored.",
                recoverySuggestion: "Call resume first."
            )
        )
        return nil
    }
}

extension Analytics {
    /// The installation's ID in the format.
    var siftInstallation: String {
        SiftDestination.installation(on: recordedContext.device, else: installationID)
    }
}
