// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayDelivery
package import TrackwayEvents
internal import TrackwayJournal

/// Records where a few hundred nanoseconds do not matter: events of the SDK's own, and the app's while something unusual
/// is going on. It reports nothing and writes no log, so that it may be used under a lock; the caller tells afterwards.
///
/// A class, though it holds constants only: nine references would be counted with each event.
final class Recorder: Sendable {
    /// What became of an event, and what is to be told about it.
    struct Outcome: Sendable {
        var receipt: Receipt
        var diagnostics: [Diagnostic] = []
        /// The event as JSON, while events are logged.
        var line: String?
    }

    let gate: RecordingGate
    let permission: Locked<Permission>
    let clock: any EventClock
    let ids: EventIDGenerator
    let limits: EventLimits
    let journal: Journal
    let delivery: DeliveryService
    let registry: QueueRegistry
    let log: EventLog

    init(
        gate: RecordingGate,
        permission: Locked<Permission>,
        clock: any EventClock,
        ids: EventIDGenerator,
        limits: EventLimits,
        journal: Journal,
        delivery: DeliveryService,
        registry: QueueRegistry,
        log: EventLog
    ) {
        self.gate = gate
        self.permission = permission
        self.clock = clock
        self.ids = ids
        self.limits = limits
        self.journal = journal
        self.delivery = delivery
        self.registry = registry
        self.log = log
    }

    /// Whether an event of this name may be recorded now, for any of these destinations.
    func mayRecord(_ name: String, to route: [DestinationID]) -> Bool {
        let gate = gate.state
        guard gate.contains(.isOpen), !gate.isDisjoint(with: [.leavesOut, .blocksEvents]) else {
            return gate.contains(.isOpen)
        }
        let permission = permission.withLock { $0 }
        return permission.policy.allows(name) && permission.narrowed(route) != nil
    }

    /// Records an event, if events may be recorded now.
    ///
    /// The attributes are asked for only when the event is recorded, and the context it is recorded in only while events are
    /// logged. The caller tells delivery of it (``DeliveryService/eventRecorded(sequence:)``) once it holds no lock.
    func record(
        _ name: String,
        _ attributes: @autoclosure () -> Attributes = [:],
        items: [Item] = [],
        at moment: Moment? = nil,
        id: EventID? = nil,
        to route: [DestinationID] = [],
        in context: @autoclosure () -> RecordedContext
    ) -> Outcome {
        let moment = moment ?? clock.now()
        let id = id ?? ids.next(at: moment.wall)
        let gate = gate.state
        guard gate.contains(.isOpen) else {
            if gate.contains(.isForked) { return Outcome(refused: id, .forked) }
            return Outcome(refused: id, gate.contains(.isDisabled) ? .disabled : .consentDenied)
        }
        // Only an event for one destination by name may be a repeat there.
        let only = route.count == 1 ? route.first : nil
        var route = route
        if !gate.isDisjoint(with: [.leavesOut, .blocksEvents]) {
            let permission = permission.withLock { $0 }
            guard permission.policy.allows(name) else { return Outcome(refused: id, .notCollected) }
            guard let narrowed = permission.narrowed(route) else { return Outcome(refused: id, .consentDenied) }
            route = narrowed
        }
        let attributes = attributes()
        var diagnostics: [Diagnostic] = []
        var logged: [UInt8]?
        let watch = only.flatMap { registry.watch(on: $0) }
        let content = watch.map { watch in
            ContentDigest.text(name, attributes, items: items, user: watch.user, limits: limits)
        }
        let outcome: AppendOutcome? = JSONWriter.withThreadBuffer { writer in
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
            if gate.contains(.logsEvents) { logged = Array(writer.bytes) }
            guard let watch, let content else { return journal.append(writer.bytes, to: route) }
            let (outcome, problem) = registry.append(content, to: watch.destination, at: clock.now()) {
                journal.append(writer.bytes, to: route)
            }
            if let problem { diagnostics.append(problem) }
            return outcome
        }
        guard let outcome else { return Outcome(refused: id, .duplicate) }
        if let diagnostic = Diagnostic(outcome, name), !diagnostic.isAwaiting(journal) {
            diagnostics.append(diagnostic)
        }
        let receipt = Receipt(outcome, id: id)
        let line = logged.map { event in
            log.line(
                of: event,
                sequence: receipt.sequence,
                in: context(),
                installation: journal.installation,
                writer: journal.writer,
                at: clock.now().wall
            )
        }
        return Outcome(receipt: receipt, diagnostics: diagnostics, line: line)
    }
}

extension Recorder.Outcome {
    /// Somebody decided that the event is not to be recorded. That is no mistake, so there is no diagnostic.
    fileprivate init(refused id: EventID, _ reason: DropReason) {
        self.init(receipt: Receipt(id: id, sequence: 0, .dropped(reason)))
    }
}

/// How an event is shown in the log, when not as it is stored: a batch of one event, and the time of day at which it is
/// shown, give its text; nil when the form has none for it.
package typealias EventLogForm = @Sendable (EventBatch, _ now: Timestamp) -> String?

/// Writes the lines of logged events.
final class EventLog: Sendable {
    /// The closure stands in a struct: a bare one in a generic place is wrapped once more with every access.
    private struct Chosen: Sendable {
        var form: EventLogForm?
    }

    private let chosen: Locked<Chosen>

    /// A log in this form.
    init(_ form: EventLogForm?) {
        chosen = Locked(Chosen(form: form))
    }

    /// Shows events in another form from now on.
    func use(_ form: EventLogForm?) {
        chosen.withLock { $0.form = form }
    }

    /// An event's line: in the chosen form, together with what it has in common with others; else as it is stored.
    ///
    /// - Parameter now: asked for the time of day if the form has to know it.
    /// - Complexity: O(size of event and context).
    func line(
        of event: [UInt8],
        sequence: UInt64,
        in context: RecordedContext,
        installation: InstallationID,
        writer: WriterID,
        at now: @autoclosure () -> Timestamp
    ) -> String {
        let stored = String(decoding: event, as: UTF8.self)
        guard let form = chosen.withLock({ $0.form }) else { return stored }
        let shared = context.json()
        let batch = EventBatch(
            installation: installation,
            writer: writer,
            first: sequence,
            last: sequence,
            recorded: sequence,
            records: [.init(sequence: sequence, context: 1, payload: 0..<event.count)],
            contexts: [.init(generation: 1, content: event.count..<event.count + shared.count)],
            bytes: event + shared
        )
        return form(batch, now()) ?? stored
    }
}
