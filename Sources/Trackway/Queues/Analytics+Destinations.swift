// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayBehavior
internal import TrackwayDelivery
public import TrackwayEvents
internal import TrackwayJournal
internal import TrackwayWire

extension Analytics {
    /// Adds a destination while the app runs.
    ///
    /// Events recorded from now on are for it, too. With `DeliveryPolicy.queue` set it is a queue.
    ///
    /// ```swift
    /// var policy = DeliveryPolicy()
    /// policy.queue = QueuePolicy(uploadWhenMoreThan: 32, uploadWhenOlderThan: .seconds(60))
    /// try analytics.addDestination(.collector(url, writeKey: key, id: "orders").configured(delivery: policy))
    /// analytics.record("order", ["total": 99.9], to: ["orders"])
    /// ```
    /// A destination that is added at run time must be added again in each run. Until then, events recorded without a route are kept
    /// for it, if consent permits the category `analytics`, and pending events stay. Any thread may call; the call writes two small files.
    ///
    /// - Parameter destination: the destination and its settings; no other destination may have its id. A number that is out of
    ///   range is replaced by the nearest valid one, as in ``Configuration``, and reported as a `Diagnostic`.
    /// - Throws: ``TrackwayError`` with ``TrackwayError/Code/duplicateDestination`` when the id is taken, with
    ///   ``TrackwayError/Code/tooManyDestinations`` when there are 256.
    public func addDestination(_ destination: DestinationConfiguration) throws(TrackwayError) {
        guard !isInChild else { throw .inChild }
        let id = destination.id
        var bounds = SettingBounds()
        let settings = bounds.destination(destination, "destinations.\(id)")
        var route = DeliveryRoute(
            destination: settings.destination,
            policy: settings.delivery ?? delivery.defaultPolicy,
            admission: delivery.consents.rule(for: id)
        )
        let problem = try delivery.destinationChanges.withLock { (_) throws(TrackwayError) in
            try storage.registry.checkRoom(for: id)
            route.rules = runtimeOptions.withLock { options in
                if let rules = settings.rules { options.rules[id] = rules }
                return options.rules[id] ?? []
            }
            // Consent first: nothing may be refused that is addressed to it.
            delivery.consents.add(id, category: settings.consentCategory)
            // The journal next, before anything can be addressed to it.
            storage.journal.addDestination(id, isKept: settings.isLocal)
            let problem = storage.registry.add(id, route.policy, isTarget: settings.isLocal)
            if !settings.isLocal { delivery.service.add(route) }
            return problem
        }
        reporter.report(bounds.diagnostics)
        if let problem { reporter.report(problem) }
    }

    /// Removes a destination that was added at run time.
    ///
    /// A request in flight is still completed. Pending events stay in the journal, within its limits of age and size, and are sent when the
    /// destination is added again. Events recorded in the meantime are not for it. Any thread may call; the call writes a small file.
    ///
    /// - Returns: false if there is no destination with this id, or if it is part of the configuration.
    @discardableResult
    public func removeDestination(_ id: DestinationID) -> Bool {
        guard !isInChild else { return false }
        let (isRemoved, problem) = delivery.destinationChanges.withLock { _ in
            let (isRemoved, problem) = storage.registry.remove(id) { storage.journal.removeDestination(id) }
            if isRemoved { delivery.service.remove(id) }
            // Last: as long as it is delivered to, its own category applies.
            if !storage.registry.configured.contains(id) { delivery.consents.remove(id) }
            return (isRemoved, problem)
        }
        if let problem { reporter.report(problem) }
        return isRemoved
    }

    /// Replaces a destination by one with the same id and other settings, for example a new write key or address.
    ///
    /// The new one is tried at once, even if the old one had been refused. Rules and a consent category apply if they are given, and stay
    /// as they were if they are nil. The delivery policy always stays: to change it, remove the destination and add it again.
    ///
    /// - Throws: ``TrackwayError`` with ``TrackwayError/Code/unknownDestination`` when there is none with this id, with
    ///   ``TrackwayError/Code/targetMismatch`` when one of the two is an ``LocalDestination`` and the other is not.
    public func replaceDestination(_ destination: DestinationConfiguration) throws(TrackwayError) {
        guard !isInChild else { throw .inChild }
        try checkPresent(destination.id)
        let isTarget = destination.isLocal
        guard storage.journal.isKept(destination.id) == isTarget else {
            throw TrackwayError(
                .targetMismatch,
                isTarget
                    ? "The destination \"\(destination.id)\" is delivered by the SDK and cannot become an app-managed "
                        + "target while it exists."
                    : "The destination \"\(destination.id)\" is an app-managed target and cannot become one that the "
                        + "SDK delivers to while it exists.",
                recoverySuggestion: isTarget
                    ? "Remove it, then add the target." : "Remove it, then add the destination."
            )
        }
        var bounds = SettingBounds()
        let settings = bounds.destination(destination, "destinations.\(destination.id)")
        try delivery.destinationChanges.withLock { (_) throws(TrackwayError) in
            // It may have been removed since.
            try checkPresent(destination.id)
            if let rules = settings.rules {
                runtimeOptions.withLock { $0.rules[destination.id] = rules }
                delivery.service.setRules(rules, for: destination.id)
            }
            if let category = settings.consentCategory { delivery.consents.add(destination.id, category: category) }
            if !isTarget { delivery.service.replace(settings.destination) }
            // Events that were held for another category may be sent now.
            if settings.consentCategory != nil { delivery.service.admissionChanged(for: destination.id) }
        }
        reporter.report(bounds.diagnostics)
    }

    /// Throws when there is no destination of this id.
    func checkPresent(_ id: DestinationID) throws(TrackwayError) {
        guard !storage.registry.contains(id) else { return }
        throw TrackwayError(
            .unknownDestination,
            "No destination has the id \"\(id)\".",
            recoverySuggestion: "Add it with addDestination, or use one of "
                + "\(storage.registry.present.sorted().map(\.rawValue).joined(separator: ", "))."
        )
    }

    /// Whether a destination with an id is configured or was added.
    public func hasDestination(_ id: DestinationID) -> Bool {
        guard !isInChild else { return false }
        return storage.registry.contains(id)
    }

    // MARK: Queues

    /// Hands pending events of queues over to delivery.
    ///
    /// They are sent as soon as the back end answers; events recorded after this call wait for the next upload. The call waits for
    /// no file and no request: the hand-over is written to disk a moment later, and a process that dies before that finds the
    /// events in their queue again.
    ///
    /// - Parameters:
    ///   - route: the queues; every queue by default. An id without a destination is reported as a `Diagnostic`.
    ///   - force: true for every queue with pending events; false for those that are ready by their policy.
    /// - Returns: True if events were handed over. While another process of the installation delivers, or delivery has not begun
    ///   yet, true if events are pending: they are handed over as soon as that is possible.
    @discardableResult
    public func requestUpload(of route: Route = .all, force: Bool = false) -> Bool {
        guard !isInChild, !route.isNowhere else { return false }
        if let unknown = route.ids.first(where: { !storage.registry.contains($0) }) {
            reporter.report(
                Diagnostic(
                    code: .unknownDestination,
                    field: "of",
                    value: "\(unknown)",
                    message:
                        "The upload of \"\(unknown)\" was not requested because there is no such storage.queue; the other "
                        + "queues were asked.",
                    recoverySuggestion: "Add the queue first, or name another."
                )
            )
        }
        return delivery.service.requestUpload(of: route == .all ? nil : Set(route.ids), force: force)
    }

    /// The number of events that are pending for a destination.
    ///
    /// In a queue these are the events since the last upload, exactly; for any other destination the events that were neither
    /// delivered nor dropped. 0 for an id without a destination.
    ///
    /// Does not wait for delivery. While this process does not deliver, because another process of the installation does or because
    /// delivery has not begun yet, a queue is counted from disk, and for any other destination only this process's events count.
    public func pendingCount(for id: DestinationID) -> Int {
        guard !isInChild else { return 0 }
        return Int(clamping: storage.journal.isKept(id) ? targetCount(for: id) : delivery.service.waiting(for: id))
    }

    /// Whether a queue's rules find it worth an upload now.
    package func isReadyForUpload(_ id: DestinationID) -> Bool {
        delivery.service.isReadyForUpload(id)
    }

    /// When an upload of a queue was last asked for, by the wall clock of then; nil before the first.
    package func lastUpload(of id: DestinationID) -> Timestamp? {
        storage.registry.recall(id)?.wall
    }

    /// The JSON of what waits in a queue, oldest first; at most so many.
    package func waitingEvents(for id: DestinationID, most: Int) -> [[UInt8]] {
        delivery.service.waitingEvents(for: id, most: most)
    }

    /// The number of events of a queue that were handed over and are not delivered yet; 0 only if there are none. nil while this
    /// process does not deliver, or if that cannot be counted now.
    package func handedOver(of id: DestinationID) -> UInt64? {
        delivery.service.handedOver(of: id)
    }

    /// Holds a queue to other rules from now on. A number that no app means is brought within its bounds, and told.
    package func setQueue(_ policy: QueuePolicy, of id: DestinationID) {
        guard !isInChild else { return }
        var bounds = SettingBounds()
        let policy = bounds.queue(policy, "queue")
        let problem = delivery.destinationChanges.withLock { _ -> Diagnostic? in
            guard delivery.service.setQueue(policy, of: id) else { return nil }
            return storage.registry.setQueue(policy, of: id)
        }
        reporter.report(bounds.diagnostics)
        if let problem { reporter.report(problem) }
    }

    /// Records an event that carries a time of the app's choice. Everything that reckons with time takes the real one.
    ///
    /// - Parameter isShown: True for an event that a module has shown to interceptors in its own form; see
    ///   ``showToInterceptors(_:recordedAs:)``.
    @discardableResult
    package func record(
        _ name: String,
        _ attributes: Attributes,
        to route: Route,
        at wall: Timestamp,
        isShown: Bool = false
    ) -> Receipt {
        let now = recording.clock.now()
        let moment = Moment(wall: wall, monotonic: now.monotonic)
        return recordSlowPath(
            name,
            attributes,
            items: [],
            to: route,
            id: recording.ids.next(at: now.wall),
            at: moment,
            activity: now,
            isShown: isShown
        )
    }
}
