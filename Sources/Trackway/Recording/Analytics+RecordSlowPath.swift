// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayDelivery
internal import TrackwayEvents

extension Analytics {
    /// Records while something unusual is going on: recording is refused or the SDK shut down, events are logged, the start
    /// has not been recorded yet, a closure adds attributes, or the event is for some destinations only.
    @inline(never)
    func recordSlowPath(
        _ name: String,
        _ attributes: Attributes,
        items: [Item],
        to route: [DestinationID],
        id: EventID,
        at moment: Moment
    ) -> Receipt {
        behavior.begin()
        let gate = control.gate.state
        if gate.contains(.isOpen) {
            if gate.contains(.isShutDown) { reportShutDown(name) }
            if let refusal = unknownRoute(route, id: id, name) { return refusal }
        }
        let asks = gate.contains(.addsAttributes)
        let outcome = recorder.record(
            name,
            asks
                ? attributes.adding(shared: dynamic.current(), toRecord: name, most: limits.oneAttributeTooMany)
                : attributes,
            items: items,
            at: moment,
            id: id,
            to: route,
            in: contextStore.current
        )
        for diagnostic in outcome.diagnostics { reporter.report(diagnostic) }
        if let line = outcome.line { write(line) }
        if outcome.receipt.durability != .none { delivery.eventRecorded(sequence: outcome.receipt.sequence, to: route) }
        return outcome.receipt
    }

    private func reportShutDown(_ name: String) {
        reporter.report(
            Diagnostic(
                code: .recordedAfterShutdown,
                field: "name",
                value: name,
                remedy: "Record before shutdown; this event is kept and goes out after the next start."
            )
        )
    }

    private func unknownRoute(_ route: [DestinationID], id: EventID, _ name: String) -> Receipt? {
        guard let unknown = route.first(where: { !registry.contains($0) }) else { return nil }
        reporter.report(
            Diagnostic(
                code: .unknownDestination,
                field: "to",
                value: "\(unknown)",
                remedy: "The event \"\(name)\" was not recorded, because nobody it was meant for may exist. The "
                    + "destinations are \(registry.present.sorted().map(\.rawValue).joined(separator: ", "))."
            )
        )
        return Receipt(id: id, sequence: 0, durability: .none, dropped: .unknownDestination)
    }
}
