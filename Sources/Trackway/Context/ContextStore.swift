// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayCore
internal import TrackwayDelivery
internal import TrackwayJournal

/// Holds the context that events share, and records the SDK's own events.
///
/// Changes are made one at a time, under one lock, so the journal and the context always agree. The app's own events do
/// not use the store; recording them acquires only the journal's lock, briefly, and uses the context that was set last.
package final class ContextStore: Sendable {
    private let context: Locked<State>
    private let recorder: Recorder
    private let zone: TimeZoneTracker
    private let report: @Sendable ([Diagnostic], [String]) -> Void

    /// A closure that adds context values that take time to determine.
    struct Completion: Sendable {
        /// Called once, under the store's lock.
        ///
        /// Must not call the app, the settings or the store.
        let complete: @Sendable (inout RecordedContext) -> Void

        init(_ complete: @escaping @Sendable (inout RecordedContext) -> Void) {
            self.complete = complete
        }
    }

    private struct State: Sendable {
        var value: RecordedContext
        /// Completes the context before its first use; nil once it is complete.
        var completion: Completion?

        /// Completes the context, passes it to the journal, and returns it.
        mutating func complete(_ recorder: Recorder) -> RecordedContext {
            guard let completion else { return value }
            completion.complete(&value)
            self.completion = nil
            recorder.setContext(value)
            return value
        }
    }

    /// Creates the store and passes the initial context to the journal.
    ///
    /// - Parameter completion: Completes the context. The first caller that needs the context waits for its completion,
    ///   and the journal receives the context then; see ``complete()``.
    init(
        _ context: RecordedContext,
        completedBy completion: Completion? = nil,
        recorder: Recorder,
        zone: TimeZoneTracker = TimeZoneTracker(nil),
        report: @escaping @Sendable ([Diagnostic], [String]) -> Void
    ) {
        self.zone = zone
        self.context = Locked(State(value: context, completion: completion))
        self.recorder = recorder
        self.report = report
        if completion == nil { recorder.setContext(context) }
        recorder.registry.userChanged(to: context.user.id)
    }

    /// Completes the context if it is incomplete.
    ///
    /// Nothing is recorded before the context is complete; see ``RecordingState/State/contextIncomplete``.
    func complete() {
        context.withLock { _ = $0.complete(recorder) }
    }

    /// Sets the context's time zone offset for the given time.
    func updateTimeZone(at wall: Timestamp) {
        guard !zone.isValid(at: wall) else { return }
        context.withLock { context in
            var value = context.complete(recorder)
            guard let offset = zone.refresh(at: wall) else { return }
            value.device["zone_offset_seconds"] = .integer(Int64(offset))
            guard value != context.value else { return }
            context.value = value
            recorder.setContext(value)
        }
    }

    /// Whether an event may currently be recorded for any of these destinations.
    ///
    /// - Parameter route: The event's destinations; empty for all.
    package func mayRecord(_ name: String, to route: [DestinationID]) -> Bool {
        recorder.mayRecord(name, to: route)
    }

    /// The current context.
    package var current: RecordedContext { context.withLock { $0.complete(recorder) } }

    /// Runs `body`, which changes the context and records events, with exclusive access.
    ///
    /// - Parameter body: Must be quick, and must not call the app, the settings or this store.
    @_semantics("optimize.sil.specialize.generic.never")  // Its code is large, and its results have many types.
    package func perform<Result: Sendable>(_ body: (inout ContextTransaction) -> Result) -> Result {
        let (result, sideEffects) = performUnreported(body)
        report(sideEffects)
        return result
    }

    /// Runs `body` like ``perform(_:)``, for a caller that holds a lock.
    ///
    /// The caller must call ``report(_:)`` after releasing that lock.
    @_semantics("optimize.sil.specialize.generic.never")
    func performUnreported<Result: Sendable>(_ body: (inout ContextTransaction) -> Result) -> (
        Result, ContextTransaction.SideEffects
    ) {
        updateTimeZone(at: recorder.clock.now().wall)
        return context.withLock { context in
            var transaction = ContextTransaction(context.complete(recorder), recorder: recorder)
            let result = body(&transaction)
            transaction.updateJournal()
            context.value = transaction.context
            return (result, transaction.sideEffects)
        }
    }

    /// Reports a transaction's side effects to delivery and the app.
    ///
    /// Must be called with no lock held, because the app's code may run.
    func report(_ sideEffects: ContextTransaction.SideEffects) {
        if let last = sideEffects.lastSequence { recorder.delivery.eventRecorded(sequence: last) }
        if !sideEffects.diagnostics.isEmpty || !sideEffects.lines.isEmpty {
            report(sideEffects.diagnostics, sideEffects.lines)
        }
    }

    /// Reports a diagnostic to the app.
    ///
    /// Must be called with no lock held, because the app's code may run.
    func report(_ diagnostic: Diagnostic) {
        report([diagnostic], [])
    }
}

/// A change to the context, with its events.
///
/// The ``ContextStore`` is locked during the change.
package struct ContextTransaction: Sendable {
    /// The context of the next events.
    ///
    /// The journal receives it before the next event, and at the end.
    package var context: RecordedContext
    private var journaled: RecordedContext
    private let recorder: Recorder
    fileprivate private(set) var sideEffects = SideEffects()

    /// The effects to report after the context store is unlocked.
    struct SideEffects: Sendable {
        var diagnostics: [Diagnostic] = []
        /// Events as JSON, if events are logged.
        var lines: [String] = []
        /// The sequence number of the last recorded event.
        var lastSequence: UInt64?
    }

    fileprivate init(_ context: RecordedContext, recorder: Recorder) {
        self.context = context
        journaled = context
        self.recorder = recorder
    }

    /// Records an event with the current context.
    ///
    /// Records nothing while the SDK is not allowed to record.
    ///
    /// - Parameters:
    ///   - name: The event's name.
    ///   - attributes: The event's attributes.
    ///   - items: The items that the event is about.
    ///   - moment: The time of the event; nil for now.
    ///   - id: The event's id; nil for a new one.
    ///   - route: The event's destinations; empty for all.
    @discardableResult
    package mutating func record(
        _ name: String,
        _ attributes: Attributes = [:],
        items: [Item] = [],
        at moment: DualTimestamp? = nil,
        id: EventID? = nil,
        to route: [DestinationID] = []
    ) -> Receipt {
        updateJournal()
        let event = recorder.record(name, attributes, items: items, at: moment, id: id, to: route, in: context)
        sideEffects.diagnostics += event.diagnostics
        if let line = event.line { sideEffects.lines.append(line) }
        if event.receipt.durability != .none { sideEffects.lastSequence = event.receipt.sequence }
        return event.receipt
    }

    /// Reports a diagnostic to the app after the context store is unlocked.
    package mutating func report(_ diagnostic: Diagnostic) {
        sideEffects.diagnostics.append(diagnostic)
    }

    fileprivate mutating func updateJournal() {
        guard context != journaled else { return }
        journaled = context
        recorder.setContext(context)
        recorder.registry.userChanged(to: context.user.id)
    }
}
