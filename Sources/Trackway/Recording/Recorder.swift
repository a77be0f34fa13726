// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayDelivery
internal import TrackwayEvents
internal import TrackwayJournal

/// Records where a few hundred nanoseconds do not matter: events of the SDK's own, and the app's while something unusual
/// is going on. It reports nothing and writes no log, so that it may be used under a lock; the caller tells afterwards.
struct Recorder: Sendable {
    /// What became of an event, and what is to be told about it.
    struct Outcome: Sendable {
        var receipt: Receipt
        var diagnostics: [Diagnostic] = []
        /// The event as JSON, while events are logged.
        var line: String?
    }

    let gate: RecordingGate
    let clock: any EventClock
    let ids: EventIDGenerator
    let limits: EventLimits
    let journal: Journal
    let delivery: DeliveryService

    /// Records an event, if events may be recorded now.
    ///
    /// The caller tells delivery of it (``DeliveryService/eventRecorded(sequence:)``) once it holds no lock.
    func record(
        _ name: String,
        _ attributes: Attributes = [:],
        items: [Item] = [],
        at moment: Moment? = nil,
        id: EventID? = nil,
        to route: [DestinationID] = []
    ) -> Outcome {
        let moment = moment ?? clock.now()
        let id = id ?? ids.next(at: moment.wall)
        let gate = gate.state
        guard gate.contains(.isOpen) else {
            let reason: DropReason = gate.contains(.isDisabled) ? .disabled : .consentDenied
            // A decision somebody made, not a mistake: no diagnostic.
            return Outcome(receipt: Receipt(id: id, sequence: 0, durability: .none, dropped: reason))
        }
        var diagnostics: [Diagnostic] = []
        var line: String?
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
        if let diagnostic = Diagnostic(outcome, name) { diagnostics.append(diagnostic) }
        return Outcome(receipt: Receipt(outcome, id: id), diagnostics: diagnostics, line: line)
    }
}
