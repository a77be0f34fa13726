// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayDelivery
public import TrackwayEvents
internal import TrackwayJournal
public import TrackwayWire

extension Analytics {
    /// Adds a destination while the app runs. Events recorded from now on are for it, too; with
    /// `DeliveryPolicy.queue` set it is a queue.
    ///
    /// ```swift
    /// var policy = DeliveryPolicy()
    /// policy.queue = QueuePolicy(uploadWhenMoreThan: 32, uploadWhenOlderThan: .seconds(60))
    /// try analytics.addDestination(.collector(url, writeKey: key, id: "orders"), delivery: policy)
    /// analytics.record("order", ["total": 99.9], to: ["orders"])
    /// ```
    /// A destination added at run time is added again in each run. Until then, what is recorded without a route is kept
    /// for it, and what waits for it stays. Consent counts for it as for every destination without a category of its own.
    /// Any thread may call; the call writes two small files.
    ///
    /// - Parameters:
    ///   - destination: who receives events; its id must be free.
    ///   - policy: how eagerly and how patiently; the configuration's when nil. A number that no app means is brought
    ///     within its bounds, as one of the ``Configuration`` is, and told as a `Diagnostic`.
    /// - Throws: ``TrackwayError`` with ``TrackwayError/Code/duplicateDestination`` when the id is taken, with
    ///   ``TrackwayError/Code/tooManyDestinations`` when there are 256.
    public func addDestination(_ destination: any Destination, delivery policy: DeliveryPolicy? = nil)
        throws(TrackwayError)
    {
        let id = destination.id
        var bounds = SettingBounds()
        let route = DeliveryRoute(
            destination: destination,
            policy: policy.map { bounds.policy($0, "delivery") } ?? usualPolicy,
            admission: consents.rule(for: id)
        )
        let problem = try destinationChanges.withLock { (_) throws(TrackwayError) in
            try registry.checkRoom(for: id)
            // Consent first: nothing may be refused that is addressed to it.
            consents.add(id)
            // The journal next, before anything can be addressed to it.
            journal.addDestination(id)
            let problem = registry.add(id, route.policy)
            delivery.add(route)
            return problem
        }
        reporter.report(bounds.diagnostics)
        if let problem { reporter.report(problem) }
    }

    /// Removes a destination that was added at run time. A request on its way is still settled; what waits stays in the
    /// journal, within its limits of age and bytes, and goes on when the destination is added again. What is recorded
    /// meanwhile is not for it. Any thread may call; the call writes a small file.
    ///
    /// - Returns: False when there is none with this id, or the configuration named it: those stay.
    @discardableResult
    public func removeDestination(_ id: DestinationID) -> Bool {
        let (isRemoved, problem) = destinationChanges.withLock { _ in
            let (isRemoved, problem) = registry.remove(id) { journal.removeDestination(id) }
            if !registry.configured.contains(id) { consents.remove(id) }
            if isRemoved { delivery.remove(id) }
            return (isRemoved, problem)
        }
        if let problem { reporter.report(problem) }
        return isRemoved
    }

    /// Whether events can be addressed to a destination: one of the configuration, or one added since.
    public func hasDestination(_ id: DestinationID) -> Bool {
        registry.contains(id)
    }
}
