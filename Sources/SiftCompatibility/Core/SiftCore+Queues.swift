// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CSiftCompatibility
internal import Trackway
internal import TrackwayBehavior
internal import TrackwayEvents

extension SiftCore {
    /// A queue that the app sees; nil when there is none of this name.
    func entry(_ identifier: String?) -> SiftQueueTable.Entry? {
        guard let identifier else { return nil }
        if identifier == SiftQueueTable.properties { noticeProperties() }
        return state.withLock { $0.queues[identifier] }
    }

    /// Adds a queue. What waited in one of this name goes on waiting in it.
    func addQueue(_ identifier: String?, _ config: SiftQueueConfig) -> Bool {
        guard let analytics = analytics() else { return false }
        guard let identifier else {
            refuse(queue: nil, "Give the queue a name. The queue was not added.")
            return false
        }
        guard let policy = config.policy else {
            refuse(queue: identifier, "Give times in seconds that are numbers. The queue was not added.")
            return false
        }
        if identifier == SiftQueueTable.properties { noticeProperties() }
        letGo(analytics)
        let settings = state.withLock { $0.settings }
        let refusal = whileComing { () -> String? in
            switch state.withLock({ $0.queues.add(identifier) }) {
            case .refuse:
                return "It is there already; remove it first to change its rules."
            case .change(let id):
                analytics.setQueue(policy, of: id)
            case .add(let id):
                do throws(TrackwayError) {
                    try analytics.addDestination(settings.destination(id), delivery: settings.delivery(config))
                } catch {
                    state.withLock { $0.queues.notAdded(identifier) }
                    return "The queue was not added: \(error.description)."
                }
            }
            return nil
        }
        if let refusal {
            refuse(queue: identifier, refusal)
            return false
        }
        let now = state.withLock { state in
            state.queues.added(identifier, config)
            return state.settings
        }
        // What was chosen while the queue was on its way counts for it, too.
        if now != settings { apply(to: analytics) }
        return true
    }

    /// Removes a queue. What was handed over of it is still delivered; what waits in it stays, and goes on when the queue is
    /// added again.
    func removeQueue(_ identifier: String?) -> Bool {
        guard let analytics = analytics() else { return false }
        if identifier == SiftQueueTable.properties { noticeProperties() }
        let isRemoved = whileComing {
            guard let identifier, let entry = state.withLock({ $0.queues.remove(identifier) }) else { return false }
            // Without rules nothing more of it is handed over. Of the SDK's own, snapshots go on to be taken for it.
            var resting = entry.config
            resting.uploadWhenMoreThan = -1
            resting.uploadWhenOlderThan = 0
            analytics.setQueue(resting.policy ?? .resting, of: entry.destination)
            return true
        }
        guard isRemoved else {
            refuse(queue: identifier, "There is no such queue; nothing was removed.")
            return false
        }
        letGo(analytics)
        return true
    }

    /// Lets go of removed queues of which everything that was handed over is delivered, and writes down which others there are:
    /// the next process goes on with them.
    func letGo(_ analytics: Analytics) {
        guard state.withLock({ !$0.queues.leaving.isEmpty }) else { return }
        whileComing {
            for id in state.withLock({ $0.queues.leaving }) where analytics.handedOver(of: id) == 0 {
                _ = analytics.removeDestination(id)
                state.withLock { $0.queues.left(id) }
            }
        }
        keepLeaving(analytics)
    }

    /// Takes up the removed queues of which the last process could not deliver everything that was handed over.
    func takeUpRemoved(_ analytics: Analytics) {
        whileComing {
            let settings = state.withLock { $0.settings }
            for id in settings.leaving.compactMap({ DestinationID($0) }) {
                let resting = settings.delivery(SiftQueueConfig(uploadWhenMoreThan: -1))
                do throws(TrackwayError) {
                    try analytics.addDestination(settings.destination(id), delivery: resting)
                } catch {
                    // There already: the app was quicker to add it again.
                    continue
                }
                state.withLock { $0.queues.isLeaving(id) }
            }
        }
    }

    /// Lets a queue come or go, one at a time. What is to be told of it is told after: the app is not called meanwhile.
    private func whileComing<Result: Sendable>(_ body: () -> Result) -> Result {
        let result = coming.withLock { _ in
            state.withLock { $0.isComing = true }
            defer { state.withLock { $0.isComing = false } }
            return body()
        }
        reportEarly()
        return result
    }

    private func keepLeaving(_ analytics: Analytics) {
        let isNew = state.withLock { state in
            let leaving = state.queues.leaving.map(\.rawValue).sorted()
            defer { state.settings.leaving = leaving }
            return state.settings.leaving != leaving
        }
        if isNew { apply(to: analytics) }
    }

    /// Lets the app see the queue of device properties once it was used.
    private func noticeProperties() {
        guard state.withLock({ $0.queues.expectsProperties }), let analytics = analytics() else { return }
        let id = DestinationID(queue: SiftQueueTable.properties)
        guard analytics.lastUpload(of: id) != nil || analytics.pendingCount(for: id) > 0 else { return }
        state.withLock { $0.queues.propertiesAppeared() }
    }

    func refuse(queue identifier: String?, _ remedy: String) {
        report(Diagnostic(code: .queueInvalid, field: "queue", value: identifier ?? "nil", remedy: remedy))
    }
}

extension QueuePolicy {
    /// Nothing is ever worth an upload.
    static let resting = QueuePolicy(uploadWhenMoreThan: -1)
}
