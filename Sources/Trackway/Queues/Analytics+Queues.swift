// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayBehavior
internal import TrackwayDelivery
public import TrackwayEvents

extension Analytics {
    /// Hands over to delivery what waits in queues. It is sent as soon as the back-end answers; what is recorded after
    /// this call waits for the next upload. May read and write small files.
    ///
    /// - Parameters:
    ///   - ids: which queues; all when empty. An id without a destination is told with a `Diagnostic`.
    ///   - force: true for every queue in which anything waits; false for those that their rules find ready.
    /// - Returns: True when events were handed over. While another process of the installation delivers, or this one has only
    ///   begun, true when events wait: they are handed over as soon as that is possible.
    @discardableResult
    public func requestUpload(of ids: [DestinationID] = [], force: Bool = false) -> Bool {
        if let unknown = ids.first(where: { !registry.contains($0) }) {
            reporter.report(
                Diagnostic(
                    code: .unknownDestination,
                    field: "of",
                    value: "\(unknown)",
                    remedy: "Add the queue first, or name another; the queues that exist were asked."
                )
            )
        }
        return delivery.requestUpload(of: ids.isEmpty ? nil : Set(ids), force: force)
    }

    /// How many events wait for a destination: in a queue those beyond the last upload, exactly; otherwise those that
    /// were not settled. None for an id without a destination.
    ///
    /// While this process does not deliver, because another one of the installation does or because it just began, a queue is
    /// counted from the disk, and of any other destination only this process's own events count.
    public func pendingCount(for id: DestinationID) -> UInt64 {
        delivery.waiting(for: id)
    }

    /// Whether a queue's rules find it worth an upload now.
    package func isReadyForUpload(_ id: DestinationID) -> Bool {
        delivery.isReadyForUpload(id)
    }

    /// When an upload of a queue was last asked for, by the wall clock of then; nil before the first.
    package func lastUpload(of id: DestinationID) -> Timestamp? {
        registry.recall(id)?.wall
    }

    /// The JSON of what waits in a queue, oldest first; at most so many.
    package func waitingEvents(for id: DestinationID, most: Int) -> [[UInt8]] {
        delivery.waitingEvents(for: id, most: most)
    }

    /// How many events of a queue were handed over and are not delivered yet; 0 exactly when there are none, nil while this
    /// process does not deliver.
    package func handedOver(of id: DestinationID) -> UInt64? {
        delivery.handedOver(of: id)
    }

    /// Holds a queue to other rules from now on. A number that no app means is brought within its bounds, and told.
    package func setQueue(_ policy: QueuePolicy, of id: DestinationID) {
        var bounds = SettingBounds()
        let policy = bounds.queue(policy, "queue")
        let problem = destinationChanges.withLock { _ -> Diagnostic? in
            guard delivery.setQueue(policy, of: id) else { return nil }
            return registry.setQueue(policy, of: id)
        }
        reporter.report(bounds.diagnostics)
        if let problem { reporter.report(problem) }
    }

    /// Records an event that carries a time of the app's choice. Everything that reckons with time takes the real one.
    @discardableResult
    package func record(
        _ name: String,
        _ attributes: Attributes,
        to route: [DestinationID],
        at wall: Timestamp
    ) -> Receipt {
        let now = clock.now()
        let moment = Moment(wall: wall, monotonic: now.monotonic)
        return recordSlowPath(name, attributes, items: [], to: route, id: ids.next(at: now.wall), at: moment)
    }
}
