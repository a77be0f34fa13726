// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayBehavior
package import TrackwayEvents

extension DeliveryService {
    /// Hands what waits in queues over to delivery, where it travels at once. Other destinations are not concerned. The
    /// queues' own times are not renewed.
    ///
    /// While this process does not deliver, a forced upload is made up for when it does, and the process that delivers is
    /// asked; a queue that is ready needs no asking there. May write a file.
    ///
    /// - Parameters:
    ///   - ids: Which queues; nil for all.
    ///   - force: True for every queue with any event, false for those that are ready.
    /// - Returns: True when events were handed over, or will be once somebody delivers: this process does not, and events of
    ///   its own wait in a queue that is forced or ready.
    @discardableResult
    package func requestUpload(of ids: Set<DestinationID>? = nil, force: Bool) -> Bool {
        var isHandedOver = false
        var left: [DestinationID] = []
        for worker in workers where worker.queue != nil && ids?.contains(worker.id) ?? true {
            if let isTaken = worker.requestUpload(force: force) {
                isHandedOver = isHandedOver || isTaken
            } else if let waiting = journal.ownWaiting(for: worker.id), waiting > 0,
                force || worker.queue?.isReady(with: waiting) ?? false
            {
                left.append(worker.id)
            }
        }
        guard !left.isEmpty else { return isHandedOver }
        if force, !state.withLock({ $0.isElected }) {
            journal.askDeliverer()
            attention.signal()
        }
        return true
    }

    /// Whether a queue is worth an upload now; false for any other destination. While this process does not deliver, judged
    /// by its own events alone.
    package func isReadyForUpload(_ id: DestinationID) -> Bool {
        worker(of: id)?.queue?.isReady(with: waiting(for: id)) ?? false
    }

    /// How many events wait for a destination: in a queue those beyond its last transfer, exactly; for any other those not
    /// settled. While this process does not deliver, its own unsettled events are counted. 0 also while nothing can be
    /// counted; a flush report says so.
    package func waiting(for id: DestinationID) -> UInt64 {
        guard let worker = worker(of: id) else { return 0 }
        guard let source = worker.source else { return journal.ownWaiting(for: id) ?? 0 }
        return (worker.queue == nil ? source.pending(for: id) : source.waiting(for: id)) ?? 0
    }

    /// The JSON of events in a queue, oldest first; none while this process does not deliver, nor for other destinations.
    ///
    /// - Parameter most: How many at most.
    package func waitingEvents(for id: DestinationID, most: Int) -> [[UInt8]] {
        guard let worker = worker(of: id), worker.queue != nil, let source = worker.source else { return [] }
        return source.waitingEvents(for: id, most: max(0, most))
    }

    /// Holds a queue to other rules from now on.
    ///
    /// - Returns: False when there is no such queue.
    @discardableResult
    package func setQueue(_ policy: QueuePolicy, of id: DestinationID) -> Bool {
        guard let queue = worker(of: id)?.queue else { return false }
        queue.setPolicy(policy)
        return true
    }
}
