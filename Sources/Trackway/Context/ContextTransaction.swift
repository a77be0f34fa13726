// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayEvents
internal import TrackwayJournal

/// A change of the context, and the events that belong to it, while the ``ContextStore`` is held.
package struct ContextTransaction: Sendable {
    /// What the next events have in common. The journal is told before the next event, and at the end.
    package var context: RecordedContext
    private var told: RecordedContext
    private let recorder: Recorder
    private(set) var sideEffects = SideEffects()

    /// What is to be reported once nobody holds the context store any more.
    struct SideEffects: Sendable {
        var diagnostics: [Diagnostic] = []
        /// Events as JSON, while events are logged.
        var lines: [String] = []
        /// The last event that was recorded.
        var lastSequence: UInt64?
    }

    init(_ context: RecordedContext, recorder: Recorder) {
        self.context = context
        told = context
        self.recorder = recorder
    }

    /// Records an event under the context as it is now. Nothing is recorded while the SDK may not record.
    ///
    /// - Parameters:
    ///   - name: what happened.
    ///   - attributes: what is worth knowing about it.
    ///   - moment: when it happened; now when nil.
    ///   - id: its identity, when it has one already.
    ///   - route: the destinations it is for; all of them when empty.
    @discardableResult
    package mutating func record(
        _ name: String,
        _ attributes: Attributes = [:],
        at moment: Moment? = nil,
        id: EventID? = nil,
        to route: [DestinationID] = []
    ) -> Receipt {
        reportJournal()
        let event = recorder.record(name, attributes, at: moment, id: id, to: route, in: context)
        sideEffects.diagnostics += event.diagnostics
        if let line = event.line { sideEffects.lines.append(line) }
        if event.receipt.durability != .none { sideEffects.lastSequence = event.receipt.sequence }
        return event.receipt
    }

    /// Has something reported to the app once nobody holds the context store any more.
    package mutating func report(_ diagnostic: Diagnostic) {
        sideEffects.diagnostics.append(diagnostic)
    }

    mutating func reportJournal() {
        guard context != told else { return }
        told = context
        recorder.journal.setContext(context.json())
        recorder.registry.userChanged(to: context.user.id)
    }
}
