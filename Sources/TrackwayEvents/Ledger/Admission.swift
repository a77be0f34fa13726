// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// Whether an event may leave the journal for a destination, judged by the context it was recorded in.
package enum Admission: Sendable, Hashable {
    /// It travels.
    case send
    /// It waits, and everything its writer recorded after it waits behind it.
    case hold
    /// It will never travel, for this reason.
    case drop(DropReason)

    /// Judges the context an event was recorded in, by the context's JSON. An event whose context was damaged is judged
    /// by `{}`.
    ///
    /// Asked once for each context of a batch, on delivery's tasks, with the journal's consumer locked: it must be quick, and
    /// must not call the journal.
    package typealias Rule = @Sendable (_ context: [UInt8]) -> Admission
}
