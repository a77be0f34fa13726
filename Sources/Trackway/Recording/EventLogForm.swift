// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayEvents

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
