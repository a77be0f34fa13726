// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayCore

/// Filters events for one destination when they are read from the journal.
///
/// A filter is a value: each read works with a copy, which may cache results for the contexts it saw. The filter is
/// called for events that consent allows to be sent, while the journal's consumer is locked. It must be fast, and
/// must not call the journal. The same event must always get the same result, because an event may be read more than
/// once.
package protocol EventFilter: Sendable {
    /// Filters one event.
    ///
    /// - Parameters:
    ///   - event: the event's canonical JSON; valid only during the call.
    ///   - context: the JSON of the context in which the event was recorded; `{}` when the context's record was
    ///     damaged.
    ///   - generation: the writer's generation of that context.
    mutating func filter(_ event: UnsafeRawBufferPointer, in context: [UInt8], generation: UInt32) -> FilteredEvent
}

/// The rules for what may be sent to a destination, applied during reading.
struct SendingRules: Sendable {
    /// The rule for what may be sent, based on the recorded context.
    ///
    /// Nil when everything may be sent.
    var admission: Admission.Rule?
    /// The filter that drops or changes events that may be sent; nil if none.
    var filter: (any EventFilter)?
}

/// The result of filtering one event for one destination.
package enum FilteredEvent: Sendable, Equatable {
    /// The event is sent as it was recorded.
    case unchanged
    /// The event is sent with changes.
    ///
    /// A nil part is sent as it was recorded.
    case changed(event: [UInt8]?, context: FilteredContext?)
    /// The event is not sent, for the given reason.
    case dropped(DropReason)
}

/// A replacement for an event's context, for one destination.
package struct FilteredContext: Sendable, Equatable {
    /// The number of this context within one read, starting at 0.
    package var number: UInt32
    /// The JSON of the replacement context.
    package var json: [UInt8]

    /// Creates a replacement context.
    package init(number: UInt32, json: [UInt8]) {
        self.number = number
        self.json = json
    }

    /// The context's generation in a batch.
    ///
    /// The writer's generations count up from 1 and never reach this range.
    var generation: UInt32 { .max - number }
}
