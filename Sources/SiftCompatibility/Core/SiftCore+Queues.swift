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
        noticeProperties()
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
        noticeProperties()
        let (addition, settings) = state.withLock { state in (state.queues.add(identifier), state.settings) }
        switch addition {
        case .refuse:
            refuse(queue: identifier, "It is there already; remove it first to change its rules.")
            return false
        case .change(let id):
            analytics.setQueue(policy, of: id)
        case .add(let id):
            do throws(TrackwayError) {
                try analytics.add(settings.destination(id), delivery: settings.delivery(config))
            } catch {
                state.withLock { $0.queues.notAdded(identifier) }
                refuse(queue: identifier, "The queue was not added: \(error.description).")
                return false
            }
        }
        let now = state.withLock { state in
            state.queues.added(identifier, config)
            return state.settings
        }
        // What was chosen while the queue was on its way counts for it, too.
        if now != settings { apply(to: analytics) }
        return true
    }

    /// Removes a queue. What waits in it stays, and goes on when the queue is added again.
    func removeQueue(_ identifier: String?) -> Bool {
        guard let analytics = analytics() else { return false }
        noticeProperties()
        guard let identifier, let id = state.withLock({ $0.queues.remove(identifier) }) else {
            refuse(queue: identifier, "There is no such queue; nothing was removed.")
            return false
        }
        if SiftQueueTable.builtIn[identifier] == nil {
            _ = analytics.remove(id)
        } else {
            // Snapshots go on to be taken for it; without rules nothing of it is sent.
            analytics.setQueue(.resting, of: id)
        }
        return true
    }

    /// Lets the app see the queue of device properties once it was used.
    private func noticeProperties() {
        guard state.withLock({ $0.queues.expectsProperties }), let analytics = analytics() else { return }
        let id = DestinationID(queue: SiftQueueTable.properties)
        guard analytics.lastUpload(of: id) != nil || analytics.waiting(for: id) > 0 else { return }
        state.withLock { $0.queues.propertiesAppeared() }
    }

    func refuse(queue identifier: String?, _ remedy: String) {
        tell(Diagnostic(code: .queueInvalid, field: "queue", value: identifier ?? "nil", remedy: remedy))
    }
}

extension QueuePolicy {
    /// Nothing is ever worth an upload.
    static let resting = QueuePolicy(uploadWhenMoreThan: -1)
}
