// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayDelivery
public import TrackwayEvents
internal import TrackwayJournal

extension Analytics {
    /// Records an event. When this returns, the event survives the death of the process.
    ///
    /// ```swift
    /// analytics.record("view_item", ["value": 99.9], items: [Item(id: "123", name: "Nature")])
    /// ```
    /// Never throws and never waits for disk flushes, the network or another thread. A mistake (an empty name, too many
    /// attributes, a number that is none) costs at most the part at fault; a `Diagnostic` says which and what helps.
    ///
    /// - Parameters:
    ///   - name: what happened.
    ///   - attributes: what is worth knowing about it, in order.
    ///   - items: what it is about.
    ///   - route: the ids of the destinations that shall have it; all of them when empty.
    /// - Returns: The event's id and place, and what it survives.
    /// - Complexity: O(size of the event); about a microsecond for ten attributes.
    @discardableResult
    public func record(
        _ name: String,
        _ attributes: Attributes = [:],
        items: [Item] = [],
        to route: [DestinationID] = []
    ) -> Receipt {
        let moment = clock.now()
        let id = ids.next(at: moment.wall)
        let gate = control.gate.state
        // One comparison for the usual case; everything else is explained there.
        if gate != .isOpen, let refusal = refusal(gate, id: id, name) { return refusal }
        if !route.isEmpty, let refusal = unknownRoute(route, id: id, name) { return refusal }
        var diagnostics: [Diagnostic] = []
        var line = ""
        let outcome = JSONWriter.withThreadBuffer { writer in
            EventEncoder.encode(
                id: id,
                name: name,
                moment: moment,
                attributes: attributes,
                items: items,
                limits: limits,
                into: &writer,
                report: { diagnostics.append($0) }
            )
            if gate.contains(.logsEvents) { line = String(decoding: writer.bytes, as: UTF8.self) }
            return journal.append(writer.bytes, to: route)
        }
        if !diagnostics.isEmpty || !line.isEmpty { tell(diagnostics, line) }
        guard case .kept(let sequence) = outcome else { return notKept(outcome, id: id, name) }
        delivery.eventRecorded(sequence: sequence)
        return Receipt(id: id, sequence: sequence, durability: .kernel)
    }

    /// Records an event that has a type of its own.
    ///
    /// ```swift
    /// struct AddToCart: TypedEvent {
    ///     static let name = "add_to_cart"
    ///     var sku: String
    ///     var price: Double
    /// }
    /// analytics.record(AddToCart(sku: "A-1", price: 12.5))
    /// ```
    /// - Parameters:
    ///   - event: its coded properties become the attributes.
    ///   - route: the ids of the destinations that shall have it; all of them when empty.
    /// - Returns: As for ``record(_:_:items:to:)``. An event whose `encode(to:)` throws is recorded without attributes of its
    ///   own, with `_error_code` and `_error_message` instead, and a `Diagnostic`.
    @discardableResult
    public func record(_ event: some TypedEvent, to route: [DestinationID] = []) -> Receipt {
        do {
            return record(type(of: event).name, try event.attributes(), items: event.items, to: route)
        } catch {
            return record(failed: type(of: event).name, error, items: event.items, to: route)
        }
    }

    // MARK: The unusual

    @inline(never)
    private func record(
        failed name: String,
        _ error: any Error,
        items: [Item],
        to route: [DestinationID]
    ) -> Receipt {
        let diagnostic = Diagnostic(
            code: .notEncodable,
            field: "attributes",
            value: "\(name): \(error)",
            remedy: "Let encode(to:) write named properties; the event was recorded without attributes."
        )
        reporter.report(diagnostic)
        let attributes: Attributes = [
            "_error_code": .string(diagnostic.code.rawValue), "_error_message": .string(diagnostic.value),
        ]
        return record(name, attributes, items: items, to: route)
    }

    @inline(never)
    private func tell(_ diagnostics: [Diagnostic], _ line: String) {
        for diagnostic in diagnostics { reporter.report(diagnostic) }
        if !line.isEmpty { write(line) }
    }

    /// The receipt when the event may not be recorded; nil when it may after all.
    @inline(never)
    private func refusal(_ gate: RecordingGate.State, id: EventID, _ name: String) -> Receipt? {
        guard gate.contains(.isOpen) else {
            let machine = control.machine
            let reason: DropReason = machine.isEnabled ? .consentDenied : .disabled
            // A decision somebody made, not a mistake: no diagnostic.
            return Receipt(id: id, sequence: 0, durability: .none, dropped: reason)
        }
        if gate.contains(.isShutDown) {
            reporter.report(
                Diagnostic(
                    code: .recordedAfterShutdown,
                    field: "name",
                    value: name,
                    remedy: "Record before shutdown; this event is kept and goes out after the next start."
                )
            )
        }
        return nil
    }

    @inline(never)
    private func unknownRoute(_ route: [DestinationID], id: EventID, _ name: String) -> Receipt? {
        guard let unknown = route.first(where: { !destinations.contains($0) }) else { return nil }
        reporter.report(
            Diagnostic(
                code: .unknownDestination,
                field: "to",
                value: "\(unknown)",
                remedy: "The event \"\(name)\" was not recorded, because nobody it was meant for may exist. The "
                    + "destinations are \(destinations.sorted().map(\.rawValue).joined(separator: ", "))."
            )
        )
        return Receipt(id: id, sequence: 0, durability: .none, dropped: .unknownDestination)
    }

    @inline(never)
    private func notKept(_ outcome: AppendOutcome, id: EventID, _ name: String) -> Receipt {
        switch outcome {
        case .kept(let sequence):
            return Receipt(id: id, sequence: sequence, durability: .kernel)
        case .held(let sequence):
            reporter.report(
                Diagnostic(
                    code: .storageFailing,
                    field: "storage",
                    value: name,
                    remedy: "Free some space or make the storage folder writable; until then events are held in "
                        + "memory, as many as fit."
                )
            )
            delivery.eventRecorded(sequence: sequence)
            return Receipt(id: id, sequence: sequence, durability: .memory)
        case .dropped(let sequence, let reason):
            reporter.report(
                Diagnostic(
                    code: .notKept,
                    field: "storage",
                    value: name,
                    remedy: "The event is lost and counted as \(reason). Free some space or make the storage folder "
                        + "writable."
                )
            )
            return Receipt(id: id, sequence: sequence, durability: .none, dropped: reason)
        case .closed:
            return Receipt(id: id, sequence: 0, durability: .none, dropped: .closed)
        }
    }
}

extension DropReason {
    /// The event was addressed to a destination that is not configured.
    public static let unknownDestination = DropReason(rawValue: "unknown_destination")
}
