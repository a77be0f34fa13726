// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayDelivery
package import TrackwayEvents
internal import TrackwayJournal

/// Where the context changes and where the SDK records events of its own: one thing after the other, under one lock, so
/// that journal and context always tell the same story.
///
/// The app's own events do not come here; they take the journal's short lock alone and carry the context that was set
/// last.
package final class ContextStore: Sendable {
    private let context: Locked<Kept>
    private let recorder: Recorder
    private let zone: ZoneWatch
    private let report: @Sendable ([Diagnostic], [String]) -> Void

    /// Adds to the context what takes time to find out.
    struct Completion: Sendable {
        /// Called once, under the store's lock: must not call the app, the settings or the store.
        let complete: @Sendable (inout RecordedContext) -> Void

        init(_ complete: @escaping @Sendable (inout RecordedContext) -> Void) {
            self.complete = complete
        }
    }

    private struct Kept: Sendable {
        var value: RecordedContext
        /// What is still to be added before anybody uses the context; nil once it is complete.
        var completion: Completion?

        /// The context, complete and known to the journal.
        mutating func complete(_ recorder: Recorder) -> RecordedContext {
            guard let completion else { return value }
            completion.complete(&value)
            self.completion = nil
            recorder.journal.setContext(value.json())
            return value
        }
    }

    /// Opens the context store with the context to begin with, and tells the journal.
    ///
    /// - Parameter completion: what the context still lacks. Whoever needs the context first waits for it, and the journal is told
    ///   then; see ``complete()``.
    init(
        _ context: RecordedContext,
        completedBy completion: Completion? = nil,
        recorder: Recorder,
        zone: ZoneWatch = ZoneWatch(nil),
        report: @escaping @Sendable ([Diagnostic], [String]) -> Void
    ) {
        self.zone = zone
        self.context = Locked(Kept(value: context, completion: completion))
        self.recorder = recorder
        self.report = report
        if completion == nil { recorder.journal.setContext(context.json()) }
        recorder.registry.userChanged(to: context.user.id)
    }

    /// Completes the context, unless somebody has. Nothing is recorded before; see ``RecordingGate/State/contextIncomplete``.
    func complete() {
        context.withLock { _ = $0.complete(recorder) }
    }

    /// Has the context say the offset of the time zone at a moment.
    func follow(zoneAt wall: Timestamp) {
        guard !zone.holds(wall) else { return }
        context.withLock { context in
            var value = context.complete(recorder)
            guard let offset = zone.ask(at: wall) else { return }
            value.device["zone_offset_seconds"] = .integer(Int64(offset))
            guard value != context.value else { return }
            context.value = value
            recorder.journal.setContext(value.json())
        }
    }

    /// Whether an event of this name may be recorded now, for any of these destinations.
    ///
    /// - Parameter route: the destinations it is for; all of them when empty.
    package func mayRecord(_ name: String, to route: [DestinationID]) -> Bool {
        recorder.mayRecord(name, to: route)
    }

    /// The context now.
    package var current: RecordedContext { context.withLock { $0.complete(recorder) } }

    /// Lets `body` change the context and record events, in order; nobody else does either meanwhile.
    ///
    /// - Parameter body: must be quick, and must not call the app, the settings or this store.
    package func perform<Result: Sendable>(_ body: (inout ContextTransaction) -> Result) -> Result {
        let (result, sideEffects) = performUnreported(body)
        report(sideEffects)
        return result
    }

    /// The same for a caller who holds a lock of its own: it must ``report(_:)`` once it has let go of it.
    func performUnreported<Result: Sendable>(_ body: (inout ContextTransaction) -> Result) -> (
        Result, ContextTransaction.SideEffects
    ) {
        follow(zoneAt: recorder.clock.now().wall)
        return context.withLock { context in
            var transaction = ContextTransaction(context.complete(recorder), recorder: recorder)
            let result = body(&transaction)
            transaction.reportJournal()
            context.value = transaction.context
            return (result, transaction.sideEffects)
        }
    }

    /// Tells delivery and the app what came of a performance. Holds no lock: the app may call back.
    func report(_ sideEffects: ContextTransaction.SideEffects) {
        if let last = sideEffects.lastSequence { recorder.delivery.eventRecorded(sequence: last) }
        if !sideEffects.diagnostics.isEmpty || !sideEffects.lines.isEmpty {
            report(sideEffects.diagnostics, sideEffects.lines)
        }
    }

    /// Tells the app of a difficulty. Holds no lock: the app may call back.
    func report(_ diagnostic: Diagnostic) {
        report([diagnostic], [])
    }
}

/// A change of the context, and the events that belong to it, while the ``ContextStore`` is held.
package struct ContextTransaction: Sendable {
    /// What the next events have in common. The journal is told before the next event, and at the end.
    package var context: RecordedContext
    private var told: RecordedContext
    private let recorder: Recorder
    fileprivate private(set) var sideEffects = SideEffects()

    /// What is to be reported once nobody holds the context store any more.
    struct SideEffects: Sendable {
        var diagnostics: [Diagnostic] = []
        /// Events as JSON, while events are logged.
        var lines: [String] = []
        /// The last event that was recorded.
        var lastSequence: UInt64?
    }

    fileprivate init(_ context: RecordedContext, recorder: Recorder) {
        self.context = context
        told = context
        self.recorder = recorder
    }

    /// Records an event under the context as it is now. Nothing is recorded while the SDK may not record.
    ///
    /// - Parameters:
    ///   - name: what happened.
    ///   - attributes: what is worth knowing about it.
    ///   - items: what it is about.
    ///   - moment: when it happened; now when nil.
    ///   - id: its identity, when it has one already.
    ///   - route: the destinations it is for; all of them when empty.
    @discardableResult
    package mutating func record(
        _ name: String,
        _ attributes: Attributes = [:],
        items: [Item] = [],
        at moment: Moment? = nil,
        id: EventID? = nil,
        to route: [DestinationID] = []
    ) -> Receipt {
        reportJournal()
        let event = recorder.record(name, attributes, items: items, at: moment, id: id, to: route, in: context)
        sideEffects.diagnostics += event.diagnostics
        if let line = event.line { sideEffects.lines.append(line) }
        if event.receipt.durability != .none { sideEffects.lastSequence = event.receipt.sequence }
        return event.receipt
    }

    /// Has something reported to the app once nobody holds the context store any more.
    package mutating func report(_ diagnostic: Diagnostic) {
        sideEffects.diagnostics.append(diagnostic)
    }

    fileprivate mutating func reportJournal() {
        guard context != told else { return }
        told = context
        recorder.journal.setContext(context.json())
        recorder.registry.userChanged(to: context.user.id)
    }
}
