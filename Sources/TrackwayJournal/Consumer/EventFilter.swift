// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayEvents

/// What becomes of events on their way to one destination, judged when they are read from the journal.
///
/// A value: each reading works with a copy, which may remember what it found out about the contexts it saw. It is asked
/// about events that consent lets leave, with the journal's consumer locked: it must be quick, and must not call the
/// journal. The same event must always get the same answer, because an event may be read more than once.
package protocol EventFilter: Sendable {
    /// Judges one event.
    ///
    /// - Parameters:
    ///   - event: its canonical JSON; valid during the call only.
    ///   - context: the JSON of the context it was recorded in; `{}` when that was damaged.
    ///   - generation: which context of the writer that is.
    mutating func filter(_ event: UnsafeRawBufferPointer, in context: [UInt8], generation: UInt32) -> FilteredEvent
}

/// What may leave for a destination, and how, while it is read.
struct LeavingRules: Sendable {
    /// What may leave, by the context it was recorded in; nil when everything may.
    var admission: Admission.Rule?
    /// Drops or changes what may leave; nil for neither.
    var filter: (any EventFilter)?
}

/// What becomes of one event on its way to one destination.
package enum FilteredEvent: Sendable, Hashable {
    /// It travels as it was recorded.
    case unchanged
    /// It travels changed. What is nil stays as it was recorded.
    case changed(event: [UInt8]?, context: FilteredContext?)
    /// It does not travel, for this reason.
    case dropped(DropReason)
}

/// What takes the place of an event's context on its way to one destination.
package struct FilteredContext: Sendable, Hashable {
    /// Tells the contexts that one reading makes apart, from 0.
    package var number: UInt32
    /// Its JSON.
    package var json: [UInt8]

    /// Makes one.
    package init(number: UInt32, json: [UInt8]) {
        self.number = number
        self.json = json
    }

    /// Its generation in a batch; those of the writer count up from 1 and never come here.
    var generation: UInt32 { .max - number }
}
