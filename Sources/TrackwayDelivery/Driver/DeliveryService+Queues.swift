// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayBehavior
package import TrackwayEvents

extension DeliveryService {
    /// Hands what waits in queues over to delivery, where it travels at once. Other destinations are not concerned. The
    /// queues' own times are not renewed.
    ///
    /// While this process does not deliver, because another one does or because it has only begun, a forced upload is made up
    /// for when it does, and the process that delivers is asked; a queue that is ready needs no asking there. A forced upload
    /// also asks a destination again whose settings were found wrong. May read what waits, and write a file.
    ///
    /// - Parameters:
    ///   - ids: Which queues; nil for all.
    ///   - force: True for every queue with any event, false for those that are ready.
    /// - Returns: True when events were handed over, or will be once somebody delivers: this process does not, and events
    ///   wait in a queue that is forced or ready.
    @discardableResult
    package func requestUpload(of ids: Set<DestinationID>? = nil, force: Bool) -> Bool {
        var isHandedOver = false
        var left: [DestinationID] = []
        for worker in workers where worker.queue != nil && ids?.contains(worker.id) ?? true {
            if let isTaken = worker.requestUpload(force: force) {
                isHandedOver = isHandedOver || isTaken
            } else {
                let waiting = self.waiting(for: worker.id)
                if waiting > 0, force || worker.queue?.isReady(with: waiting) ?? false { left.append(worker.id) }
            }
        }
        guard !left.isEmpty else { return isHandedOver }
        if force, !state.withLock({ $0.isElected }) {
            journal.askDeliverer()
            attention.signal()
        }
        return true
    }

    /// Whether a queue is worth an upload now; false for any other destination.
    package func isReadyForUpload(_ id: DestinationID) -> Bool {
        worker(of: id)?.queue?.isReady(with: waiting(for: id)) ?? false
    }

    /// How many events wait for a destination: in a queue those beyond its last transfer, exactly; for any other those not
    /// settled. While this process does not deliver, a queue is read from the disk, and of any other destination this process's
    /// own events are counted. 0 also while nothing can be counted; a flush report says so.
    package func waiting(for id: DestinationID) -> UInt64 {
        guard let worker = worker(of: id) else { return 0 }
        guard let source = worker.source else {
            // An event that the disk refused waits in memory, and in no other process's log.
            let counted = worker.queue == nil ? nil : journal.waiting(for: id)
            return counted ?? journal.ownWaiting(for: id) ?? 0
        }
        return (worker.queue == nil ? source.pending(for: id) : source.waiting(for: id)) ?? 0
    }

    /// The JSON of events in a queue, oldest first; none for other destinations.
    ///
    /// - Parameter most: How many at most.
    package func waitingEvents(for id: DestinationID, most: Int) -> [[UInt8]] {
        guard let worker = worker(of: id), worker.queue != nil else { return [] }
        guard let source = worker.source else { return journal.waitingEvents(for: id, most: max(0, most)) }
        return source.waitingEvents(for: id, most: max(0, most))
    }

    /// How many events of a queue were handed over and are not delivered yet, perhaps too many; 0 exactly when there are none.
    /// nil while this process does not deliver.
    package func handedOver(of id: DestinationID) -> UInt64? {
        worker(of: id)?.source?.released(for: id)
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
