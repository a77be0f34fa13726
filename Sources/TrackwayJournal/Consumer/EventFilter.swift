// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayEvents

/// Filters events for one destination when they are read from the journal.
///
/// A value: each read works with a copy, which may cache results for the contexts it saw. It is called for events that
/// consent allows to be sent, while the journal's consumer is locked: it must be quick, and must not call the journal.
/// The same event must always get the same result, because an event may be read more than once.
package protocol EventFilter: Sendable {
    /// Filters one event.
    ///
    /// - Parameters:
    ///   - event: its canonical JSON; valid only during the call.
    ///   - context: the JSON of the context it was recorded in; `{}` when that was damaged.
    ///   - generation: the generation of that context at its writer.
    mutating func filter(_ event: UnsafeRawBufferPointer, in context: [UInt8], generation: UInt32) -> FilteredEvent
}

/// The rules for what may be sent to a destination, applied during reading.
struct SendingRules: Sendable {
    /// The rule for what may be sent, based on the recorded context.
    ///
    /// Nil when everything may be sent.
    var admission: Admission.Rule?
    /// Drops or changes events that may be sent; nil for neither.
    var filter: (any EventFilter)?
}

/// The result of filtering one event for one destination.
package enum FilteredEvent: Sendable, Hashable {
    /// It is sent as it was recorded.
    case unchanged
    /// It is sent with changes.
    ///
    /// A nil part is sent as it was recorded.
    case changed(event: [UInt8]?, context: FilteredContext?)
    /// It is not sent, for this reason.
    case dropped(DropReason)
}

/// A replacement for an event's context, for one destination.
package struct FilteredContext: Sendable, Hashable {
    /// Distinguishes the contexts that one read creates, from 0.
    package var number: UInt32
    /// Its JSON.
    package var json: [UInt8]

    /// Creates a replacement context.
    package init(number: UInt32, json: [UInt8]) {
        self.number = number
        self.json = json
    }

    /// Its generation in a batch.
    ///
    /// The writer's generations count up from 1 and never reach this range.
    var generation: UInt32 { .max - number }
}
