// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayCore
internal import TrackwayDelivery
internal import TrackwayDestinationKit
internal import TrackwayJournal
package import TrackwayLifecycle

extension Analytics {
    /// Adds a destination while the app runs.
    ///
    /// Events recorded after this call are addressed to the new destination, too. With `DeliveryPolicy.queue` set, the
    /// destination is a queue.
    ///
    /// ```swift
    /// var policy = DeliveryPolicy()
    /// policy.queue = QueuePolicy(uploadWhenMoreThan: 32, uploadWhenOlderThan: .seconds(60))
    /// try analytics.addDestination(.collector(url, writeKey: key, id: "orders").configured(delivery: policy))
    /// analytics.record("order", ["total": 99.9], to: ["orders"])
    /// ```
    /// A destination that is added at run time must be added again in each run. Until it is, events recorded with no
    /// route are kept for the destination if consent permits the category `analytics`, and its pending events are
    /// retained. Callable from any thread. The call writes two small files.
    ///
    /// - Parameter destination: The destination and its settings. No other destination may have the same id. A number
    ///   outside its range is clamped, as in ``Configuration``, and reported as a `Diagnostic`.
    /// - Throws: ``TrackwayError`` with ``TrackwayError/Code/duplicateDestination`` if the id is in use, or with
    ///   ``TrackwayError/Code/tooManyDestinations`` if there are already 256 destinations.
    public func addDestination(_ destination: DestinationConfiguration) throws(TrackwayError) {
        guard !isInChild else { throw .inChild }
        let id = destination.id
        var bounds = SettingsClamp()
        let settings = bounds.destination(destination, "destinations.\(id)")
        var route = DeliveryRoute(
            destination: settings.destination,
            policy: settings.delivery ?? delivery.defaultPolicy,
            admission: delivery.consents.rule(for: id)
        )
        let problem = try delivery.destinationChanges.withLock { (_) throws(TrackwayError) in
            try storage.registry.checkCanAdd(for: id)
            route.rules = runtimeOptions.withLock { options in
                if let rules = settings.rules { options.rules[id] = rules }
                return options.rules[id] ?? []
            }
            // Set the consent category first, so that no event addressed to the destination is rejected.
            delivery.consents.add(id, category: settings.consentCategory)
            // Then add the destination to the journal, before any event can be addressed to it.
            storage.journal.addDestination(id, isAppManaged: settings.isLocal)
            let problem = storage.registry.add(id, route.policy, isAppManaged: settings.isLocal)
            if !settings.isLocal { delivery.service.add(route) }
            return problem
        }
        reporter.report(bounds.diagnostics)
        if let problem { reporter.report(problem) }
    }

    /// Removes a destination that was added at run time.
    ///
    /// A request in flight is still completed. Pending events stay in the journal, within its limits of age and size,
    /// and are sent when the destination is added again. Events recorded in the meantime are not addressed to the
    /// destination. Callable from any thread. The call writes a small file.
    ///
    /// - Returns: False if no destination has this id, or if the destination is part of the configuration.
    @discardableResult
    public func removeDestination(_ id: DestinationID) -> Bool {
        guard !isInChild else { return false }
        let (isRemoved, problem) = delivery.destinationChanges.withLock { _ in
            let (isRemoved, problem) = storage.registry.remove(id) { storage.journal.removeDestination(id) }
            if isRemoved { delivery.service.remove(id) }
            // Remove the category last, because it applies while events are delivered to the destination.
            if !storage.registry.configured.contains(id) { delivery.consents.remove(id) }
            return (isRemoved, problem)
        }
        if let problem { reporter.report(problem) }
        return isRemoved
    }

    /// Replaces a destination's settings, such as its write key or address.
    ///
    /// The new destination has the same id and is tried immediately, even if the old one was parked. Rules and a
    /// consent category are replaced if given, and unchanged if nil. The delivery policy never changes: to change it,
    /// remove the destination and add it again.
    ///
    /// - Throws: ``TrackwayError`` with ``TrackwayError/Code/unknownDestination`` if no destination has this id, or
    ///   with ``TrackwayError/Code/destinationKindMismatch`` if only one of the old and new destinations is a local destination.
    public func replaceDestination(_ destination: DestinationConfiguration) throws(TrackwayError) {
        guard !isInChild else { throw .inChild }
        try requireDestination(destination.id)
        let isAppManaged = destination.isLocal
        guard storage.journal.isAppManaged(destination.id) == isAppManaged else {
            throw TrackwayError(
                .destinationKindMismatch,
                isAppManaged
                    ? "The SDK delivers to the destination \"\(destination.id)\", so it cannot become a local "
                        + "destination while it exists."
                    : "The destination \"\(destination.id)\" is app-managed and cannot become one that the "
                        + "SDK delivers to while it exists.",
                recoverySuggestion: isAppManaged
                    ? "Remove it, then add the local destination." : "Remove it, then add the destination."
            )
        }
        var bounds = SettingsClamp()
        let settings = bounds.destination(destination, "destinations.\(destination.id)")
        try delivery.destinationChanges.withLock { (_) throws(TrackwayError) in
            // The destination may have been removed since the first check.
            try requireDestination(destination.id)
            if let rules = settings.rules {
                runtimeOptions.withLock { $0.rules[destination.id] = rules }
                delivery.service.setRules(rules, for: destination.id)
            }
            if let category = settings.consentCategory { delivery.consents.add(destination.id, category: category) }
            if !isAppManaged { delivery.service.replace(settings.destination) }
            // Events that were held under the previous category may now be permitted.
            if settings.consentCategory != nil { delivery.service.admissionChanged(for: destination.id) }
        }
        reporter.report(bounds.diagnostics)
    }

    /// Throws if no destination has this id.
    func requireDestination(_ id: DestinationID) throws(TrackwayError) {
        guard !storage.registry.contains(id) else { return }
        throw TrackwayError(
            .unknownDestination,
            "No destination has the id \"\(id)\".",
            recoverySuggestion: "Add it with addDestination, or use one of "
                + "\(storage.registry.present.ordered().map(\.rawValue).joined(separator: ", "))."
        )
    }

    /// Returns whether a destination with this id is configured or was added.
    public func hasDestination(_ id: DestinationID) -> Bool {
        guard !isInChild else { return false }
        return storage.registry.contains(id)
    }

    // MARK: Queues

    /// Hands pending events of queues over to delivery.
    ///
    /// These events are sent as soon as the back end responds; events recorded after this call wait for the next
    /// upload. The call does not wait for files or requests: the handover is written to disk a moment later. If the
    /// process ends before that, the events return to their queue.
    ///
    /// - Parameters:
    ///   - route: The queues; every queue by default. An id that no destination has is reported as a `Diagnostic`.
    ///   - force: Whether to hand over the events of every queue. If false, only queues that are ready under their
    ///     policies are handed over.
    /// - Returns: Whether events were handed over. While another process of the installation delivers, or before
    ///   delivery has begun, true if events are pending; they are handed over as soon as possible.
    @discardableResult
    public func requestUpload(of route: Route = .all, force: Bool = false) -> Bool {
        guard !isInChild, !route.isEmpty else { return false }
        if let unknown = route.ids.first(where: { !storage.registry.contains($0) }) {
            reporter.report(
                Diagnostic(
                    code: .unknownDestination,
                    field: "of",
                    value: "\(unknown)",
                    message:
                        "The upload of \"\(unknown)\" was not requested because no destination has this id; the other "
                        + "uploads were requested.",
                    recoverySuggestion: "Add the queue first, or correct the id."
                )
            )
        }
        return delivery.service.requestUpload(of: route == .all ? nil : Set(route.ids), force: force)
    }

    /// Returns the number of events that are pending for a destination.
    ///
    /// For a queue, these are exactly the events since the last upload; for any other destination, the events that were
    /// neither delivered nor dropped. The number is 0 if no destination has this id.
    ///
    /// The call does not wait for delivery. While this process does not deliver, because another process of the
    /// installation does or because delivery has not begun yet, a queue is counted from disk, and for any other
    /// destination only this process's events count.
    public func pendingCount(for id: DestinationID) -> Int {
        guard !isInChild else { return 0 }
        return Int(
            clamping: storage.journal.isAppManaged(id)
                ? pendingLocalCount(for: id) : delivery.service.waitingCount(for: id)
        )
    }

    /// Returns whether a queue is ready for an upload under its policy.
    package func isReadyForUpload(_ id: DestinationID) -> Bool {
        delivery.service.isReadyForUpload(id)
    }

    /// Returns the wall-clock time of a queue's last upload request.
    ///
    /// nil before the first request.
    package func lastUpload(of id: DestinationID) -> Timestamp? {
        storage.registry.recall(id)?.wall
    }

    /// Returns the oldest pending events of a queue as JSON.
    ///
    /// The result contains at most `limit` events, oldest first.
    package func waitingEvents(for id: DestinationID, limit: Int) -> [[UInt8]] {
        delivery.service.waitingEvents(for: id, limit: limit)
    }

    /// Returns the number of a queue's handed-over but undelivered events.
    ///
    /// The result is 0 only if no such events exist. It is nil while this process does not deliver, or if the events
    /// currently cannot be counted.
    package func transferredCount(of id: DestinationID) -> UInt64? {
        delivery.service.transferredCount(of: id)
    }

    /// Changes a queue's policy.
    ///
    /// An out-of-range number is clamped and reported.
    package func setQueue(_ policy: QueuePolicy, of id: DestinationID) {
        guard !isInChild else { return }
        var bounds = SettingsClamp()
        let policy = bounds.queue(policy, "queue")
        let problem = delivery.destinationChanges.withLock { _ -> Diagnostic? in
            guard delivery.service.setQueue(policy, of: id) else { return nil }
            return storage.registry.setQueue(policy, of: id)
        }
        reporter.report(bounds.diagnostics)
        if let problem { reporter.report(problem) }
    }

    /// Records an event with a time chosen by the app.
    ///
    /// Time calculations still use the actual time.
    ///
    /// - Parameter isIntercepted: Whether a module has already shown the event to interceptors in its own form; see
    ///   ``passesInterceptors(_:recordedAs:)``.
    @discardableResult
    package func record(
        _ name: String,
        _ attributes: Attributes,
        to route: Route,
        at wall: Timestamp,
        isIntercepted: Bool = false
    ) -> Receipt {
        let now = recording.clock.now()
        let moment = DualTimestamp(wall: wall, monotonic: now.monotonic)
        return recordSlowPath(
            name,
            attributes,
            items: [],
            to: route,
            id: recording.ids.next(at: now.wall),
            at: moment,
            activity: now,
            isIntercepted: isIntercepted
        )
    }
}
