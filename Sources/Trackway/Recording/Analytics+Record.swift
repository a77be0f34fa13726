// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayCore
internal import TrackwayDelivery
internal import TrackwayJournal

extension Analytics {
    /// Records an event.
    ///
    /// When this returns, the event survives even if the process crashes or is killed.
    ///
    /// ```swift
    /// analytics.record("view_item", ["value": 99.9], items: [Item(id: "123", name: "Nature")])
    /// ```
    /// The call never throws, and never waits for disk flushes, the network or another thread. The one exception is the
    /// first event of a process on Linux: it waits until the device's properties have been read. An invalid part (an
    /// empty name, too many attributes, a value that is not a number) affects only itself; a `Diagnostic` names the
    /// part and explains how to fix it.
    ///
    /// - Parameters:
    ///   - name: The event's name.
    ///   - attributes: The event's attributes, in order.
    ///   - items: The items that the event is about.
    ///   - route: The destinations that receive the event; all by default.
    /// - Returns: The event's id, its sequence number, and its durability.
    /// - Complexity: O(size of the event); about a microsecond for ten attributes.
    @discardableResult
    public func record(
        _ name: String,
        _ attributes: Attributes = [:],
        items: [Item] = [],
        to route: Route = .all
    ) -> Receipt {
        let moment = recording.clock.now()
        let id = recording.ids.next(at: moment.wall)
        // The usual case costs only a few comparisons; all other cases are in separate functions.
        let gate = delivery.control.gate.state
        guard canUseFastPath(gate, moment), route == .all else {
            guard gate.contains(.intercepts), canUseFastPath(gate.subtracting(.intercepts), moment), route == .all
            else {
                return recordSlowPath(name, attributes, items: items, to: route, id: id, at: moment, activity: moment)
            }
            return recordIntercepted(name, attributes, items: items, id: id, at: moment, gate)
        }
        return append(name, attributes, items: items, id: id, at: moment)
    }

    /// Whether an event at `moment` can take the fast path.
    ///
    /// The conditions are that recording is open with at most activity tracking as a special case, that activity at
    /// `moment` need not be noted, and that the recorded zone offset is valid.
    @inline(__always)
    private func canUseFastPath(_ gate: RecordingState.State, _ moment: DualTimestamp) -> Bool {
        (gate == .isOpen
            || gate == .isOpenWithActivityTracking && lifecycle.controller.activity.isThrottled(moment.monotonic))
            && recording.zone.isValid(at: moment.wall)
    }

    /// Encodes an event and appends it to the journal.
    @inline(__always)
    private func append(
        _ name: String,
        _ attributes: Attributes,
        items: [Item],
        id: EventID,
        at moment: DualTimestamp
    ) -> Receipt {
        var diagnostics: [Diagnostic] = []
        let outcome = JSONWriter.withThreadBuffer { writer in
            EventEncoder.encode(
                id: id,
                name: name,
                moment: moment,
                attributes: attributes,
                items: items,
                limits: recording.limits,
                into: &writer,
                report: { diagnostics.append($0) }
            )
            return storage.journal.append(writer.bytes)
        }
        if !diagnostics.isEmpty { report(diagnostics) }
        guard case .stored(let sequence) = outcome else { return notStored(outcome, id: id, name) }
        delivery.service.eventRecorded(sequence: sequence)
        return Receipt(id: id, sequence: sequence, .recorded(.kernel))
    }

    /// Records a typed event.
    ///
    /// ```swift
    /// struct AddToCart: TypedEvent {
    ///     static let name = "add_to_cart"
    ///     var sku: String
    ///     var price: Double
    /// }
    /// analytics.record(AddToCart(sku: "A-1", price: 12.5))
    /// ```
    /// If `encode(to:)` throws, the event is recorded with `_error_code` and `_error_message` instead of its
    /// attributes, and a `Diagnostic` is reported.
    ///
    /// - Parameters:
    ///   - event: The event; its coded properties become the attributes.
    ///   - route: The destinations that receive the event; all by default.
    /// - Returns: The same as ``record(_:_:items:to:)``.
    @discardableResult
    public func record(_ event: some TypedEvent, to route: Route = .all) -> Receipt {
        guard !isInChild else { return rejectInChild() }
        do {
            return record(type(of: event).name, try event.attributesToRecord(), items: event.items, to: route)
        } catch {
            return record(failed: type(of: event).name, error, items: event.items, to: route)
        }
    }

    /// Records one of the SDK's own events with the time of its cause.
    ///
    /// - Parameter moment: The time of the cause; the event is recorded immediately. While the app launches, call this
    ///   from ``LifecycleController/afterLaunch(_:)``.
    func recordSDKEvent(
        _ name: String,
        _ attributes: Attributes,
        to route: Route = .all,
        at moment: DualTimestamp
    ) -> Receipt {
        recordSlowPath(name, attributes, items: [], to: route, id: recording.ids.next(at: moment.wall), at: moment)
    }

    // MARK: Failures

    @inline(never)
    private func record(
        failed name: String,
        _ error: any Error,
        items: [Item],
        to route: Route
    ) -> Receipt {
        let diagnostic = Diagnostic(
            code: .notEncodable,
            field: "attributes",
            value: "\(name): \(error)",
            message: "The event \(name.quoted) was recorded without attributes because it could not be encoded "
                + "(\(error)).",
            recoverySuggestion: "Encode named properties in encode(to:)."
        )
        reporter.report(diagnostic)
        let attributes: Attributes = [
            "_error_code": .string(diagnostic.code.rawValue), "_error_message": .string(diagnostic.value),
        ]
        return record(name, attributes, items: items, to: route)
    }

    @inline(never)
    private func report(_ diagnostics: [Diagnostic]) {
        reporter.report(diagnostics)
    }

    @inline(never)
    private func notStored(_ outcome: AppendOutcome, id: EventID, _ name: String) -> Receipt {
        if let diagnostic = Diagnostic(outcome, name), !diagnostic.isAwaiting(storage.journal) {
            reporter.report(diagnostic)
        }
        let receipt = Receipt(outcome, id: id)
        if receipt.isRecorded { delivery.service.eventRecorded(sequence: receipt.sequence) }
        return receipt
    }

    // MARK: Interceptors

    /// Runs the interceptors and records the event, if necessary on the slow path.
    @inline(never)
    private func recordIntercepted(
        _ name: String,
        _ attributes: Attributes,
        items: [Item],
        id: EventID,
        at moment: DualTimestamp,
        _ gate: RecordingState.State
    ) -> Receipt {
        var event = InterceptedEvent(name, attributes, items: items)
        guard recording.interceptors.shouldKeep(&event, at: moment.monotonic) else {
            return Receipt(id: id, sequence: 0, .dropped(.intercepted))
        }
        // An interceptor may have disabled the SDK, for example.
        guard delivery.control.gate.state == gate else {
            return recordSlowPath(
                event.name,
                event.attributes,
                items: event.items,
                to: .all,
                id: id,
                at: moment,
                activity: moment,
                isIntercepted: true
            )
        }
        return append(event.name, event.attributes, items: event.items, id: id, at: moment)
    }

    // MARK: The slow path

    /// Records an event that needs more than an append.
    ///
    /// The slow path is taken if recording is rejected, the SDK is shut down, events are logged, the shared context has
    /// not been read yet, the start has not been recorded yet, heartbeats are suspended, a session may have ended, a
    /// closure adds attributes, interceptors are installed, or the event is for only some destinations.
    ///
    /// - Parameters:
    ///   - activity: The time at which the user or the app acted; nil for the SDK's own events.
    ///   - isIntercepted: Whether a module has already shown the event to interceptors in its own form; see
    ///     ``passesInterceptors(_:recordedAs:)``.
    @inline(never)
    func recordSlowPath(
        _ name: String,
        _ attributes: Attributes,
        items: [Item],
        to route: Route,
        id: EventID,
        at moment: DualTimestamp,
        activity: DualTimestamp? = nil,
        isIntercepted: Bool = false
    ) -> Receipt {
        let before = delivery.control.gate.state
        if delivery.control.gate.isForked { return rejectInChild(id: id) }
        if before.contains(.contextIncomplete) { completeContext() }
        recording.contextStore.updateTimeZone(at: moment.wall)
        lifecycle.controller.begin()
        if let activity { lifecycle.controller.handleUserActivity(at: activity) }
        let gate = delivery.control.gate.state
        if gate.contains(.isOpen) {
            if gate.contains(.isShutDown) { reportShutDown(name) }
            if let refusal = rejectUnknownRoute(route, id: id, name) { return refusal }
        }
        func complete() -> Attributes {
            gate.contains(.addsAttributes)
                ? attributes.adding(
                    shared: recording.dynamic.current(),
                    toRecord: name,
                    limit: recording.limits.attributeCountLimit + 1
                )
                : attributes
        }
        var intercepted: InterceptedEvent?
        if !isIntercepted, gate.contains(.intercepts), recording.recorder.mayRecord(name, to: route.ids) {
            var event = InterceptedEvent(name, complete(), items: items, to: route)
            guard recording.interceptors.shouldKeep(&event) else {
                return Receipt(id: id, sequence: 0, .dropped(.intercepted))
            }
            intercepted = event
        }
        let outcome = recording.recorder.record(
            intercepted?.name ?? name,
            intercepted?.attributes ?? complete(),
            items: intercepted?.items ?? items,
            at: moment,
            id: id,
            to: route.ids,
            in: recording.contextStore.current
        )
        reporter.report(outcome.diagnostics)
        if let line = outcome.line { recording.write(line) }
        if outcome.receipt.isRecorded {
            delivery.service.eventRecorded(sequence: outcome.receipt.sequence, to: route.ids)
            if !before.isDisjoint(with: [.startPending, .heartbeatSuspended]) {
                lifecycle.controller.resumeHeartbeats()
            }
        }
        return outcome.receipt
    }

    /// Reads the shared context if necessary, and enables the fast path.
    func completeContext() {
        recording.contextStore.complete()
        delivery.control.setGate(.contextIncomplete) { false }
    }

    private func reportShutDown(_ name: String) {
        reporter.report(
            Diagnostic(
                code: .recordedAfterShutdown,
                field: "name",
                value: name,
                message: "The event \(name.quoted) was recorded after shutdown. It is stored and is sent after the "
                    + "next start.",
                recoverySuggestion: "Record before calling shutdown."
            )
        )
    }

    private func rejectUnknownRoute(_ route: Route, id: EventID, _ name: String) -> Receipt? {
        let unknown = route.ids.first { !storage.registry.contains($0) }
        guard unknown != nil || route.isEmpty else { return nil }
        reporter.report(
            Diagnostic(
                code: .unknownDestination,
                field: "to",
                value: unknown?.rawValue ?? "[]",
                message: "The event \(name.quoted) was not recorded because "
                    + (unknown.map { "no destination has the id \"\($0)\"" } ?? "its route names no destination")
                    + ". The destinations are \(storage.registry.present.ordered().map(\.rawValue).joined(separator: ", ")).",
                recoverySuggestion: "Add the destination, or correct the id."
            )
        )
        return Receipt(id: id, sequence: 0, .dropped(.unknownDestination))
    }
}
