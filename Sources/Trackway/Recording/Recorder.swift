// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayCore
internal import TrackwayDelivery
internal import TrackwayJournal

/// Records events outside the fast path.
///
/// These are the SDK's own events, and the app's events on the slow path, where a few hundred nanoseconds do not
/// matter. The recorder reports nothing and writes no log, so that it can be used under a lock; the caller reports
/// afterward.
///
/// This is a class, although it holds only constants: a struct would retain and release nine references for each event.
final class Recorder: Sendable {
    /// The result of recording an event, and the diagnostics to report.
    struct Outcome: Sendable {
        var receipt: Receipt
        var diagnostics: [Diagnostic] = []
        /// The event as JSON; nil if events are not logged.
        var line: String?
    }

    let gate: RecordingState
    let permission: Locked<Permission>
    let clock: any EventClock
    let ids: EventIDGenerator
    let limits: EventLimits
    let journal: Journal
    let delivery: DeliveryService
    let registry: QueueRegistry
    let log: EventLog
    /// Whether the app is for children (``Configuration/Privacy/isChildDirected``).
    let isChildDirected: Bool

    init(
        gate: RecordingState,
        permission: Locked<Permission>,
        clock: any EventClock,
        ids: EventIDGenerator,
        limits: EventLimits,
        journal: Journal,
        delivery: DeliveryService,
        registry: QueueRegistry,
        log: EventLog,
        isChildDirected: Bool
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
        self.isChildDirected = isChildDirected
    }

    /// Passes the context of the next events to the journal.
    func setContext(_ context: RecordedContext) {
        journal.setContext((isChildDirected ? context.protectingChildren : context).json())
    }

    /// Whether an event may currently be recorded for any of these destinations.
    func mayRecord(_ name: String, to route: [DestinationID]) -> Bool {
        let gate = gate.state
        guard gate.contains(.isOpen), !gate.isDisjoint(with: [.excludesDestinations, .blocksEvents]) else {
            return gate.contains(.isOpen)
        }
        let permission = permission.withLock { $0 }
        return permission.policy.allows(name) && permission.permittedSubset(of: route) != nil
    }

    /// Records an event if recording is currently allowed.
    ///
    /// The attributes are evaluated only if the event is recorded, and the context only if events are logged. After
    /// releasing its locks, the caller must notify delivery (``DeliveryService/eventRecorded(sequence:)``).
    func record(
        _ name: String,
        _ attributes: @autoclosure () -> Attributes = [:],
        items: [Item] = [],
        at moment: DualTimestamp? = nil,
        id: EventID? = nil,
        to route: [DestinationID] = [],
        in context: @autoclosure () -> RecordedContext
    ) -> Outcome {
        let moment = moment ?? clock.now()
        let id = id ?? ids.next(at: moment.wall)
        let gate = gate.state
        guard gate.contains(.isOpen) else {
            if gate.contains(.isForked) { return Outcome(rejected: id, .forked) }
            return Outcome(rejected: id, gate.contains(.isDisabled) ? .disabled : .consentDenied)
        }
        // Repeats are suppressed only for an event that is addressed to a single destination.
        let only = route.count == 1 ? route.first : nil
        var route = route
        if !gate.isDisjoint(with: [.excludesDestinations, .blocksEvents]) {
            let permission = permission.withLock { $0 }
            guard permission.policy.allows(name) else { return Outcome(rejected: id, .notCollected) }
            guard let permitted = permission.permittedSubset(of: route) else {
                return Outcome(rejected: id, .consentDenied)
            }
            route = permitted
        }
        let attributes = attributes()
        var diagnostics: [Diagnostic] = []
        var logged: [UInt8]?
        let repeatCheck = only.flatMap { registry.repeatCheck(for: $0) }
        let content = repeatCheck.map { repeatCheck in
            ContentDigest.text(name, attributes, items: items, user: repeatCheck.user, limits: limits)
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
            guard let repeatCheck, let content else { return journal.append(writer.bytes, to: route) }
            let (outcome, problem) = registry.append(content, to: repeatCheck.destination, at: clock.now()) {
                journal.append(writer.bytes, to: route)
            }
            if let problem { diagnostics.append(problem) }
            return outcome
        }
        guard let outcome else { return Outcome(rejected: id, .duplicate) }
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
    /// Creates the outcome of a rejected event.
    ///
    /// A rejection is not a mistake, so no diagnostic is reported.
    fileprivate init(rejected id: EventID, _ reason: DropReason) {
        self.init(receipt: Receipt(id: id, sequence: 0, .dropped(reason)))
    }
}

/// A closure that formats an event for the log.
///
/// If the closure returns nil, the event is logged as it is stored. The arguments are a batch with the single event and
/// the current wall time.
package typealias EventLogForm = @Sendable (EventBatch, _ now: Timestamp) -> String?

/// Writes the lines of logged events.
final class EventLog: Sendable {
    /// Boxed in a struct to avoid reabstraction thunks.
    private struct Box: Sendable {
        var form: EventLogForm?
    }

    private let box: Locked<Box>

    /// Creates a log that uses the given form.
    init(_ form: EventLogForm?) {
        box = Locked(Box(form: form))
    }

    /// Changes the form of events that are logged after this call.
    func setForm(_ form: EventLogForm?) {
        box.withLock { $0.form = form }
    }

    /// Returns an event's log line.
    ///
    /// The line has the chosen form and includes the event's context. Without a form, or if the form returns nil, the
    /// line is the event as it is stored.
    ///
    /// - Parameter now: The wall time; evaluated only if there is a form.
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
        guard let form = box.withLock({ $0.form }) else { return stored }
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
